import PubSub

/// The fields that the events of each domain have, so that a rule that names another is refused and not for ever false.
package struct AlertVocabulary: Sendable {
    private let fields: [String: Set<String>]

    /// - Parameter fields: by the namespace of the domain's topics.
    package init(_ fields: [String: Set<String>] = [:]) {
        self.fields = fields
    }

    /// Nil for a pattern that is not of one known domain.
    package func fields(ofTopics topics: String) -> Set<String>? {
        fields[String(topics.prefix { $0 != ":" })]
    }
}
