// Tokens: the identity and rights of clients: JSON Web Tokens and their keys, rules of access, API
// keys.

/// Verifies a token and returns its claims, or the reason for refusing it.
///
/// **Order of the checks.** The form of the token; its algorithm, against those of the keys; its
/// key; the signature; issuer and audience; the times; the other claims; its user and topic. So no
/// claim of a token is used, or reported, before its signature is verified.
///
/// **Not here.** No clock: `now` is an argument. No fetching of keys: `JWKSCache` decides when that
/// is due, and its owner replaces `keys`. No error contains a part of the token.
///
/// A value: each loop can have a copy. A verification takes microseconds with HS256, tens of them
/// with the others.
///
/// Sources: RFC 7515 (JWS), RFC 7519 (JWT), RFC 8725 (best practices).
package struct TokenVerifier: Sendable {
    package var keys: TokenKeySet
    /// The required value of `aud`, or one of its values; nil requires none.
    package var audience: String?
    /// The required `iss`; nil requires none.
    package var issuer: String?
    /// The maximum difference between the clocks of hub and issuer.
    package let leeway: Duration
    /// Whether a token must have an expiry.
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

    /// Returns the grant of a connection token.
    ///
    /// A token for one topic is not valid for a connection: its user was not granted the
    /// connection.
    package func verifyConnection(
        _ token: String,
        now: Timestamp
    ) throws(TokenError) -> ConnectionClaims {
        let claims = try verifiedClaims(token, now: now)
        guard !claims.has("channel") else { throw .claim("channel") }
        return try ConnectionClaims(claims, expiresAt: expiry(of: claims, now: now))
    }

    /// Returns the grant of a subscription token.
    ///
    /// - Parameters:
    ///   - topic: the topic to which the client subscribes.
    ///   - user: the user of the connection; empty for an anonymous one.
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
            // The claim is optional in the RFC; a stolen token without it would be valid
            // permanently.
            throw .claim("exp")
        }
        // RFC 7519 §4.1.5: "MUST be after or equal to the not-before date/time".
        if let start = try claims.time("nbf"), now < start - leeway { throw .notYetValid }
        return claims
    }

    /// The end of the token's grant; nil for never. Later than `now`.
    ///
    /// `expire_at` takes precedence over `exp` here: it separates the time in which a token may be
    /// presented from the time that its grant lasts. 0 means no end.
    private func expiry(of claims: ClaimSet, now: Timestamp) throws(TokenError) -> Timestamp? {
        guard let end = try claims.time("expire_at") else {
            return try claims.time("exp").map { $0 + leeway }
        }
        guard end.milliseconds != 0 else { return nil }
        guard now < end + leeway else { throw .expired }
        return end + leeway
    }
}
