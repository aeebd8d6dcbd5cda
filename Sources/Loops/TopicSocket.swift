import ClientWire
import Core

/// A path whose WebSockets receive the publications of one topic as text messages, and send
/// nothing.
package struct TopicSocket: Sendable {
    /// Reads a token that only this socket accepts, as `?token=`.
    ///
    /// Nil for a token of another kind, which is then verified as an access token. The result names
    /// the reader.
    package typealias Admission =
        @Sendable (
            _ name: Substring, _ token: String, _ now: Timestamp
        ) throws(TokenError) -> ConnectionClaims?

    /// The start of the path; the rest names the topic.
    package let prefix: String
    /// The name of the rest in descriptions of the path, such as `id`.
    package let parameter: String
    /// The name of its connections in logs and metrics.
    package let name: String
    /// The answer if the topic does not exist.
    package let notFound: String
    package let admission: Admission
    /// Nil if readers receive only publications.
    package let opening: TopicSocketOpening?
    /// The topic that requires the right to read, and the topic whose publications are sent; nil
    /// for a name that no topic can have.
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

/// The first messages of a topic socket's readers, before its publications.
///
/// **Order.** A reader is subscribed before `read` is called, and receives nothing until `read`
/// delivers. `read` must deliver while no publication of the topic can be committed: at a moment
/// when the whole content of its messages has been posted to the loops, and nothing else. The
/// delivery takes its place in the loop's mailbox among the publications: the messages contain
/// those before it, and those after it follow them. So there is neither a gap nor a duplicate
/// between the two.
package struct TopicSocketOpening: Sendable {
    package struct Request: Sendable {
        /// The part of the path after the socket's prefix.
        package let name: String
        /// The value of `?since=`; nil if there is none.
        package let since: String?
        /// The reader, for taking turns: a user, or the network of a client without credentials.
        package let reader: [UInt8]
    }

    /// Messages for one reader, in order.
    package typealias Delivery = @Sendable (_ messages: [[UInt8]]) -> Void

    /// The error in a value of `?since=`; nil for a valid one.
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

/// Why a topic socket is closed before its first message.
package struct TopicSocketRefusal: Error {
    package let code: DisconnectCode

    package init(_ code: DisconnectCode) { self.code = code }
}
