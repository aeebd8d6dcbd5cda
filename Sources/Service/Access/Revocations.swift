/// The part of a verified token that a revocation can name.
package struct TokenMark: Sendable, Equatable {
    /// `jti`; nil for a token without one.
    package let id: String?
    /// `iat`, in whole seconds.
    package let issuedAt: Timestamp?

    package init(id: String?, issuedAt: Timestamp?) {
        self.id = id
        self.issuedAt = issuedAt
    }

    package init(_ claims: ConnectionClaims) {
        self.init(id: claims.tokenID, issuedAt: claims.issuedAt)
    }

    package init(_ claims: SubscriptionClaims) {
        self.init(id: claims.tokenID, issuedAt: claims.issuedAt)
    }
}

/// A revocation by an operator: of one token, of the older tokens of a user, or of a user.
package struct Revocation: Sendable, Equatable {
    package enum Subject: Hashable, Sendable {
        /// The token with this `jti`.
        case token(String)
        /// The tokens of this user that were issued before a time.
        case tokens(ofUser: String)
        /// The user, whatever the token.
        case user(String)
    }

    package var subject: Subject
    /// Used only with `tokens`.
    package var before: Timestamp?
    /// When the revocation ends; nil for never.
    package var expiresAt: Timestamp?

    package init(_ subject: Subject, before: Timestamp? = nil, expiresAt: Timestamp? = nil) {
        self.subject = subject
        self.before = before
        self.expiresAt = expiresAt
    }
}

/// All revocations, as a value.
package struct RevocationTable: Sendable {
    /// The maximum number of revocations. Another one is refused: no revocation is removed to make
    /// room.
    package static let countMax = 1 << 16

    private var entries: [Revocation.Subject: Revocation] = [:]

    package init() {}

    package var count: Int { entries.count }

    package func contains(_ subject: Revocation.Subject) -> Bool { entries[subject] != nil }

    /// Adds a revocation. It replaces an existing one of the same subject, but of two times for the
    /// tokens of a user, the later one stays.
    package mutating func add(_ revocation: Revocation) {
        entries[revocation.subject] = merged(revocation)
    }

    /// The entry of the table after adding a revocation.
    package func merged(_ revocation: Revocation) -> Revocation {
        var merged = revocation
        if let former = entries[revocation.subject]?.before {
            merged.before = max(former, revocation.before ?? former)
        }
        return merged
    }

    package mutating func remove(_ subject: Revocation.Subject) { entries[subject] = nil }

    /// The subjects of the revocations that have ended.
    package func expired(now: Timestamp) -> [Revocation.Subject] {
        entries.values.filter { $0.expiresAt.map { $0 <= now } ?? false }.map(\.subject)
    }

    /// Whether a token of a user is revoked.
    ///
    /// - Parameter user: empty for a client without an account, which cannot be blocked.
    package func refuses(_ mark: TokenMark, of user: String, now: Timestamp) -> Bool {
        guard !entries.isEmpty else { return false }
        if let id = mark.id, holds(.token(id), now) != nil { return true }
        guard !user.isEmpty else { return false }
        if holds(.user(user), now) != nil { return true }
        guard let before = holds(.tokens(ofUser: user), now)?.before else { return false }
        // A token without `iat` may be older.
        return mark.issuedAt.map { $0 < before } ?? true
    }

    package func isBlocked(_ user: String, now: Timestamp) -> Bool {
        holds(.user(user), now) != nil
    }

    private func holds(_ subject: Revocation.Subject, _ now: Timestamp) -> Revocation? {
        entries[subject].flatMap { entry in
            entry.expiresAt.map { now < $0 } ?? true ? entry : nil
        }
    }
}

/// The revocations in force, for the routes of all domains and for every loop. The store has the
/// same ones.
///
/// May be called from any thread.
package final class Revocations: Sendable {
    private let state = Locked(RevocationTable())

    package init() {}

    package var table: RevocationTable { state.withLock { $0 } }

    package func change(_ body: (inout RevocationTable) -> Void) { state.withLock { body(&$0) } }

    /// - Throws: `TokenError.revoked`.
    package func check(_ mark: TokenMark, of user: String, now: Timestamp) throws(TokenError) {
        if refuses(mark, of: user, now: now) { throw .revoked }
    }

    package func refuses(_ mark: TokenMark, of user: String, now: Timestamp) -> Bool {
        state.withLock { $0.refuses(mark, of: user, now: now) }
    }

    package func isBlocked(_ user: String, now: Timestamp) -> Bool {
        state.withLock { $0.isBlocked(user, now: now) }
    }
}
