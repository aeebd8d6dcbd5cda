import PubSub

/// One topic, such as `aurora:tromso`, or all that begin alike, such as `aurora:*`; `*` is every
/// topic.
struct TopicPattern: Sendable, Hashable {
    let text: String

    /// Nil for a text that is neither a topic nor ends in `:*`, and for a `*` anywhere else.
    init?(_ text: String) {
        guard (try? Topic(text)) != nil, !text.dropLast().contains("*"),
            !text.hasSuffix("*") || text == "*" || text.hasSuffix(":*")
        else { return nil }
        self.text = text
    }

    func matches(_ topic: Topic) -> Bool {
        text.hasSuffix("*") ? topic.name.hasPrefix(text.dropLast()) : topic.name == text
    }
}
