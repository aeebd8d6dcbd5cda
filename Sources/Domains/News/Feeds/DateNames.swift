import CTables

/// The names of months in the languages of most feeds, and other words of dates.
enum DateNames {
    /// The month of a name in any of the languages, in full or shortened to three letters or more
    /// that no other month begins with; nil for other words.
    static func month(_ word: some StringProtocol) -> Int? { months[folded(word)] }

    /// `Thu`, `Thursday`, `Thu.`
    static func isEnglishWeekday(_ word: some StringProtocol) -> Bool {
        let word = folded(word)
        return word.count >= 3 && weekdays.contains { $0.hasPrefix(word) }
    }

    /// Words without a meaning of their own: `24 de noviembre`, `um 11:00 Uhr`.
    static func isFiller(_ word: some StringProtocol) -> Bool { fillers.contains(folded(word)) }

    /// Whether a word is AM (false) or PM (true).
    static func isAfternoon(_ word: some StringProtocol) -> Bool? {
        switch String(word.filter { $0 != "." }) {
        case "am": false
        case "pm": true
        default: nil
        }
    }

    private static let table = WordTable(varde_date_words(), sections: ["weekdays", "fillers"])
    private static let weekdays = table.words("weekdays")
    private static let fillers = Set(table.words("fillers"))

    /// Without accents and a dot at the end, in lower case.
    private static func folded(_ word: some StringProtocol) -> String {
        var folded = String(word.lowercased().map { letters[$0] ?? $0 })
        if folded.hasSuffix(".") { folded.removeLast() }
        return folded
    }

    private static let letters: [Character: Character] = {
        let groups: [(Character, String)] = [
            ("a", "áàâäãåăą"), ("c", "çćč"), ("d", "ď"), ("e", "éèêëěę"), ("g", "ğ"),
            ("i", "íìîïıi̇"), ("l", "łľ"), ("n", "ñńň"), ("o", "óòôöõőø"), ("r", "řŕ"),
            ("s", "śšşș"), ("t", "ťţț"), ("u", "úùûüůű"), ("y", "ýÿ"), ("z", "źżž"),
            ("α", "ά"), ("ε", "έ"), ("η", "ή"), ("ι", "ίϊΐ"), ("ο", "ό"), ("υ", "ύϋ"), ("ω", "ώ"),
        ]
        var letters: [Character: Character] = [:]
        for (letter, accented) in groups { for other in accented { letters[other] = letter } }
        return letters
    }()

    private static let months: [String: Int] = {
        var names: [String: Int] = [:]
        // 0 marks a beginning that months have in common.
        var beginnings: [String: Int] = ["mar": 3]
        let table = WordTable(varde_months())
        for language in table.sections {
            for (index, forms) in table.rows(language).enumerated() {
                for form in forms {
                    let (name, month) = (folded(form), index + 1)
                    names[name] = month
                    for length in 3..<max(3, name.count) {
                        let beginning = String(name.prefix(length))
                        if beginning == "mar" { continue }
                        let known = beginnings[beginning, default: month]
                        beginnings[beginning] = known == month ? month : 0
                    }
                }
            }
        }
        return beginnings.filter { $0.value > 0 }.merging(names) { $1 }
    }()
}
