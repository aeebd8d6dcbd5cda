import PubSub
import Timekeeping
import Tokens

/// A path whose WebSockets get the publications of one topic as text messages, and say nothing.
package struct TopicSocket: Sendable {
    /// Reads a token that only this socket accepts, as `?token=`.
    ///
    /// Nil for a token of another kind, which is verified as an access token then. The result names the reader.
    package typealias Admission =
        @Sendable (
            _ name: Substring, _ token: String, _ now: Timestamp
        ) throws(TokenError) -> ConnectionClaims?

    /// Of the path; what follows names the topic.
    package let prefix: String
    /// How descriptions of the path name what follows, such as `id`.
    package let parameter: String
    /// Of its connections, in logs and metrics.
    package let name: String
    /// What is answered where no such topic is.
    package let notFound: String
    package let admission: Admission
    /// Nil if readers get nothing but publications.
    package let opening: TopicSocketOpening?
    /// The topic that one has to be allowed to read, and the one whose publications are sent; nil for a name that no
    /// topic can have.
    package let topics: @Sendable (_ name: Substring) -> (readable: Topic, sent: Topic)?

    package init(
        prefix: String,
        parameter: String,
        name: String,
        notFound: String,
        admission: @escaping Admission = { _, _, _ in nil },
        opening: TopicSocketOpening? = nil,
        topics: @escaping @Sendable (_ name: Substring) -> (readable: Topic, sent: Topic)?
    ) {
        self.prefix = prefix
        self.parameter = parameter
        self.name = name
        self.notFound = notFound
        self.admission = admission
        self.opening = opening
        self.topics = topics
    }
}

/// What the readers of a topic socket get before its publications.
///
/// **Order.** A reader is subscribed before `read` is called, and gets nothing until `read` delivers. `read` has to
/// deliver while nothing of the topic can be committed: at a moment when all that its messages contain has been
/// posted to the loops, and nothing else. The delivery takes its place in the loop's mailbox among the
/// publications: those before it are in the messages, those behind it follow them. So there is neither a gap nor a
/// duplicate between the two.
package struct TopicSocketOpening: Sendable {
    package struct Request: Sendable {
        /// What follows the socket's prefix.
        package let name: String
        /// The value of `?since=`; nil if there is none.
        package let since: String?
        /// Who reads, for taking turns: a user, or a network of clients without credentials.
        package let reader: [UInt8]
    }

    /// Messages for one reader, in order.
    package typealias Delivery = @Sendable (_ messages: [[UInt8]]) -> Void

    /// What is wrong with a value of `?since=`; nil for a good one.
    package let problemOfPosition: @Sendable (_ since: String) -> String?
    /// Calls `deliver` once, or throws. The loop does not wait for it.
    package let read:
        @Sendable (_ request: Request, _ deliver: @escaping Delivery) async throws -> Void

    package init(
        problemOfPosition: @escaping @Sendable (_ since: String) -> String?,
        read:
            @escaping @Sendable (_ request: Request, _ deliver: @escaping Delivery) async throws ->
            Void
    ) {
        self.problemOfPosition = problemOfPosition
        self.read = read
    }
}
