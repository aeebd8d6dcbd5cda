/// A time zone: its offsets from UTC, each from the change on that began it.
///
/// Zones of the IANA time zone database are read from their files (ClockZone+ZoneFile.swift). Eight
/// zones with built-in rules need no file, as small containers have none: `builtIn`.
package struct ClockZone: Sendable {
    /// As in the database, such as `Europe/Oslo`; of a fixed offset, its text.
    package let name: String
    /// The instants at which the offset changed, in seconds since 1970, ascending.
    let changes: [Int64]
    /// Seconds ahead of UTC: before the first change, and from each change on.
    let offsets: [Int32]
    /// The rule from the last change on; nil if the last offset stays.
    let rule: ZoneRule?

    /// - Parameter offsets: one more than changes.
    init(name: String, changes: [Int64], offsets: [Int32], rule: ZoneRule?) {
        precondition(offsets.count == changes.count + 1)
        self.name = name
        self.changes = changes
        self.offsets = offsets
        self.rule = rule
    }

    /// A zone that is always the same time ahead of UTC.
    package init(name: String, minutesAhead: Int) {
        self.init(name: name, changes: [], offsets: [Int32(minutesAhead * 60)], rule: nil)
    }

    /// A zone with the same rule in all years.
    ///
    /// - Parameter rule: such as `CET-1CEST,M3.5.0,M10.5.0/3` (POSIX.1-2017 §8.3). Nil for a text
    ///   that is no rule.
    package init?(name: String, rule: some StringProtocol) {
        guard let rule = ZoneRule(rule) else { return nil }
        self.init(name: name, changes: [], offsets: [rule.standardOffset], rule: rule)
    }

    private init(builtIn name: String, _ rule: String) {
        guard let zone = ClockZone(name: name, rule: rule) else {
            preconditionFailure("the rule of \(name)")
        }
        self = zone
    }
}

// MARK: Zones without a file

extension ClockZone {
    package static let utc = ClockZone(name: "UTC", minutesAhead: 0)
    // Directive 2000/84/EC: from the last Sunday of March to that of October, 01:00 UTC each.
    package static let westernEuropean = ClockZone(
        builtIn: "WET",
        "WET0WEST,M3.5.0/1,M10.5.0"
    )
    package static let centralEuropean = ClockZone(
        builtIn: "CET",
        "CET-1CEST,M3.5.0,M10.5.0/3"
    )
    package static let easternEuropean = ClockZone(
        builtIn: "EET",
        "EET-2EEST,M3.5.0/3,M10.5.0/4"
    )
    // 15 U.S.C. 260a: from the second Sunday of March to the first of November, 02:00 of the clock each.
    /// New York
    package static let usEastern = ClockZone(builtIn: "EST5EDT", "EST5EDT,M3.2.0,M11.1.0")
    /// Chicago
    package static let usCentral = ClockZone(builtIn: "CST6CDT", "CST6CDT,M3.2.0,M11.1.0")
    /// Denver
    package static let usMountain = ClockZone(builtIn: "MST7MDT", "MST7MDT,M3.2.0,M11.1.0")
    /// Los Angeles
    package static let usPacific = ClockZone(builtIn: "PST8PDT", "PST8PDT,M3.2.0,M11.1.0")

    package static let builtIn: [ClockZone] = [
        utc, westernEuropean, centralEuropean, easternEuropean, usEastern, usCentral, usMountain,
        usPacific,
    ]
}

// MARK: Equality

/// Zones of one name are equal: a process reads each name once.
extension ClockZone: Hashable {
    package static func == (left: ClockZone, right: ClockZone) -> Bool { left.name == right.name }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// Stored by name. A name without a built-in rule is read as UTC: code that restores such a value
/// takes the zone from the configuration.
extension ClockZone: Codable {
    package init(from decoder: any Decoder) throws {
        let name = try decoder.singleValueContainer().decode(String.self)
        self = ClockZone.builtIn.first { $0.name == name } ?? .utc
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}

// MARK: Offsets

extension ClockZone {
    /// Returns the offset of the clocks from UTC at an instant, positive if they are ahead.
    package func offset(at time: Timestamp) -> Duration {
        .seconds(Int64(secondsAhead(at: time.wholeSeconds)))
    }

    private func secondsAhead(at time: Int64) -> Int32 {
        // The number of changes up to that instant.
        var (low, high) = (0, changes.count)
        while low < high {
            let middle = (low + high) / 2
            if changes[middle] <= time { low = middle + 1 } else { high = middle }
        }
        if low == changes.count, let rule { return rule.offset(at: time) }
        return offsets[low]
    }

    /// The date and time of day that the clocks show.
    package func civil(_ time: Timestamp) -> CivilTime {
        CivilTime(time + offset(at: time))
    }
}
