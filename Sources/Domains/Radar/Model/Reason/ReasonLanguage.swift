/// The words of one language for the reason of a position. To add a language, add its table to `all`.
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

    static let all = [english, norwegian]

    private static let english = ReasonLanguage(
        code: "en",
        numbers: [
            "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
            "eleven", "twelve",
        ],
        for: Plural(one: "for", many: "for"),
        against: Plural(one: "against", many: "against"),
        neutral: Plural(one: "neutral", many: "neutral"),
        newOpinions: Plural(one: "{n} new opinion {stance}", many: "{n} new opinions {stance}"),
        newOpinionsOfStances: Plural(
            one: "{n} new opinion ({list})",
            many: "{n} new opinions ({list})"
        ),
        changedSources: Plural(
            one: "{n} source changed its mind",
            many: "{n} sources changed their mind"
        ),
        changedAuthors: Plural(
            one: "{n} author changed their mind",
            many: "{n} authors changed their mind"
        ),
        replacedSources: Plural(
            one: "{n} source has a new model or question",
            many: "{n} sources have a new model or question"
        ),
        newVoices: Plural(
            one: "{n} new source or author",
            many: "{n} new sources or authors"
        ),
        expired: "older opinions expired"
    )

    private static let norwegian = ReasonLanguage(
        code: "nb",
        numbers: [
            "ingen", "én", "to", "tre", "fire", "fem", "seks", "sju", "åtte", "ni", "ti", "elleve",
            "tolv",
        ],
        for: Plural(one: "for", many: "for"),
        against: Plural(one: "mot", many: "mot"),
        neutral: Plural(one: "nøytral", many: "nøytrale"),
        newOpinions: Plural(one: "{n} ny mening {stance}", many: "{n} nye meninger {stance}"),
        newOpinionsOfStances: Plural(
            one: "{n} ny mening ({list})",
            many: "{n} nye meninger ({list})"
        ),
        changedSources: Plural(
            one: "{n} kilde skiftet mening",
            many: "{n} kilder skiftet mening"
        ),
        changedAuthors: Plural(
            one: "{n} forfatter skiftet mening",
            many: "{n} forfattere skiftet mening"
        ),
        replacedSources: Plural(
            one: "{n} kilde har ny modell eller nytt spørsmål",
            many: "{n} kilder har ny modell eller nytt spørsmål"
        ),
        newVoices: Plural(
            one: "{n} ny kilde eller forfatter",
            many: "{n} nye kilder eller forfattere"
        ),
        expired: "eldre meninger er utløpt"
    )
}
