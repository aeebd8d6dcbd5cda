extension HubStore {
    /// The same as `init`, without blocking the caller's thread.
    package static func opened(
        _ options: StoreOptions,
        wall: Timestamp,
        newEpoch: String
    ) async throws -> HubStore {
        try await onOwnThread { try HubStore(options, wall: wall, newEpoch: newEpoch) }
    }

    static func engine(
        _ options: StoreOptions,
        wall: Timestamp,
        newEpoch: String,
        _ notices: StoreNotices,
        onFault: @escaping @Sendable (StoreError) -> Void
    ) throws -> any StoreEngine {
        if let target = PostgresTarget(options.path) {
            let engine = try PostgresEngine(
                options,
                target,
                wall: wall,
                newEpoch: newEpoch,
                onFault: onFault
            )
            if let roles = engine.strangers {
                notices.report(.openToOthers(path: engine.path, roles: roles))
            }
            return engine
        }
        guard !PostgresTarget.isURL(options.path) else {
            throw StoreError(
                .cannotOpen,
                "schema is not a name of 1 to 63 lower-case letters, digits and _",
                path: "database"
            )
        }
        guard options.cluster == nil else {
            throw StoreError(
                .cannotOpen,
                "a cluster needs a database in PostgreSQL: postgresql://…",
                path: "database"
            )
        }
        return try SQLiteEngine(
            options,
            wall: wall,
            newEpoch: newEpoch,
            notices: notices,
            onFault: onFault
        )
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
