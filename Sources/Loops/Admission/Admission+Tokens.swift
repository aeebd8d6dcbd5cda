import ClientWire
import Service

/// The result of verifying a token.
package struct VerifiedToken: Sendable {
    private enum Outcome: Sendable {
        case connection(Result<ConnectionClaims, TokenError>)
        /// The claims are valid only for this topic and this user.
        case subscription(Topic, user: String, Result<SubscriptionClaims, TokenError>)
    }

    private let text: String
    private let outcome: Outcome

    package init(_ text: String, _ result: Result<ConnectionClaims, TokenError>) {
        self.text = text
        outcome = .connection(result)
    }

    package init(
        _ text: String,
        _ topic: Topic,
        user: String,
        _ result: Result<SubscriptionClaims, TokenError>
    ) {
        self.text = text
        outcome = .subscription(topic, user: user, result)
    }

    /// Nil for another token.
    package func connection(_ token: String) -> Result<ConnectionClaims, TokenError>? {
        guard case .connection(let result) = outcome, hasSameBytes(token, text) else { return nil }
        return result
    }

    /// Nil for another token, topic or user.
    package func subscription(
        _ token: String,
        _ topic: Topic,
        user: String
    ) -> Result<SubscriptionClaims, TokenError>? {
        guard case .subscription(let ownTopic, let ownUser, let result) = outcome,
            ownTopic == topic, hasSameBytes(token, text), hasSameBytes(user, ownUser)
        else { return nil }
        return result
    }
}

/// The tokens of commands and requests.
///
/// Several parts of a command need the claims of its token: whether it must wait for histories or for
/// its position, and the command itself. A signature takes up to tens of microseconds, so it is verified
/// once: the result stays until the end of the turn, and goes along with a command or request that
/// waits (`Grants`). Whether the token was revoked is checked each time.
extension Admission {
    /// Returns the claims of a connection token; throws if its login has ended.
    package mutating func verified(_ token: String) throws(TokenError) -> ConnectionClaims {
        let now = HubClock.wall
        let result =
            grants.verified?.connection(token)
            ?? verify { verifier throws(TokenError) in
                try verifier.verifyConnection(token, now: now)
            }
        grants.verified = VerifiedToken(token, result)
        let claims = try result.get()
        try context.shared.endedLogins.check(claims, now: now)
        return claims
    }

    /// Returns the claims of a subscription token; throws if it was revoked.
    package mutating func verifiedSubscription(
        _ token: String,
        _ topic: Topic,
        _ session: ClientSession
    ) throws(TokenError) -> SubscriptionClaims {
        let now = HubClock.wall
        let user = session.identity.user
        let result =
            grants.verified?.subscription(token, topic, user: user)
            ?? verify { verifier throws(TokenError) in
                try verifier.verifySubscription(token, topic: topic, user: user, now: now)
            }
        grants.verified = VerifiedToken(token, topic, user: user, result)
        let claims = try result.get()
        try context.shared.endedLogins.revocations.check(TokenMark(claims), of: user, now: now)
        return claims
    }

    private mutating func verify<Claims>(
        _ body: (TokenVerifier) throws(TokenError) -> Claims
    ) -> Result<Claims, TokenError> {
        counts.tokensVerified += 1
        do throws(TokenError) {
            return .success(try body(verifier))
        } catch {
            return .failure(error)
        }
    }

    /// Whether a token may be valid when it is sent again: its key may just have been published, so
    /// the keys are fetched again.
    package func mayBecomeValid(_ error: TokenError) -> Bool {
        error == .unknownKey && verifier.keys.hasPublishedKeys
    }

    /// Counts and logs the reason why a token was refused, never the token.
    package mutating func note(_ error: TokenError, _ session: ClientSession) {
        note(error, client: session.id, address: session.address)
    }

    mutating func note(_ error: TokenError, client: String, address: String) {
        if error == .unknownKey { context.shared.keyWasUnknown() }
        counts.tokensRefused[error.code, default: 0] += 1
        context.logger.notice(
            "token refused",
            metadata: [
                "client": "\(client)", "remote": "\(address)",
                "code": .stringConvertible(error.code), "reason": "\(error)",
            ],
            source: LogSource.peer
        )
    }
}
