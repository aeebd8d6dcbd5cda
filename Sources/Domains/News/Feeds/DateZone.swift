import CTables

/// The zone of a date, as feeds write it.
enum DateZone: Equatable {
    /// Minutes east of UTC.
    case offset(Int)
    case rules(ClockZone)

    static let utc = DateZone.offset(0)

    /// `Z`, `+01:00`, `-0500`, `+01`, `GMT+1`, `Etc/GMT-1`, `Europe/Berlin`, `EST` and other short
    /// names that have one meaning in practice. No text is UTC; a text that is no known zone is nil.
    init?(_ text: some StringProtocol) {
        var name = text.lowercased().replacing("\u{2212}", with: "-")
        // The database's own names have the signs of POSIX: positive is west.
        let isReversed = name.hasPrefix("etc/")
        if isReversed { name.removeFirst("etc/".count) }
        for prefix in ["gmt", "utc", "ut"] where name.hasPrefix(prefix) {
            name.removeFirst(prefix.count)
            break
        }
        if name.isEmpty || name == "0" {
            self = .utc
        } else if name.hasPrefix("+") || name.hasPrefix("-") {
            guard let minutes = DateZone.minutes(name) else { return nil }
            self = .offset(isReversed ? -minutes : minutes)
        } else if let minutes = DateZone.names[name] {
            self = .offset(minutes)
        } else if let zone = ZoneNames.zone(name) {
            self = .rules(zone)
        } else {
            return nil
        }
    }

    private static func minutes(_ text: String) -> Int? {
        let digits = text.dropFirst().filter { $0 != ":" }
        guard (1...4).contains(digits.count), let number = Int(digits),
            digits.utf8.allSatisfy(isDigit)
        else { return nil }
        let (hours, minutes) =
            digits.count <= 2 ? (number, 0) : (number / 100, number % 100)
        // Clocks are at most 14 hours from UTC.
        guard hours <= 14, minutes < 60 else { return nil }
        return (text.hasPrefix("-") ? -1 : 1) * (hours * 60 + minutes)
    }

    /// The instant at which the clocks of the zone show what those of UTC show at `clock`.
    func instant(showing clock: Timestamp) -> Timestamp {
        switch self {
        case .offset(let minutes): clock - .seconds(minutes * 60)
        case .rules(let zone): zone.first(showing: clock)
        }
    }

    /// RFC 822 §5.1, and the short names that feeds have.
    private static let names: [String: Int] = {
        let table = WordTable(varde_zone_abbreviations())
        let rows = table.sections.flatMap(table.rows)
        return Dictionary(
            uniqueKeysWithValues: rows.map { row in
                guard row.count == 2, let minutes = Int(row[1]) else {
                    preconditionFailure("zone-abbreviations.txt: \(row[0]) has no minutes")
                }
                return (row[0], minutes)
            }
        )
    }()
}
