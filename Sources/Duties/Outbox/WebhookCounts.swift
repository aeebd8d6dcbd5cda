/// Counters of the attempts to deliver webhooks.
package struct WebhookCounts: Sendable {
    package enum Result: String, CaseIterable, Sendable {
        case delivered
        /// A further attempt follows.
        case failed
        /// The last attempt has failed.
        case exhausted
        /// The endpoint answered that it is gone.
        case gone
    }

    /// Why messages were dropped other than by failed attempts.
    package enum DropReason: String, CaseIterable, Sendable {
        /// Too many messages waited for the endpoint, or this one for too long.
        case bounds
        /// The message's content was erased.
        case erased
    }

    package var attempts: [Result: UInt64] = [:]
    package var dropped: [DropReason: UInt64] = [:]

    package init() {}
}
