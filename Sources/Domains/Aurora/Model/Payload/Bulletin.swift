/// One message of SWPC about geomagnetic activity: a possible, expected or present storm.
///
/// Not an alert, which one of our rules raises for one place.
package struct Bulletin: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        /// Possible in the coming days.
        case watch
        /// Expected within hours.
        case warning
        /// Measured.
        case alert
    }

    /// The message code: `WATA50`, `WARK06`, `ALTK08`. With the serial number it is the identity.
    package var code: String
    package var serial: Int
    package var kind: Kind
    package var issued: Timestamp
    /// The first moment after the bulletin's period.
    package var until: Timestamp
    /// The K index that is expected or was reached; a watch has none.
    package var kp: Int?
    /// G, 1…5; nil below the scale.
    package var stormScale: Int?
    /// The message's own first line, `ALERT: Geomagnetic K-index of 8, 9-`.
    package var headline: String

    static let headlineLengthMax = 120
}

/// SWPC's `alerts.json`: the messages of thirty days.
package struct Bulletins: Hashable, Sendable {
    /// The bulletins that were in effect when it was read, or will be: oldest first, without those
    /// that a later one has cancelled, extended or superseded.
    package var bulletins: [Bulletin] = []
    package var notes = PayloadNotes()

    /// Keeps messages about geomagnetic activity that are not yet over. A message without a serial
    /// number, or with unreadable times, is skipped: these are texts for people.
    package static func decode(
        _ bytes: [UInt8],
        now: Timestamp
    ) throws(PayloadError) -> Bulletins {
        let columns = ["issue_datetime", "message"].map { TableColumn(names: [$0]) }
        var messages: [BulletinMessage] = []
        var notes = PayloadNotes()
        do {
            notes = try ProductTable.read(bytes, columns: columns, now: now) {
                (row) throws(PayloadError) in
                let issued = try row.time(0)
                guard let text = row.text(1),
                    let message = BulletinMessage(text, issued: issued)
                else { return }
                messages.append(message)
            }
        } catch .noRows {
            // A calm month: an empty product is valid.
            return Bulletins()
        }
        messages = messages.sorted { $0.bulletin.issued }
        return Bulletins(bulletins: inEffect(messages, now: now), notes: notes)
    }

    /// - Parameter messages: oldest first.
    private static func inEffect(_ messages: [BulletinMessage], now: Timestamp) -> [Bulletin] {
        var kept: [Bulletin] = []
        for message in messages {
            let bulletin = message.bulletin
            kept.removeAll { held in
                let isSame = held.code == bulletin.code
                // "THIS SUPERSEDES ANY/ALL PRIOR WATCHES IN EFFECT"
                let isSuperseded = bulletin.kind == .watch && held.kind == .watch
                // Of one code, the alert of a new window stands for that of the last.
                let isRepeated = isSame && (held.serial == bulletin.serial || held.kind == .alert)
                return isSuperseded || isRepeated || (isSame && held.serial == message.ends)
            }
            if !message.isCancellation, bulletin.until > now { kept.append(bulletin) }
        }
        return Array(kept.suffix(AuroraLimits.bulletinCountMax))
    }
}

/// A message taken apart.
private struct BulletinMessage {
    var bulletin: Bulletin
    /// The serial number of the message that this one extends or cancels.
    var ends: Int?
    var isCancellation = false

    /// The period of a watch: its day of issue and the three that it names.
    private static let watchDays = Duration.seconds(4 * 86_400)
    /// A warning of which nothing else is known.
    private static let warningLength = KInterval.length

    init?(_ text: String, issued: Timestamp) {
        var fields: [Substring: Substring] = [:]
        var headline: Substring?
        for line in text.split(whereSeparator: \.isNewline) {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let name = line[..<colon].trimmingSpaces
            if headline == nil, name.allSatisfy({ $0.isUppercase || $0 == " " }) { headline = line }
            guard fields[name] == nil else { continue }
            fields[name] = line[line.index(after: colon)...].trimmingSpaces
        }
        guard let code = fields["Space Weather Message Code"].map(String.init),
            let serial = fields["Serial Number"].flatMap({ Int($0) }), let headline,
            let subject = Subject(code)
        else { return nil }
        let named = ["Extension to Serial Number", "Cancel Serial Number"]
        ends = named.lazy.compactMap { fields[Substring($0)] }.first.flatMap { Int($0) }
        isCancellation = headline.hasPrefix("CANCEL")
        func time(_ names: Substring...) -> Timestamp? {
            names.lazy.compactMap { fields[$0] }.first.flatMap(Timestamp.init(bulletin:))
        }
        let until: Timestamp =
            switch subject.kind {
            case .watch: issued.roundedDown(to: .seconds(86_400)) + Self.watchDays
            case .warning: time("Now Valid Until", "Valid To") ?? issued + Self.warningLength
            case .alert:
                // The K index is of the window in which the threshold was reached.
                (time("Threshold Reached") ?? issued).roundedDown(to: KInterval.length)
                    + KInterval.length
            }
        bulletin = Bulletin(
            code: code,
            serial: serial,
            kind: subject.kind,
            issued: issued,
            until: until,
            kp: subject.kp,
            stormScale: subject.stormScale,
            headline: String(headline.prefix(Bulletin.headlineLengthMax))
        )
    }

    /// The meaning of a message code; nil for codes that are not about geomagnetic activity.
    private struct Subject {
        var kind: Bulletin.Kind
        var kp: Int?
        var stormScale: Int?

        init?(_ code: String) {
            guard code.utf8.count == 6, let number = Int(code.suffix(2)) else { return nil }
            switch code.prefix(4) {
            case "WARK": kind = .warning
            case "ALTK": kind = .alert
            case "WATA":
                kind = .watch
                // WATA20 is G1, WATA30 G2, WATA50 G3, WATA99 G4 and more.
                stormScale = [20: 1, 30: 2, 50: 3, 99: 4][number]
                return
            default: return nil
            }
            guard (0...9).contains(number) else { return nil }
            kp = number
            stormScale = number < 5 ? nil : number == 9 ? 5 : min(number - 4, 4)
        }
    }
}

extension Substring {
    fileprivate var trimmingSpaces: Substring {
        let head = drop { $0 == " " || $0 == "\t" }
        guard let end = head.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
        return head[...end]
    }
}

extension Timestamp {
    /// `2025 Apr 16 2313 UTC`
    fileprivate init?(bulletin text: Substring) {
        let words = text.split(separator: " ")
        guard words.count == 5, words[4] == "UTC", words[3].utf8.count == 4,
            let month = CivilTime.month(abbreviated: words[1])
        else { return nil }
        let clock = "\(words[3].prefix(2)):\(words[3].suffix(2)):00Z"
        func twoDigits(_ text: some StringProtocol) -> String {
            text.utf8.count < 2 ? "0\(text)" : String(text)
        }
        let date = "\(words[0])-\(twoDigits("\(month)"))-\(twoDigits(words[2]))"
        self.init(iso8601: "\(date)T\(clock)")
    }
}
