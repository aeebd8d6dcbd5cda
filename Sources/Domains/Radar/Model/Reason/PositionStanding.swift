/// The last change of a radar's position.
package struct PositionChange: Sendable, Equatable {
    /// When the position was first derived.
    package var time: Timestamp
    package var previous: Stance
    package var reason: PositionReason

    package var position: Stance { reason.position }
}

/// The stored state of a radar's position, so that the order of one day's opinions does not matter.
///
/// A position depends on the one before it, which is that of the beginning of the day (UTC) in
/// which it is derived: each derivation of a day starts from the same position and has all opinions
/// of that day. If two opinions of a day come in another order, the final position of the day is
/// the same, and so are its certainty and its reason.
///
/// The store keeps the JSON form: the names of its keys are part of the file format.
package struct PositionStanding: Sendable, Equatable {
    /// The UTC day of the newest derivation, counted from 1970-01-01.
    private var dayNumber: Int
    /// The position with which that day began; nil without any.
    private var before: Stance?
    /// The last change before that day.
    private var changeBefore: PositionChange?
    /// The last change; nil before the first position.
    package private(set) var change: PositionChange?

    /// - Parameter position: of a radar that has had opinions before this was kept; nil for none.
    package init(position: Stance? = nil) {
        dayNumber = Int.min
        before = position
    }

    private init(dayNumber: Int, before: Stance?) {
        self.dayNumber = dayNumber
        self.before = before
    }

    /// The position that a derivation at `now` starts from.
    package func previous(_ position: Stance, now: Timestamp) -> Stance? {
        dayNumber == now.dayNumber || dayNumber == Int.min ? before : position
    }

    /// Adopts the position derived from `previous(_:now:)`.
    ///
    /// - Parameter position: of the radar until now.
    package mutating func take(
        _ derivation: PositionDerivation,
        from position: Stance,
        now: Timestamp
    ) {
        if dayNumber != now.dayNumber {
            before = previous(position, now: now)
            changeBefore = change
            dayNumber = now.dayNumber
        }
        guard derivation.hasEvidence else { return }
        if derivation.position == before {
            change = changeBefore
        } else {
            let isSame = change != changeBefore && change?.position == derivation.position
            change = PositionChange(
                time: isSame ? change?.time ?? now : now,
                previous: before ?? .neutral,
                reason: derivation.reason
            )
        }
    }
}

// MARK: - The stored form

extension PositionStanding {
    /// Nil before the first derivation.
    package func json() -> [UInt8]? {
        guard dayNumber != Int.min else { return nil }
        var json = JSONWriter()
        json.object { json in
            json.field("day", dayNumber)
            json.field("before", before?.rawValue)
            json.stored("changeBefore", changeBefore)
            json.stored("change", change)
        }
        return json.bytes
    }

    /// Reads the output of `json()`; nil for anything else.
    package init?(json: [UInt8]) {
        guard let fields = PositionStanding.fields(json[...]),
            let day = fields["day"].flatMap(JSONReader.integer).flatMap(Int.init(exactly:)),
            let before = PositionStanding.optional(fields["before"], read: Stance.init(json:)),
            let changeBefore = PositionStanding.optional(
                fields["changeBefore"],
                read: PositionChange.init(json:)
            ),
            let change = PositionStanding.optional(
                fields["change"],
                read: PositionChange.init(json:)
            )
        else { return nil }
        self.init(dayNumber: day, before: before)
        self.changeBefore = changeBefore
        self.change = change
    }

    /// Nil for a value that is neither `null` nor accepted by `read`.
    private static func optional<Value>(
        _ json: ArraySlice<UInt8>?,
        read: (ArraySlice<UInt8>) -> Value?
    ) -> Value?? {
        guard let json else { return nil }
        if json.elementsEqual("null".utf8) { return .some(nil) }
        return read(json).map(Optional.some)
    }

    fileprivate static func fields(_ object: ArraySlice<UInt8>) -> [String: ArraySlice<UInt8>]? {
        guard let list = try? JSONReader.fields(of: object) else { return nil }
        return Dictionary(list.map { ($0.key, $0.value) }) { $1 }
    }
}

extension Stance {
    fileprivate init?(json: ArraySlice<UInt8>) {
        guard let word = JSONReader.string(json) else { return nil }
        self.init(rawValue: word)
    }
}

extension PositionChange {
    fileprivate init?(json: ArraySlice<UInt8>) {
        guard let fields = PositionStanding.fields(json),
            let time = fields["time"].flatMap(JSONReader.integer).flatMap(Int64.init(exactly:)),
            let previous = fields["previous"].flatMap(JSONReader.string)
                .flatMap(Stance.init(rawValue:)),
            let reason = fields["reason"].flatMap(PositionReason.init)
        else { return nil }
        self.init(time: Timestamp(milliseconds: time), previous: previous, reason: reason)
    }
}

extension JSONWriter {
    fileprivate mutating func stored(_ key: String, _ change: PositionChange?) {
        guard let change else { return null(key) }
        object(key) { json in
            json.field("time", change.time.milliseconds)
            json.field("previous", change.previous.rawValue)
            json.object("reason") { change.reason.write(to: &$0) }
        }
    }

    /// The last change of a position as clients see it; `null` before the first one.
    mutating func field(_ key: String, _ change: PositionChange?, _ dates: DateForm) {
        guard let change else { return null(key) }
        object(key) { json in
            json.field("time", change.time, dates)
            json.field("position", change.position.rawValue)
            json.field("previous", change.previous.rawValue)
            json.object("reason") { change.reason.writeTexts(to: &$0) }
        }
    }
}
