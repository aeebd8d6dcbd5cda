import PubSub

/// The fields that the events of each domain have, and the languages of their texts: a rule that names another one is
/// refused.
package struct AlertVocabulary: Sendable {
    private let fields: [String: Set<String>]
    private let languages: [String: [String]]

    /// - Parameters:
    ///   - fields: by the namespace of the domain's topics.
    ///   - languages: the same; none for a domain whose headlines have no words of a language.
    package init(_ fields: [String: Set<String>] = [:], languages: [String: [String]] = [:]) {
        self.fields = fields
        self.languages = languages
    }

    /// Nil for a pattern that is not of one known domain.
    package func fields(ofTopics topics: String) -> Set<String>? {
        fields[namespace(topics)]
    }

    /// Those that a rule for these topics can choose. Of a pattern for several domains, those of all.
    package func languages(ofTopics topics: String) -> [String] {
        let namespace = namespace(topics)
        guard namespace.contains("*") else { return languages[namespace] ?? [] }
        return Set(languages.values.joined()).sorted()
    }

    private func namespace(_ topics: String) -> String { String(topics.prefix { $0 != ":" }) }
}
