/// The aurora at a place at one moment, as the contract's `now` form shows it.
///
/// The numbers are rounded the way they are shown, so that two values are equal when readers see
/// the same. The texts follow from `level`, `limitingFactor` and `visibility`
/// (Conditions+Texts.swift).
package struct Conditions: Hashable, Sendable, Codable {
    package var place: Place
    /// 0…100
    package var score: Int
    package var level: Level
    package var confidence: Confidence
    package var limitingFactor: LimitingFactor
    package var visibility: Visibility
    /// km/s; nil when it is missing or too old
    package var speed: Int?
    /// Protons per cm³, one decimal
    package var density: Double?
    /// nT, one decimal
    package var bz: Double?
    /// 0…9, one decimal
    package var kp: Double?
    /// Percent
    package var cloud: Int?
    package var updated: Timestamp
    /// Nil in conditions that were stored before there was any.
    package var held: Held?

    package init(
        place: Place,
        score: Int,
        level: Level,
        confidence: Confidence,
        limitingFactor: LimitingFactor,
        visibility: Visibility,
        speed: Int? = nil,
        density: Double? = nil,
        bz: Double? = nil,
        kp: Double? = nil,
        cloud: Int? = nil,
        updated: Timestamp,
        held: Held? = nil
    ) {
        self.place = place
        self.score = score
        self.level = level
        self.confidence = confidence
        self.limitingFactor = limitingFactor
        self.visibility = visibility
        self.speed = speed
        self.density = density
        self.bz = bz
        self.kp = kp
        self.cloud = cloud
        self.updated = updated
        self.held = held
    }

    /// One JSON object in the documented order of keys.
    package func json(language: Language = .norwegian) -> [UInt8] {
        var json = JSONWriter()
        json.object { write(to: &$0, language: language) }
        return json.bytes
    }

    /// Writes the members of the form into an object that the caller opened.
    func write(to json: inout JSONWriter, language: Language) {
        json.field("score", score)
        json.field("level", level.rawValue)
        json.field("confidence", confidence.rawValue)
        json.field("headline", headline(language))
        json.object("location") {
            $0.field("name", place.name)
            $0.field("lat", place.latitude)
            $0.field("lon", place.longitude)
        }
        json.object("solar_wind") {
            $0.field("speed", shownSpeed)
            $0.field("density", shownDensity)
            $0.field("bz", shownBz)
        }
        json.field("kp_index", shownKp)
        json.field("cloud_coverage", shownCloud)
        json.field("visibility", visibility.rawValue)
        json.field("recommendation", recommendation(language))
        json.field("updated", updated.iso8601)
    }
}

/// The visibility of an aurora overhead, regardless of its activity: darkness and cloud.
package enum Visibility: String, CaseIterable, Sendable, Codable {
    case none, poor, moderate, good, excellent
    /// Dark enough, but nothing is known of the cloud.
    case unknown

    init(_ score: Score) {
        if !score.isCloudKnown, score.darkness > 0 {
            self = .unknown
            return
        }
        switch score.visibility {
        case 0.95...: self = .excellent
        case 0.7...: self = .good
        case 0.3...: self = .moderate
        case 0.05...: self = .poor
        default: self = .none
        }
    }
}
