/// Where in the JSON of some service an opinion's fields are found, and which of its words mean which
/// stance.
///
/// Fields are paths of names with dots between them, from the item on; a number in a path counts the
/// elements of an array from 0.
package struct JSONMapping: Sendable, Equatable {
    /// The array of the items, from the top on; empty when the whole text is that array.
    package var items: String
    package var stance: String
    package var content: String
    /// Nil where the service has no such field.
    package var id: String?
    package var confidence: String?
    package var author: String?
    package var model: String?
    package var reasoning: String?
    /// Upper and lower case do not count. A number or a truth value is compared as it is written.
    package var forWords: [String]
    package var againstWords: [String]
    package var neutralWords: [String]

    package static let defaultForWords = [
        "for", "pro", "yes", "agree", "support", "favor", "favour",
    ]
    package static let defaultAgainstWords = ["against", "contra", "no", "disagree", "oppose"]
    package static let defaultNeutralWords = ["neutral", "undecided", "mixed", "abstain"]

    package init(
        items: String = "",
        stance: String = "stance",
        content: String = "content",
        id: String? = nil,
        confidence: String? = nil,
        author: String? = nil,
        model: String? = nil,
        reasoning: String? = nil,
        forWords: [String] = JSONMapping.defaultForWords,
        againstWords: [String] = JSONMapping.defaultAgainstWords,
        neutralWords: [String] = JSONMapping.defaultNeutralWords
    ) {
        self.items = items
        self.stance = stance
        self.content = content
        self.id = id
        self.confidence = confidence
        self.author = author
        self.model = model
        self.reasoning = reasoning
        self.forWords = forWords
        self.againstWords = againstWords
        self.neutralWords = neutralWords
    }

    /// The confidence of an opinion whose service states none: neither a guess nor a certainty.
    static let unstatedConfidence = 0.5

    /// The mapping in one text: two mappings that read differently differ in it.
    var signature: String {
        let paths =
            [items, stance, content]
            + [id, confidence, author, model, reasoning].map { $0 ?? "" }
        let words = [forWords, againstWords, neutralWords].map { $0.joined(separator: "\u{1F}") }
        return (paths + words).joined(separator: "\u{1E}")
    }

    /// The stance that a word stands for; nil for one that no list has, or more than one.
    func stance(of word: String) -> Stance? {
        let word = word.lowercased()
        let lists: [(Stance, [String])] = [
            (.for, forWords), (.against, againstWords), (.neutral, neutralWords),
        ]
        let matches = lists.filter { $0.1.contains { $0.lowercased() == word } }
        return matches.count == 1 ? matches[0].0 : nil
    }

    /// The value at `path`; nil when there is none.
    static func value(at path: String, in value: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        path.split(separator: ".").reduce(value) { value, name in
            value.flatMap { member(String(name), of: $0) }
        }
    }

    private static func member(
        _ name: String,
        of value: ArraySlice<UInt8>
    ) -> ArraySlice<UInt8>? {
        guard value.first == UInt8(ascii: "[") else { return JSONObject(value)?[name] }
        guard let index = Int(name), let elements = try? JSONReader.elements(of: value),
            elements.indices.contains(index)
        else { return nil }
        return elements[index]
    }
}
