// Tokens: who a client is and what it may do: JSON Web Tokens and their keys, rules of access, API keys.

import PubSub
import Timekeeping

/// Says what a token proves, or why it proves nothing.
///
/// **Order of the checks.** The form of the token; its algorithm, against those of the keys; its key;
/// the signature; issuer and audience; the times; what else it claims; whom and what it is for. So
/// nothing that a token says is believed, or told, before its signature is known to be good.
///
/// **Not here.** No clock: `now` is an argument. No fetching of keys: `JWKSCache` says when that is
/// due, and its owner replaces `keys`. No error holds a part of the token.
///
/// A value: one copy for each loop will do. A verification takes microseconds with HS256, tens of them
/// with the others.
///
/// Sources: RFC 7515 (JWS), RFC 7519 (JWT), RFC 8725 (best practices).
package struct TokenVerifier: Sendable {
    package var keys: TokenKeySet
    /// What `aud` has to be or to contain; nil asks for nothing.
    package var audience: String?
    /// What `iss` has to be; nil asks for nothing.
    package var issuer: String?
    /// How far the clocks of hub and issuer may lie apart.
    package let leeway: Duration
    /// Whether a token has to say when it expires.
    package let requiresExpiry: Bool

    /// More is no difference of clocks but a longer lifetime of every token.
    package static let leewayMax = Duration.seconds(300)

    /// - Parameter leeway: in 0...`leewayMax`.
    package init(
        keys: TokenKeySet,
        audience: String? = nil,
        issuer: String? = nil,
        leeway: Duration = .zero,
        requiresExpiry: Bool = false
    ) {
        precondition((.zero...Self.leewayMax).contains(leeway))
        self.keys = keys
        self.audience = audience
        self.issuer = issuer
        self.leeway = leeway
        self.requiresExpiry = requiresExpiry
    }

    /// What a connection token grants.
    ///
    /// A token for one topic is none for a connection: whoever was given the former was not given
    /// the latter.
    package func verifyConnection(
        _ token: String,
        now: Timestamp
    ) throws(TokenError) -> ConnectionClaims {
        let claims = try verifiedClaims(token, now: now)
        guard !claims.has("channel") else { throw .claim("channel") }
        return try ConnectionClaims(claims, expiresAt: expiry(of: claims, now: now))
    }

    /// What a subscription token grants.
    ///
    /// - Parameters:
    ///   - topic: which the client wants to subscribe to.
    ///   - user: whom the connection belongs to; empty for an anonymous one.
    package func verifySubscription(
        _ token: String,
        topic: Topic,
        user: String,
        now: Timestamp
    ) throws(TokenError) -> SubscriptionClaims {
        let claims = try verifiedClaims(token, now: now)
        let granted = try SubscriptionClaims(claims, expiresAt: expiry(of: claims, now: now))
        guard hasSameBytes(granted.user, user) else { throw .userMismatch }
        guard granted.topic == topic else { throw .topicMismatch }
        return granted
    }

    private func verifiedClaims(
        _ text: String,
        now: Timestamp
    ) throws(TokenError) -> ClaimSet {
        let token = try CompactToken(text)
        try keys.verify(token)
        let claims = try ClaimSet(json: token.claims)
        if let issuer, !hasSameBytes(try claims.text("iss") ?? "", issuer) { throw .issuer }
        if let audience {
            let isMeant = try claims.audiences().contains { hasSameBytes($0, audience) }
            guard isMeant else { throw .audience }
        }
        // RFC 7519 §4.1.4: "the current date/time MUST be before the expiration date/time".
        if let end = try claims.time("exp") {
            guard now < end + leeway else { throw .expired }
        } else if requiresExpiry {
            // The RFC leaves the claim out as it likes; a token without it, once stolen, is good for ever.
            throw .claim("exp")
        }
        // RFC 7519 §4.1.5: "MUST be after or equal to the not-before date/time".
        if let start = try claims.time("nbf"), now < start - leeway { throw .notYetValid }
        return claims
    }

    /// When what the token grants ends; nil for never. Later than `now`.
    ///
    /// `expire_at` stands above `exp` here: it parts the time that a token may be shown from the time
    /// that its grant lasts. 0 stands for ever.
    private func expiry(of claims: ClaimSet, now: Timestamp) throws(TokenError) -> Timestamp? {
        guard let end = try claims.time("expire_at") else {
            return try claims.time("exp").map { $0 + leeway }
        }
        guard end.milliseconds != 0 else { return nil }
        guard now < end + leeway else { throw .expired }
        return end + leeway
    }
}
