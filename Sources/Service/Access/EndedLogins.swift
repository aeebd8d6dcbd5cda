/// The logins that have ended while some of their access tokens may still be valid.
///
/// An access token cannot be taken back from a client, but it names its login
/// (`ConnectionClaims.login`). The routes and every loop call `check` before they accept a token.
/// The store has the same logins, so they stay ended after a restart.
///
/// **Bound.** Above `countMax` logins, the quarter that ended first is removed. Instead, every
/// access token that was made before the last of them ended counts as expired, for all users, and
/// the app refreshes it. So revoked tokens stay revoked, and a flood of logouts does not exhaust
/// the memory.
///
/// May be called from any thread.
package final class EndedLogins: Sendable {
    package static let countMax = 1 << 16

    /// The time from making an access token until it has expired for every verifier; nil for a hub
    /// without accounts, where tokens that name a login come from another hub.
    private let lifetime: Duration?
    /// The revocations of operators, for tokens of every origin.
    package let revocations: Revocations
    private let state = Locked(State())

    private struct State {
        var logins: Set<String> = []
        /// In order of arrival, which is nearly the order of their times.
        var ends: [(login: String, time: Timestamp)] = []
        /// Tokens that were made up to this time count as expired.
        var oldest = Timestamp(milliseconds: .min)

        mutating func forgetFirst(_ count: Int) {
            for end in ends.prefix(count) { logins.remove(end.login) }
            ends.removeFirst(count)
        }
    }

    /// - Parameter accessTokenLifetime: the configured lifetime. It also applies to tokens that
    ///   were made before a restart, so no token outlives the entry of its login, whatever the
    ///   earlier lifetime was.
    package init(accessTokenLifetime: Duration? = nil, revocations: Revocations = Revocations()) {
        self.revocations = revocations
        lifetime = accessTokenLifetime.map { $0 + TokenVerifier.leewayMax }
    }

    package var count: Int { state.withLock { $0.ends.count } }

    /// - Throws: `TokenError` if the token was revoked, the user is blocked, the login has ended,
    ///   or the token is older than the logins that are still stored.
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

    /// Adds logins. Call it after the store has them.
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

    /// The earliest end that is still relevant.
    package func horizon(now: Timestamp) -> Timestamp { lifetime.map { now - $0 } ?? now }

    /// Removes logins whose tokens have all expired; for periodic calls.
    package func trim(now: Timestamp) {
        let horizon = horizon(now: now)
        state.withLock { state in
            state.forgetFirst(state.ends.prefix { $0.time < horizon }.count)
        }
    }
}
