/// The words of one language for the reason of a position. To add a language, add its table to `all`.
struct ReasonLanguage: Sendable {
    /// By ISO 639-1: the key in JSON.
    var code: String
    /// Numbers from 0, as words; greater ones are shown as digits.
    var numbers: [String]
    var for_: String
    var against: String
    var neutral: String
    /// `{n}` is the number, `{stances}` a list such as "against" or "for and one against".
    var newOpinions: Plural
    var changedSources: Plural
    var changedAuthors: Plural
    var replacedSources: Plural
    var newVoices: Plural
    var and: String
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
        for_: "for",
        against: "against",
        neutral: "neutral",
        newOpinions: Plural(one: "{n} new opinion {stances}", many: "{n} new opinions {stances}"),
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
            one: "{n} answered for the first time",
            many: "{n} answered for the first time"
        ),
        and: "and",
        expired: "older opinions expired"
    )

    private static let norwegian = ReasonLanguage(
        code: "nb",
        numbers: [
            "ingen", "én", "to", "tre", "fire", "fem", "seks", "sju", "åtte", "ni", "ti", "elleve",
            "tolv",
        ],
        for_: "for",
        against: "mot",
        neutral: "nøytral",
        newOpinions: Plural(one: "{n} ny mening {stances}", many: "{n} nye meninger {stances}"),
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
        newVoices: Plural(one: "{n} svarte for første gang", many: "{n} svarte for første gang"),
        and: "og",
        expired: "eldre meninger er utløpt"
    )
}
