import Aurora
import Feeds

/// One upstream product: where it is, how it is polled, and what becomes of its body.
struct PolledFeed: Sendable {
    let name: String
    let url: String
    let policy: FeedPolicy
    /// Decodes the body and commits what it changes together with the validators. An error is the reason
    /// why the body was refused; nothing has changed then.
    let apply: @Sendable ([UInt8], FeedValidators) async throws -> Void
    /// Commits new validators of data that has not changed.
    let keep: @Sendable (FeedValidators) async throws -> Void
    /// Called after every poll, whatever came of it.
    var settle: @Sendable () async -> Void = {}
    /// How old the data are by their own word, asked after every body that was taken.
    var freshness: @Sendable () -> DataFreshness? = { nil }
}
