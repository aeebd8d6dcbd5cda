import CTables

/// Words that make a name the name of a company.
enum FinanceContext {
    private static let table = WordTable(
        varde_business_words(),
        sections: [
            "nouns", "affairs", "matters", "verbs", "weak verbs", "plural verbs", "infinitives",
            "heads", "legal forms", "roles", "function words",
        ]
    )

    private static func words(_ section: String) -> Set<String> { Set(table.words(section)) }

    /// Words about a company's business, next to its name or anywhere in the text.
    static let nouns = words("nouns")
    /// Further words about business anywhere in the text. Next to a name they show nothing.
    static let affairs = words("affairs")
    /// Further words about business, which make no common word a name.
    static let matters = words("matters")

    /// Actions of companies, right after their name.
    static let verbs = weakVerbs.union(words("verbs"))
    /// Those that people and things have as well: they count only with another word about business.
    static let weakVerbs = words("weak verbs")
    /// Actions of several companies, right after the last of their names.
    static let pluralVerbs = words("plural verbs")
    /// Plans of companies: `to hire`.
    static let infinitives = words("infinitives")

    /// Heads of companies, right after their name.
    static let heads = words("heads")
    static let legalForms = words("legal forms")
    /// Kinds of companies, right before their name.
    static let roles = words("roles")
    /// Words with a capital letter in titles that belong to no name.
    static let functionWords = words("function words")
}

/// Words around names of companies that are also words, by the names.
extension FinanceContext {
    private static let contexts = WordTable(
        varde_company_contexts(),
        sections: ["hints", "airlines", "airline words", "words before", "words after"]
    )

    private static func context(_ section: String) -> [String: Set<String>] {
        Dictionary(
            uniqueKeysWithValues: contexts.rows(section).map { ($0[0], Set($0.dropFirst())) }
        )
    }

    /// Before these, a word is only a word: `gap between`, `target price`.
    static let blockedAfter = context("words after")
    static let blockedBefore = context("words before")

    /// Words that belong to one company, anywhere in the text.
    static let hints: [String: Set<String>] = {
        var hints = context("hints")
        for airline in contexts.words("airlines") {
            hints[airline, default: []].formUnion(contexts.words("airline words"))
        }
        return hints
    }()
}
