/// The words of a date in any order.
struct DateWords {
    var year: Int?
    var month: Int?
    var day: Int?
    var time: DateTime?
    private var zone: DateZone?
    private var isAfternoon: Bool?

    /// `Thu, 01 Jan 2004 19:48:21 GMT`, and the same words in another order: `Thu Aug 30 17:26:16
    /// +0200 2012`. Nil if no date has one of the words.
    init?(_ words: [Substring]) {
        var words = words[...]
        // A weekday in any language. A word that could also be a month (`mar.`) is one only if no
        // other word is.
        if let first = words.first, !DateWords.beginsWithDigit(first),
            DateNames.month(first) == nil || words.dropFirst().contains(where: DateWords.namesMonth)
        {
            words.removeFirst()
        }
        for word in words { guard add(word) else { return nil } }
    }

    /// A date, with the words behind it.
    init?(year: Int, month: Int, day: Int, time: DateTime, _ words: [Substring]) {
        (self.year, self.month, self.day, self.time) = (year, month, day, time)
        for word in words { guard addName(word) else { return nil } }
    }

    /// Nil if a part is missing, or the parts are not a date.
    var instant: Timestamp? {
        // The web is younger: an earlier year stands for no date, such as 1970 and 1.
        let yearMin = 1990
        guard let year, let month, let day, year >= yearMin,
            let time = (time ?? DateTime(hour: 0, minute: 0, second: 0)).shifted(isAfternoon),
            let civil = CivilTime(
                year: year,
                month: month,
                day: day,
                hour: time.hour,
                minute: time.minute,
                second: time.second
            )
        else { return nil }
        let clock = Timestamp(civil, millisecond: time.millisecond)
        return (zone ?? .utc).instant(showing: clock)
    }

    private static func beginsWithDigit(_ word: Substring) -> Bool {
        word.utf8.first.map(isDigit) ?? false
    }

    /// `Nov`, and the month of `24-Nov-2026`.
    private static func namesMonth(_ word: Substring) -> Bool {
        word.split(whereSeparator: { "-/".contains($0) }).contains { DateNames.month($0) != nil }
    }

    private mutating func add(_ word: Substring) -> Bool {
        guard DateWords.beginsWithDigit(word) else { return addName(word) }
        guard word.contains(":") else { return addNumbers(word) }
        var scanner = DateScanner(word)
        guard time == nil, let value = scanner.time() else { return false }
        time = value
        return scanner.isAtEnd || addName(Substring(scanner.rest))
    }

    /// A month, a weekday, AM or PM, or a zone.
    private mutating func addName(_ word: Substring) -> Bool {
        if month == nil, let month = DateNames.month(word) {
            self.month = month
            return true
        }
        // Behind the time, `AT` is the zone of the Atlantic.
        let isZone = time != nil && DateZone(word) != nil
        if DateNames.isEnglishWeekday(word) || DateNames.isFiller(word) && !isZone { return true }
        if isAfternoon == nil, let isAfternoon = DateNames.isAfternoon(word) {
            self.isAfternoon = isAfternoon
            return true
        }
        return addZone(word.trimmingPrefix("(").prefix { $0 != ")" })
    }

    private mutating func addZone(_ text: Substring) -> Bool {
        let isOffset = text.hasPrefix("+") || text.hasPrefix("-")
        // A second one is a comment such as `(CET)`, unless both are one: `GMT +1`.
        guard zone == nil || (zone == .utc && isOffset) else { return true }
        guard let zone = DateZone(text) else { return false }
        self.zone = zone
        return true
    }

    /// `31`, `2003`, `03`, `31.`, `31st`, `2006/09/15`, `31-Dec-2003`, `31.12.2003`, `8pm`.
    private mutating func addNumbers(_ word: Substring) -> Bool {
        for separator in ["-", "/", "."] as [Character] {
            let parts = word.split(separator: separator)
            guard parts.count == 3 else { continue }
            guard Int(parts[1]) != nil else {
                return addNumber(parts[0]) && addName(parts[1]) && addNumber(parts[2])
            }
            // Only of these two forms is the order known.
            guard month == nil, let number = Int(parts[1]),
                parts[0].count == 4 || separator == "." && parts[2].count == 4
            else { return false }
            month = number
            return addNumber(parts[0]) && addNumber(parts[2])
        }
        return addNumber(word)
    }

    private mutating func addNumber(_ word: Substring) -> Bool {
        let digits = word.prefix { $0.isASCII && $0.isNumber }
        let suffix = word[digits.endIndex...]
        guard let number = Int(digits) else { return false }
        if let isAfternoon = DateNames.isAfternoon(suffix) {
            guard time == nil, self.isAfternoon == nil else { return false }
            time = DateTime(hour: number, minute: 0, second: 0)
            self.isAfternoon = isAfternoon
            return true
        }
        guard ["", ".", "st", "nd", "rd", "th", "er", "º"].contains(suffix) else { return false }
        if day == nil, digits.count <= 2 {
            day = number
            return true
        }
        guard year == nil, digits.count == 2 || digits.count == 4 else { return false }
        // RFC 822 had two digits. Feeds are younger than 1990.
        year = digits.count == 4 ? number : number + (number < 90 ? 2000 : 1900)
        return true
    }
}

extension DateTime {
    /// The time of a clock of 12 hours. Some clocks of 24 hours add PM to the hours that have it;
    /// nil for any other contradiction.
    fileprivate func shifted(_ isAfternoon: Bool?) -> DateTime? {
        guard let isAfternoon else { return self }
        guard isAfternoon ? hour > 0 : hour <= 12 else { return nil }
        var time = self
        if isAfternoon, hour < 12 { time.hour += 12 }
        if !isAfternoon, hour == 12 { time.hour = 0 }
        return time
    }
}

func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
}

func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
