import ClientWire
import Loops
import Service

/// Revokes tokens and blocks users.
extension HubOperations {
    package func revoke(_ request: ServerAPIRequest.Revoking) async throws(ServerAPIError) {
        let now = HubClock.wall
        let revocations = shared.endedLogins.revocations
        let table = revocations.table
        guard let revocation = revocation(request, now: now).map(table.merged) else {
            guard case .unblock(let user) = request else { return }
            return try await unblock(user)
        }
        let expired = table.expired(now: now)
        let isNew = !table.contains(revocation.subject)
        let count = table.count - expired.count
        guard !isNew || count < RevocationTable.countMax else {
            throw ServerAPIError(
                .limitExceeded,
                "\(count) revocations over limit \(RevocationTable.countMax)"
            )
        }
        let row = StoredRevocations.row(revocation)
        // The row of a subject is deleted before it is replaced.
        try await commit(
            expired.filter { $0 != revocation.subject }.map(StoredRevocations.removal) + [row],
            .revoke(
                .init(key: row.key, value: row.value ?? []),
                expired: expired.map(StoredRevocations.key)
            )
        )
        // In a cluster the note of the commit has done it, at its place among those of other nodes.
        if !store.isShared {
            revocations.change { table in
                for subject in expired { table.remove(subject) }
                table.add(revocation)
            }
        }
        await end(revocation.subject)
        await cluster.settle()
    }

    /// Ends the logins of the hub's own accounts, and then the connections and subscriptions, that a
    /// revocation affects. New ones are already refused.
    private func end(_ subject: Revocation.Subject) async {
        let user = subject.user
        if let user {
            do { try await endLogins(user) } catch {
                logger.error("logins of a user not ended", metadata: ["err": "\(error)"])
            }
        }
        let ended = await transport.onEachLoop { $0.endRevoked(user: user) }
        logger.notice(
            "tokens revoked",
            metadata: [
                "user": "\(user ?? "")",
                "connections": .stringConvertible(ended.reduce(0) { $0 + $1.connections }),
                "subscriptions": .stringConvertible(ended.reduce(0) { $0 + $1.subscriptions }),
            ]
        )
    }

    private func unblock(_ user: String) async throws(ServerAPIError) {
        try await commit(
            [StoredRevocations.removal(of: .user(user))],
            .unblock(StoredRevocations.key(.user(user)))
        )
        if !store.isShared {
            shared.endedLogins.revocations.change { $0.remove(.user(user)) }
        }
        await cluster.settle()
        logger.notice("user unblocked", metadata: ["user": "\(user)"])
    }

    /// Returns nil for a request that lifts a revocation.
    private func revocation(
        _ request: ServerAPIRequest.Revoking,
        now: Timestamp
    ) -> Revocation? {
        switch request {
        case .token(let id, let end): Revocation(.token(id), expiresAt: end)
        case .tokens(let user, let before, let end):
            Revocation(.tokens(ofUser: user), before: before ?? now, expiresAt: end)
        case .block(let user, let end): Revocation(.user(user), expiresAt: end)
        case .unblock: nil
        }
    }

    /// Stores rows, and sends a command to the other nodes of a cluster in the same transaction.
    private func commit(
        _ rows: [StateRow],
        _ command: ClusterCommand
    ) async throws(ServerAPIError) {
        do {
            let notes = store.isShared ? [try command.note(from: node)] : []
            _ = try await store.commit(Change(state: rows, notes: notes))
        } catch {
            logger.warning("revocation not stored", metadata: ["err": "\(error)"])
            throw ServerAPIError(storing: error)
        }
    }
}
