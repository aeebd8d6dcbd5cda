/// The storage of logins. Each call is one transaction.
package protocol AccountStorage: Sendable {
    /// Finds or creates the account of an identity, and stores the first refresh token of a login.
    /// The account keeps the `familiesMax` logins that expire last; the others end at the time of
    /// the new login.
    func begin(_ login: NewLogin, familiesMax: Int) async throws -> BegunLogin

    /// Passes all records of the family that contains the hash to `decide`, or none if there is no
    /// such family, and carries out the decision. A token of a user without an account is refused
    /// as unknown.
    ///
    /// - Parameters:
    ///   - time: the time at which a revoked family ends.
    ///   - decide: may be called twice if the transaction is repeated; the last result counts.
    /// - Returns: the decision, and the account if the token is rotated.
    func refresh(
        _ hash: [UInt8],
        at time: Timestamp,
        _ decide: @escaping @Sendable ([RefreshRecord]) -> RefreshDecision
    ) async throws -> (decision: RefreshDecision, account: Account?)

    /// Ends the family that contains the hash.
    ///
    /// - Returns: the record of the hash; nil if there is none.
    func removeFamily(of hash: [UInt8], at time: Timestamp) async throws -> RefreshRecord?

    /// Returns the account of a user; nil if there is none.
    func account(of user: String) async throws -> Account?

    /// Deletes the account of a user, ends all logins, and stores the `DeletedAccount`.
    ///
    /// - Returns: the families of the logins; nil if the user has no account.
    func delete(_ user: String, at time: Timestamp) async throws -> [String]?

    /// Ends all logins of a user.
    ///
    /// - Returns: their families.
    func endLogins(of user: String, at time: Timestamp) async throws -> [String]

    /// The logins that ended after `time`, the latest first, at most `limit` of them.
    func endedLogins(after time: Timestamp, limit: Int) async throws -> [EndedLogin]

    /// Deletes the records that expired before `time`.
    func trimRefreshRecords(expiredBefore time: Timestamp) async throws

    /// Deletes the logins that ended before `time`.
    func trimEndedLogins(endedBefore time: Timestamp) async throws
}

/// A login before its account is known.
package struct NewLogin: Sendable, Equatable {
    package var identity: ProvidedIdentity
    package var newcomer: Newcomer
    /// The hash of the first refresh token.
    package var hash: [UInt8]
    package var family: String
    package var expiresAt: Timestamp

    package init(
        identity: ProvidedIdentity,
        newcomer: Newcomer,
        hash: [UInt8],
        family: String,
        expiresAt: Timestamp
    ) {
        self.identity = identity
        self.newcomer = newcomer
        self.hash = hash
        self.family = family
        self.expiresAt = expiresAt
    }

    package func record(of user: String) -> RefreshRecord {
        RefreshRecord(hash: hash, user: user, family: family, expiresAt: expiresAt)
    }
}

package struct BegunLogin: Sendable, Equatable {
    package var account: Account
    /// The families of the account that ended in favour of this login.
    package var ended: [String]

    package init(account: Account, ended: [String]) {
        self.account = account
        self.ended = ended
    }
}

/// A login that ended before its tokens expired.
package struct EndedLogin: Sendable, Equatable {
    /// The family of its refresh tokens.
    package var family: String
    package var endedAt: Timestamp

    package init(family: String, endedAt: Timestamp) {
        self.family = family
        self.endedAt = endedAt
    }
}
