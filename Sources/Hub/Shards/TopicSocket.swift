import PubSub

/// A path whose WebSockets get the publications of one topic as text messages, and say nothing.
package struct TopicSocket: Sendable {
    /// Of the path; what follows names the topic.
    package let prefix: String
    /// How descriptions of the path name what follows, such as `id`.
    package let parameter: String
    /// Of its connections, in logs and metrics.
    package let name: String
    /// What is answered where no such topic is.
    package let notFound: String
    /// The topic that one has to be allowed to read, and the one whose publications are sent; nil for a name that no
    /// topic can have.
    package let topics: @Sendable (_ name: Substring) -> (readable: Topic, sent: Topic)?

    package init(
        prefix: String,
        parameter: String,
        name: String,
        notFound: String,
        topics: @escaping @Sendable (_ name: Substring) -> (readable: Topic, sent: Topic)?
    ) {
        self.prefix = prefix
        self.parameter = parameter
        self.name = name
        self.notFound = notFound
        self.topics = topics
    }
}
