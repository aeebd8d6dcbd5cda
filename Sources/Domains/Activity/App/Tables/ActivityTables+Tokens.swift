import Activity
import Store
import Timekeeping

/// A refresh token, of which only the hash is kept.
package struct RefreshTokenRow: Sendable, Equatable {
    /// Bytes of a hash: SHA-256.
    package static let hashLength = 32

    package var hash: [UInt8]
    package var personID: Int
    /// All tokens that came of one login, one after the other.
    package var family: String
    package var expiresAt: Timestamp
    /// When the next token of the family was given for it; nil for the one to use.
    package var usedAt: Timestamp?

    package init(
        hash: [UInt8],
        personID: Int,
        family: String,
        expiresAt: Timestamp,
        usedAt: Timestamp? = nil
    ) {
        self.hash = hash
        self.personID = personID
        self.family = family
        self.expiresAt = expiresAt
        self.usedAt = usedAt
    }
}

/// A login that was ended: none of its tokens opens anything any more.
package struct EndedLoginRow: Sendable, Equatable {
    /// Of its refresh tokens.
    package var family: String
    package var endedAt: Timestamp

    package init(family: String, endedAt: Timestamp) {
        self.family = family
        self.endedAt = endedAt
    }
}

extension ActivityTables {
    package func insert(_ token: RefreshTokenRow) throws {
        try checked(token.family)
        try run(
            ActivitySQL.insertToken,
            [
                token.hash, token.personID, token.family, token.expiresAt.milliseconds,
                token.usedAt?.milliseconds,
            ]
        )
    }

    /// The token of this hash, expired or used as it may be.
    package func refreshToken(hash: [UInt8]) throws -> RefreshTokenRow? {
        try row(ActivitySQL.selectToken, [hash]).map { RefreshTokenRow($0) }
    }

    /// All tokens of a family, in no order.
    package func refreshTokens(family: String) throws -> [RefreshTokenRow] {
        try rows(ActivitySQL.selectFamily, [family]) { RefreshTokenRow($0) }
    }

    /// - Returns: false when it was not there.
    @discardableResult
    package func deleteToken(hash: [UInt8]) throws -> Bool {
        try changes(ActivitySQL.deleteToken, [hash]) == 1
    }

    /// Notes that a token was used.
    ///
    /// - Returns: false when it is not there any more.
    @discardableResult
    package func noteUse(ofToken hash: [UInt8], at time: Timestamp) throws -> Bool {
        try changes(ActivitySQL.useToken, [hash, time.milliseconds]) == 1
    }

    /// Ends a login: none of its refresh tokens is known from then on, and `endedLogins` has it.
    ///
    /// - Returns: how many tokens there were; without any there was no such login.
    @discardableResult
    package func revoke(family: String, at time: Timestamp) throws -> Int {
        let count = try changes(ActivitySQL.deleteFamily, [family])
        if count > 0 { try run(ActivitySQL.insertEndedLogin, [family, time.milliseconds]) }
        return count
    }

    /// Ends the logins of a person, but for so many that expire last.
    ///
    /// - Returns: their families.
    @discardableResult
    package func revokeFamilies(
        of personID: Int,
        butLatest count: Int = 0,
        at time: Timestamp
    ) throws -> [String] {
        let old: [String] = try rows(ActivitySQL.selectOldFamilies, [personID, count]) { $0[0] }
        for family in old { try revoke(family: family, at: time) }
        return old
    }

    /// The logins that were ended after `time`, so many at most, the latest first.
    package func endedLogins(after time: Timestamp, limit: Int) throws -> [EndedLoginRow] {
        try rows(ActivitySQL.selectEndedLogins, [time.milliseconds, limit]) {
            EndedLoginRow(family: $0[0], endedAt: $0.instant(1))
        }
    }
}

extension RefreshTokenRow {
    fileprivate init(_ row: SQLRow) {
        self.init(
            hash: row[0],
            personID: row[1],
            family: row[2],
            expiresAt: row.instant(3),
            usedAt: row.optionalInstant(4)
        )
    }
}
