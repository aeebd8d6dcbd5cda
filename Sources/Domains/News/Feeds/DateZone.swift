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
    private static let names: [String: Int] = [
        "z": 0, "wet": 0, "west": 60, "a": -60, "n": 60, "m": -720, "y": 720,
        // America
        "nst": -210, "ndt": -150, "adt": -180, "ast": -240, "at": -240, "edt": -240, "est": -300,
        "et": -300, "cdt": -300, "cst": -360, "ct": -360, "mdt": -360, "mst": -420, "mt": -420,
        "pdt": -420, "pst": -480, "pt": -480, "akdt": -480, "akst": -540, "hst": -600,
        "art": -180, "brt": -180, "brst": -120, "clt": -240, "clst": -180, "cot": -300,
        "pet": -300, "uyt": -180, "vet": -240,
        // Europe and Africa
        "met": 60, "mest": 120, "mez": 60, "mesz": 120, "cet": 60, "cest": 120, "bst": 60,
        "eet": 120, "eest": 180, "msk": 180, "msd": 240, "trt": 180, "wat": 60, "cat": 120,
        "sast": 120, "eat": 180,
        // Asia and Australia
        "idt": 180, "irst": 210, "pkt": 300, "ist": 330, "npt": 345, "ict": 420, "wib": 420,
        "wita": 480, "wit": 540, "hkt": 480, "sgt": 480, "pht": 480, "awst": 480, "jst": 540,
        "kst": 540, "acst": 570, "acdt": 630, "aest": 600, "aedt": 660, "nzst": 720, "nzdt": 780,
    ]
}
