/// What came of attempts to deliver webhooks.
package struct WebhookCounts: Sendable {
    package enum Result: String, CaseIterable, Sendable {
        case delivered
        /// There will be another attempt.
        case failed
        /// That was the last attempt.
        case exhausted
        /// The endpoint wants no more of them.
        case gone
    }

    /// Why messages were given up without an attempt that failed.
    package enum DropReason: String, CaseIterable, Sendable {
        /// Too many waited for their endpoint, or for too long.
        case bounds
        /// What they tell was erased.
        case erased
    }

    package var attempts: [Result: UInt64] = [:]
    package var dropped: [DropReason: UInt64] = [:]

    package init() {}
}
