import CTables

/// The words of one language for the reason of a position. To add a language, add its section to
/// reasons.txt.
struct ReasonLanguage: Sendable {
    /// By ISO 639-1: the key in JSON.
    var code: String
    /// Numbers from 0, as words; greater ones are shown as digits.
    var numbers: [String]
    var `for`: Plural
    var against: Plural
    var neutral: Plural
    /// `{n}` is the number, `{stance}` the stance of all of them.
    var newOpinions: Plural
    /// `{n}` is the number, `{list}` has the number of each stance.
    var newOpinionsOfStances: Plural
    var changedSources: Plural
    var changedAuthors: Plural
    var replacedSources: Plural
    var newVoices: Plural
    /// Where none of the others applies.
    var expired: String

    struct Plural: Sendable {
        var one: String
        var many: String
    }

    /// Each section of the table is a language.
    static let all: [ReasonLanguage] = {
        let table = WordTable(varde_reasons())
        return table.sections.map { ReasonLanguage(code: $0, table) }
    }()

    /// - Precondition: The section of the language has an entry for each property.
    private init(code: String, _ table: WordTable) {
        let entries = table.rows(code).map { ($0[0], Array($0.dropFirst())) }
        let forms = Dictionary(uniqueKeysWithValues: entries)
        func texts(_ entry: String) -> [String] {
            let texts = forms[entry] ?? []
            precondition(!texts.isEmpty, "reasons.txt: \"\(code)\" has no \"\(entry)\"")
            return texts
        }
        func plural(_ entry: String) -> Plural {
            let texts = texts(entry)
            return Plural(one: texts[0], many: texts[texts.count - 1])
        }
        self.code = code
        numbers = texts("numbers")
        `for` = plural("for")
        against = plural("against")
        neutral = plural("neutral")
        newOpinions = plural("new opinions")
        newOpinionsOfStances = plural("new opinions of stances")
        changedSources = plural("changed sources")
        changedAuthors = plural("changed authors")
        replacedSources = plural("replaced sources")
        newVoices = plural("new voices")
        expired = texts("expired")[0]
    }
}
