/// The topic of the map, `aurora:oval`.
package let auroraOvalTopic = Topic(trusted: "aurora:oval")

/// The oval on the map, and its meaning for one place: the contract's `oval` form.
package struct OvalMap: Hashable, Sendable {
    /// Where the brightest of the oval lies, seen from the place.
    package enum Position: String, CaseIterable, Sendable {
        case north, overhead, south
    }

    package let shape: OvalShape
    /// The time that the grid is for.
    package let time: Timestamp
    package let kp: Double?
    /// Nil where the grid has no aurora near the place's longitude.
    package let position: Position?
    /// Whether an aurora of the grid could be seen from the place with its current sky. False for
    /// an old grid.
    package let isVisible: Bool
    /// Since the time that the grid is for, of a grid that is too old to count; nil for any other.
    package let staleAge: Duration?

    /// Two degrees of latitude are 220 km: within that distance an arc is 25° high or higher.
    private static let overheadLatitudes = 2.0
    /// Of the grid's index of 0 to 100: the thresholds that best tell sightings from none are 5 to 15
    /// (Mooney et al. 2021, doi:10.1029/2020SW002688).
    private static let visibleValueMin = 10.0

    /// Nil without a grid.
    ///
    /// - Parameter shape: of the state's grid, for the place's hemisphere.
    package init?(_ shape: OvalShape, _ derivation: Derivation) {
        let conditions = derivation.conditions
        guard let input = derivation.explanation.input("ovation"), let best = input.value,
            let time = input.validFor
        else { return nil }
        self.shape = shape
        self.time = time
        kp = conditions.shownKp
        position = shape.crest(near: conditions.place.longitude).map {
            let north = Double($0) - conditions.place.latitude
            if abs(north) <= OvalMap.overheadLatitudes { return .overhead }
            return north > 0 ? .north : .south
        }
        staleAge = input.isStale ? max(.zero, derivation.explanation.time - time) : nil
        isVisible =
            !input.isStale && best >= OvalMap.visibleValueMin && conditions.visibility != .none
    }

    /// One JSON object in the documented order of keys. Only a map that is too old has the last two.
    package func json() -> [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.field("timestamp", time.iso8601)
            $0.array("coordinates") { json in
                for point in shape.points {
                    json.object {
                        $0.field("lat", point.latitude)
                        $0.field("lon", point.longitude)
                        $0.field("intensity", Double(point.value) / 100)
                    }
                }
            }
            $0.field("kp_index", kp)
            $0.field("oval_position", position?.rawValue)
            // Spelled so for every place.
            $0.field("tromsø_visibility", isVisible)
            if let staleAge {
                $0.field("stale", true)
                $0.field("age_seconds", staleAge.wholeMilliseconds / 1000)
            }
        }
        return json.bytes
    }

    /// The event for a new map.
    ///
    /// - Parameter data: the result of `json`.
    package static func event(data: [UInt8], id: String, time: Timestamp) -> Event {
        Event(
            id: id,
            type: "aurora.oval.updated",
            source: "/aurora",
            subject: Place.reservedID,
            time: time,
            data: data
        )
    }
}

extension Place {
    /// The hemisphere of the nearer oval.
    package var hemisphere: OvalShape.Hemisphere { latitude < 0 ? .south : .north }
}
