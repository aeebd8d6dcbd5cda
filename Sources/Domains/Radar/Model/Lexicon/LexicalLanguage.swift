/// A language that the lexical interpretation supports.
package enum LexicalLanguage: String, CaseIterable, Sendable {
    case english = "en"
    /// Bokmål and nynorsk have one word list.
    case norwegian = "no"
    case swedish = "sv"
    case danish = "da"
    case german = "de"
    case french = "fr"
    case spanish = "es"

    /// Reads a code of ISO 639-1, in any case, or a tag that begins with one, such as `de-AT`
    /// (RFC 5646). Nil for other languages.
    package init?(tag: String) {
        let code = tag.lowercased().prefix { $0 != "-" }
        switch code {
        case "nb", "nn": self = .norwegian
        default: self.init(rawValue: String(code))
        }
    }

    /// The tags that `init(tag:)` reads, without regions.
    package static let tags = ["da", "de", "en", "es", "fr", "nb", "nn", "no", "sv"]
}
