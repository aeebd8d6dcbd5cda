/// The words of a date in any order.
struct DateWords {
    typealias Word = Substring.UTF8View

    private(set) var year: Int?
    private(set) var month: Int?
    private(set) var day: Int?
    private(set) var time: DateTime?
    private(set) var offset: Int?
    private var count = 0

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ].map { letters($0.utf8) }
    private static let weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
        .map { letters($0.utf8) }

    /// The first three letters in lower case, as one number.
    private static func letters(_ word: some Sequence<UInt8>) -> UInt32 {
        word.prefix(3).reduce(0) { $0 << 8 | UInt32($1 | 0x20) }
    }

    /// False if no date has the word.
    mutating func add(_ word: Word) -> Bool {
        count += 1
        if let first = word.first, isDigit(first) {
            guard word.contains(UInt8(ascii: ":")) else { return addNumbers(word) }
            var scanner = DateScanner(Substring(word))
            guard time == nil, let value = scanner.time() else { return false }
            time = value
            return scanner.isAtEnd || addZone(scanner.rest)
        }
        let letters = DateWords.letters(word)
        if month == nil, let index = DateWords.months.firstIndex(of: letters) {
            month = index + 1
            return true
        }
        // `Thu`, `Thursday`, `Thu.`; a name of another language can only be the first word.
        if DateWords.weekdays.contains(letters) || (count == 1 && day == nil) { return true }
        return addZone(String(Substring(word)))
    }

    private mutating func addZone(_ text: String) -> Bool {
        // A second one is a comment such as `(CET)`.
        guard offset == nil else { return true }
        guard let minutes = FeedDate.zone(text) else { return false }
        offset = minutes
        return true
    }

    /// `31`, `2003`, `03`, `2006/09/15`, `31-Dec-2003`.
    private mutating func addNumbers(_ word: Word) -> Bool {
        let parts = word.split { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "/") }
        guard parts.count == 3 else { return addNumber(word) }
        if let month = Int(Substring(parts[1])) {
            guard self.month == nil, parts[0].count == 4 else { return false }
            self.month = month
            return addNumber(parts[0]) && addNumber(parts[2])
        }
        return addNumber(parts[0]) && add(parts[1]) && addNumber(parts[2])
    }

    private mutating func addNumber(_ word: Word) -> Bool {
        guard word.allSatisfy(isDigit), let number = Int(Substring(word)) else { return false }
        if day == nil, word.count <= 2 {
            day = number
            return true
        }
        guard year == nil, word.count == 2 || word.count == 4 else { return false }
        // RFC 822 had two digits. Feeds are younger than 1990.
        year = word.count == 4 ? number : number + (number < 90 ? 2000 : 1900)
        return true
    }
}

func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
}

func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
