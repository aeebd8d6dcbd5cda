/// The fields that the events of each domain have, and the languages of their texts. Rules that
/// name other fields or languages are rejected.
package struct AlertVocabulary: Sendable {
    private let fields: [String: Set<String>]
    private let languages: [String: [String]]

    /// - Parameters:
    ///   - fields: by the namespace of the domain's topics.
    ///   - languages: by the same namespace; none for a domain whose headlines are
    ///     language-neutral.
    package init(_ fields: [String: Set<String>] = [:], languages: [String: [String]] = [:]) {
        self.fields = fields
        self.languages = languages
    }

    /// Returns the fields of the events of these topics; nil for a pattern that does not belong to
    /// exactly one known domain.
    package func fields(ofTopics topics: String) -> Set<String>? {
        fields[namespace(topics)]
    }

    /// Returns the languages that a rule for these topics can choose; for a pattern that covers
    /// several domains, the languages of all of them.
    package func languages(ofTopics topics: String) -> [String] {
        let namespace = namespace(topics)
        guard namespace.contains("*") else { return languages[namespace] ?? [] }
        return Set(languages.values.joined()).sorted()
    }

    private func namespace(_ topics: String) -> String { String(topics.prefix { $0 != ":" }) }
}
