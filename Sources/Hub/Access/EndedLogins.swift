import Locking
import Timekeeping
import Tokens

/// The logins that have ended while access tokens of theirs may still be valid.
///
/// An access token cannot be taken back from a client. But it names its login (`ConnectionClaims.login`), and the
/// routes and every loop ask here before they accept a token. The store has the same logins, so that a restart
/// revives none of them.
///
/// **Bound.** Of more than `countMax` logins the quarter that was ended first makes way. In their place every access
/// token that was made before the last of them ended counts as expired, whosever it is, and its app refreshes. So
/// what was taken back stays so, and a flood of logouts takes no memory.
///
/// May be called from any thread.
package final class EndedLogins: Sendable {
    package static let countMax = 1 << 16

    /// From making an access token until it has expired for every verifier; nil for a hub without accounts, where
    /// tokens that name a login are those of another hub.
    private let lifetime: Duration?
    /// What operators have revoked, of tokens of every origin.
    package let revocations: Revocations
    private let state = Locked(State())

    private struct State {
        var logins: Set<String> = []
        /// In the order in which they came, nearly that of their times.
        var ends: [(login: String, time: Timestamp)] = []
        /// What was made until then is too old.
        var oldest = Timestamp(milliseconds: .min)

        mutating func forgetFirst(_ count: Int) {
            for end in ends.prefix(count) { logins.remove(end.login) }
            ends.removeFirst(count)
        }
    }

    /// - Parameter accessTokenLifetime: as it is configured now. It holds for tokens that were made before a restart, too:
    ///   with that, none outlives its place here whatever the lifetime was.
    package init(accessTokenLifetime: Duration? = nil, revocations: Revocations = Revocations()) {
        self.revocations = revocations
        lifetime = accessTokenLifetime.map { $0 + TokenVerifier.leewayMax }
    }

    package var count: Int { state.withLock { $0.ends.count } }

    /// - Throws: `TokenError` for a token that was revoked, of a blocked user, of a login that was ended, or of a time of which nothing is known any more.
    package func check(_ claims: ConnectionClaims, now: Timestamp) throws(TokenError) {
        try revocations.check(TokenMark(claims), of: claims.user, now: now)
        guard let login = claims.login, let lifetime else { return }
        guard let issuedAt = claims.issuedAt else { throw .claim("iat") }
        guard now < issuedAt + lifetime else { throw .expired }
        try state.withLock { (state) throws(TokenError) in
            if state.logins.contains(login) { throw .revoked }
            if issuedAt <= state.oldest { throw .expired }
        }
    }

    /// Once the store has them.
    package func add(_ logins: [String], at time: Timestamp) {
        state.withLock { state in
            for login in logins where state.logins.insert(login).inserted {
                state.ends.append((login, time))
                guard state.ends.count > Self.countMax else { continue }
                let quarter = Self.countMax / 4
                let last = state.ends.prefix(quarter).map(\.time).max() ?? time
                state.oldest = max(state.oldest, last)
                state.forgetFirst(quarter)
            }
        }
    }

    /// The earliest end that still matters.
    package func horizon(now: Timestamp) -> Timestamp { lifetime.map { now - $0 } ?? now }

    /// Forgets those whose tokens have all expired; for every now and then.
    package func trim(now: Timestamp) {
        let horizon = horizon(now: now)
        state.withLock { state in
            state.forgetFirst(state.ends.prefix { $0.time < horizon }.count)
        }
    }
}
