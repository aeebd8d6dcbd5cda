import Feeds

/// One upstream product: where it is, how it is polled, and what becomes of its body.
package struct PolledFeed: Sendable {
    package let name: String
    package let url: String
    package let policy: FeedPolicy
    /// Decodes the body and commits what it changes together with the validators. An error is the reason
    /// why the body was refused; nothing has changed then.
    package let apply: @Sendable ([UInt8], FeedValidators) async throws -> Void
    /// Commits new validators of data that has not changed.
    package let keep: @Sendable (FeedValidators) async throws -> Void
    /// Called after every poll, whatever came of it.
    package var settle: @Sendable () async -> Void
    /// How old the data are by their own word, asked after every body that was taken.
    package var freshness: @Sendable () -> DataFreshness?

    package init(
        name: String,
        url: String,
        policy: FeedPolicy,
        apply: @escaping @Sendable ([UInt8], FeedValidators) async throws -> Void,
        keep: @escaping @Sendable (FeedValidators) async throws -> Void,
        settle: @escaping @Sendable () async -> Void = {},
        freshness: @escaping @Sendable () -> DataFreshness? = { nil }
    ) {
        self.name = name
        self.url = url
        self.policy = policy
        self.apply = apply
        self.keep = keep
        self.settle = settle
        self.freshness = freshness
    }
}
