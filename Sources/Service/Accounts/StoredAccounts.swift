/// Logins in the store, with the accounts of a directory.
package struct StoredAccounts: AccountStorage {
    private let store: HubStore
    private let directory: any AccountDirectory

    package init(store: HubStore, directory: any AccountDirectory) {
        self.store = store
        self.directory = directory
    }

    package func begin(_ login: NewLogin, familiesMax: Int) async throws -> BegunLogin {
        try await store.commit(AccountTables.self) { [directory] tables in
            let account = try directory.account(
                of: login.identity,
                newcomer: login.newcomer,
                tables.session,
                path: tables.path
            )
            try tables.insert(login.record(of: account.user))
            let ended = try tables.endLogins(
                of: account.user,
                butLatest: familiesMax,
                at: login.newcomer.at
            )
            return (Change(), BegunLogin(account: account, ended: ended))
        }
    }

    package func refresh(
        _ hash: [UInt8],
        at time: Timestamp,
        _ decide: @escaping @Sendable ([RefreshRecord]) -> RefreshDecision
    ) async throws -> (decision: RefreshDecision, account: Account?) {
        try await store.commit(AccountTables.self) { [directory] tables in
            let known = try tables.record(hash: hash)
            let family = try known.map { try tables.records(family: $0.family) } ?? []
            let decision = decide(family)
            switch decision {
            case .refuse: return (Change(), (decision, nil))
            case .revoke(let family, _):
                try tables.endLogin(family, at: time)
                return (Change(), (decision, nil))
            case .rotate(let rotation):
                let user = rotation.successor.user
                let account = try directory.account(user, tables.session, path: tables.path)
                guard account != nil else { return (Change(), (.refuse(.unknown), nil)) }
                for hash in rotation.forgotten { try tables.deleteRecord(hash: hash) }
                for record in rotation.used {
                    try tables.noteUse(of: record.hash, at: record.usedAt ?? time)
                }
                try tables.insert(rotation.successor)
                return (Change(), (decision, account))
            }
        }
    }

    package func removeFamily(
        of hash: [UInt8],
        at time: Timestamp
    ) async throws -> RefreshRecord? {
        try await store.commit(AccountTables.self) { tables in
            let record = try tables.record(hash: hash)
            if let record { try tables.endLogin(record.family, at: time) }
            return (Change(), record)
        }
    }

    package func account(of user: String) async throws -> Account? {
        try await store.read(AccountTables.self) { [directory] tables in
            try directory.account(user, tables.session, path: tables.path)
        }
    }

    /// For the accounts of `AccountTableDirectory`: a domain with users of its own deletes them.
    package func delete(_ user: String, at time: Timestamp) async throws -> [String]? {
        try await store.commit(AccountTables.self) { tables in
            guard try tables.deleteAccount(user) else { return (Change(), nil) }
            let families = try tables.endLogins(of: user, at: time)
            return (Change(state: [DeletedAccount(user: user, at: time).row]), families)
        }
    }

    package func endLogins(of user: String, at time: Timestamp) async throws -> [String] {
        try await store.commit(AccountTables.self) { tables in
            (Change(), try tables.endLogins(of: user, at: time))
        }
    }

    package func endedLogins(after time: Timestamp, limit: Int) async throws -> [EndedLogin] {
        try await store.read(AccountTables.self) {
            try $0.endedLogins(after: time, limit: limit)
        }
    }

    package func trimRefreshRecords(expiredBefore time: Timestamp) async throws {
        try await store.deletingInBatches(AccountTables.deleteExpiredTokens, [time.milliseconds])
    }

    package func trimEndedLogins(endedBefore time: Timestamp) async throws {
        try await store.deletingInBatches(AccountTables.deleteEndedLogins, [time.milliseconds])
    }
}
