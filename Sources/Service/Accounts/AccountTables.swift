/// Refresh tokens, logins that have ended, and accounts, inside one transaction or snapshot.
///
/// A domain that deletes a user ends the user's logins with `endLogins` in its own transaction.
package struct AccountTables: DomainTables {
    /// Migrations of the hub itself, which run before those of domains.
    package static let migrations = [Migration("accounts.1", sql: accounts1)]

    package let session: SQLSession
    package let path: String

    package init(_ session: SQLSession, path: String) {
        self.session = session
        self.path = path
    }

    // MARK: Refresh tokens

    package func insert(_ record: RefreshRecord) throws {
        try checked(record.user, record.family)
        try session.run(
            Self.insertToken,
            [
                record.hash, record.user, record.family, record.expiresAt.milliseconds,
                record.usedAt?.milliseconds,
            ]
        )
    }

    /// Returns the record of a hash, even if it is expired or used.
    package func record(hash: [UInt8]) throws -> RefreshRecord? {
        try session.row(Self.selectToken, [hash]).map { try RefreshRecord($0) }
    }

    /// Returns all records of a family, in no order.
    package func records(family: String) throws -> [RefreshRecord] {
        try session.rows(Self.selectFamily, [family]) { try RefreshRecord($0) }
    }

    /// - Returns: false if it did not exist.
    @discardableResult
    package func deleteRecord(hash: [UInt8]) throws -> Bool {
        try session.changes(Self.deleteToken, [hash]) == 1
    }

    /// - Returns: false if the token no longer exists.
    @discardableResult
    package func noteUse(of hash: [UInt8], at time: Timestamp) throws -> Bool {
        try session.changes(Self.useToken, [hash, time.milliseconds]) == 1
    }

    /// Returns the logins of a user that have refresh tokens, the one that expires last first. A
    /// user has few (`StoredAccounts`).
    package func logins(of user: String) throws -> [(family: String, expiresAt: Timestamp)] {
        try session.rows(Self.selectLogins, [user]) { (try $0[0], try $0.instant(1)) }
    }

    // MARK: Logins that have ended

    /// Ends a login: deletes its refresh tokens, and adds it to `endedLogins`.
    ///
    /// - Returns: the number of deleted tokens; 0 if there was no such login.
    @discardableResult
    package func endLogin(_ family: String, at time: Timestamp) throws -> Int {
        let count = try session.changes(Self.deleteFamily, [family])
        if count > 0 { try session.run(Self.insertEndedLogin, [family, time.milliseconds]) }
        return count
    }

    /// Ends the logins of a user except for the `count` logins that expire last.
    ///
    /// - Returns: the families of the ended logins.
    @discardableResult
    package func endLogins(
        of user: String,
        butLatest count: Int = 0,
        at time: Timestamp
    ) throws -> [String] {
        try checked(user)
        let old: [String] = try session.rows(Self.selectOldFamilies, [user, count]) { try $0[0] }
        for family in old { try endLogin(family, at: time) }
        return old
    }

    /// Returns the logins that ended after `time`, the latest first, at most `limit` of them.
    package func endedLogins(after time: Timestamp, limit: Int) throws -> [EndedLogin] {
        try session.rows(Self.selectEndedLogins, [time.milliseconds, limit]) {
            EndedLogin(family: try $0[0], endedAt: try $0.instant(1))
        }
    }

    // MARK: Accounts

    /// - Returns: false if there is no such account.
    package func deleteAccount(_ user: String) throws -> Bool {
        try checked(user)
        return try session.changes(Self.deleteAccountOfUser, [user]) == 1
    }

    /// Returns the whole row of an account, for the user; nil if there is none.
    package func storedAccount(_ user: String) throws -> StoredAccount? {
        try checked(user)
        return try session.row(Self.selectStoredAccount, [user]).map { row in
            StoredAccount(
                user: try row[0],
                provider: try row[1],
                subject: try row[2],
                name: try row[3],
                email: try row[4],
                createdAt: try row.instant(5)
            )
        }
    }

    /// SQLite truncates texts at the first U+0000, so two different texts could become one.
    func checked(_ texts: String?...) throws {
        for case .some(let text) in texts where text.utf8.contains(0) {
            throw StoreError(.constraint, "text with U+0000", path: path)
        }
    }
}

/// A row of the table `account`.
package struct StoredAccount: Sendable, Equatable {
    package var user: String
    package var provider: String
    /// The provider's name for the user.
    package var subject: String
    package var name: String
    package var email: String?
    package var createdAt: Timestamp
}

extension RefreshRecord {
    fileprivate init(_ row: SQLRow) throws {
        try self.init(
            hash: row[0],
            user: row[1],
            family: row[2],
            expiresAt: row.instant(3),
            usedAt: row.optionalInstant(4)
        )
    }
}
