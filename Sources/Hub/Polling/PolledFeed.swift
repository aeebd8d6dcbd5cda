import Feeds
import HTTPWire
import Timekeeping

/// One upstream product: where it is, how it is polled, and what becomes of its body.
package struct PolledFeed: Sendable {
    package let name: String
    package let url: String
    package let policy: FeedPolicy
    package let format: FeedFormat
    /// Sent with every request, such as a key. They would follow a redirect to any host, so a feed with
    /// headers follows none.
    package let headers: HTTPHeaders
    /// What the answers lose without it.
    package let role: FeedRole
    /// Decodes the body and commits what it changes together with the validators. An error is the reason
    /// why the body was refused; nothing has changed then.
    package let apply: @Sendable (FeedBody, FeedValidators) async throws -> Void
    /// Commits new validators of data that has not changed.
    package let keep: @Sendable (FeedValidators) async throws -> Void
    /// Called after every poll, whatever came of it.
    package var settle: @Sendable () async -> Void
    /// How old the data are by their own word, asked after every body that was taken.
    package var freshness: @Sendable () -> DataFreshness?
    /// When the upstream may be asked again by the word of the body that was taken last, beside its headers.
    package var notBefore: @Sendable () -> Timestamp?
    /// Called before every request. A time means that the request may not be sent before it; nil that
    /// it is sent at once, and that whatever it costs has been stored.
    package var holdOff: @Sendable () async -> Timestamp?

    package init(
        name: String,
        url: String,
        policy: FeedPolicy,
        format: FeedFormat = .json,
        headers: HTTPHeaders = [:],
        role: FeedRole = .required,
        apply: @escaping @Sendable (FeedBody, FeedValidators) async throws -> Void,
        keep: @escaping @Sendable (FeedValidators) async throws -> Void,
        settle: @escaping @Sendable () async -> Void = {},
        freshness: @escaping @Sendable () -> DataFreshness? = { nil },
        notBefore: @escaping @Sendable () -> Timestamp? = { nil },
        holdOff: @escaping @Sendable () async -> Timestamp? = { nil }
    ) {
        precondition(headers.isEmpty || policy.redirectsMax == 0)
        self.name = name
        self.url = url
        self.policy = policy
        self.format = format
        self.headers = headers
        self.role = role
        self.apply = apply
        self.keep = keep
        self.settle = settle
        self.freshness = freshness
        self.notBefore = notBefore
        self.holdOff = holdOff
    }
}

/// The content of a response, and what the upstream calls it.
package struct FeedBody: Sendable, Equatable {
    package var bytes: [UInt8]
    /// `Content-Type`, as sent.
    package var contentType: String?

    package init(_ bytes: [UInt8], contentType: String? = nil) {
        self.bytes = bytes
        self.contentType = contentType
    }
}
