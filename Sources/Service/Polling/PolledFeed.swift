import Wire

/// One upstream product: its URL, its polling policy, and the functions that process its body.
package struct PolledFeed: Sendable {
    package let name: String
    package let url: String
    package let policy: FeedPolicy
    package let format: FeedFormat
    /// Headers sent with every request, such as a key. They would follow a redirect to any host, so
    /// a feed with headers follows none.
    package let headers: HTTPHeaders
    /// The effect on the answers when the feed has no fresh data.
    package let role: FeedRole
    /// Decodes the body and commits its changes together with the validators. An error is the
    /// reason why the body was refused; nothing has changed in that case.
    package let apply: @Sendable (FeedBody, FeedValidators) async throws -> Void
    /// Commits new validators of data that has not changed.
    package let keep: @Sendable (FeedValidators) async throws -> Void
    /// Called after every poll, whatever its result.
    package var settle: @Sendable () async -> Void
    /// Returns the age of the data as stated by the data. Called after every accepted body.
    package var freshness: @Sendable () -> DataFreshness?
    /// Returns the earliest time of the next request as stated by the last accepted body, in
    /// addition to its headers.
    package var notBefore: @Sendable () -> Timestamp?
    /// Returns the time from which the feed is polled at `FeedPolicy.hastenedInterval`, because the
    /// data of its input are about to become too old. Called before every wait.
    package var neededFrom: @Sendable () -> Timestamp?
    /// Called before every request. A returned time means that the request may not be sent before
    /// it. Nil means that it is sent at once, and that its cost, if any, has been stored.
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
        neededFrom: @escaping @Sendable () -> Timestamp? = { nil },
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
        self.neededFrom = neededFrom
        self.holdOff = holdOff
    }
}

/// The content of a response with its declared type.
package struct FeedBody: Sendable, Equatable {
    package var bytes: [UInt8]
    /// `Content-Type`, as sent.
    package var contentType: String?

    package init(_ bytes: [UInt8], contentType: String? = nil) {
        self.bytes = bytes
        self.contentType = contentType
    }
}
