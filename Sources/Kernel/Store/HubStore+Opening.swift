import Timekeeping

extension HubStore {
    /// The same as `init`, without blocking the caller's thread.
    package static func opened(
        _ options: StoreOptions,
        wall: Timestamp,
        newEpoch: String
    ) async throws -> HubStore {
        try await onOwnThread { try HubStore(options, wall: wall, newEpoch: newEpoch) }
    }
}

extension TopicCounters {
    /// Continues with the store's last state.
    init(_ identity: StoreIdentity, limits: StoreLimits) {
        self.init(
            lastCursor: identity.lastCursor,
            rowCursor: identity.rowCursor,
            forgotten: identity.forgotten,
            limits: limits
        )
    }
}
