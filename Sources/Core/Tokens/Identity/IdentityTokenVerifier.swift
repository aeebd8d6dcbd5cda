/// Verifies a token of an identity provider and returns its user: OpenID Connect's ID Token, which
/// Sign in with Apple gives to an app, and which the app sends to the hub.
///
/// **Order of the checks.** The form of the token; its algorithm; its key; the signature; issuer
/// and audience; the times; the subject; the nonce. As with `TokenVerifier`, no claim is used
/// before the signature is verified, and no error contains a part of the token.
///
/// **Stricter than the hub's own tokens.** A client with such a token gets an account, so `exp`,
/// `iat` and `sub` are required, and only RS256 and ES256 with public keys are accepted.
///
/// **Not here.** No clock and no fetching of keys: after `unknownKey` the owner of the keys may
/// fetch them again and retry. Tokens are not stored: a token opens an account as often as it is
/// presented, until it expires.
///
/// Source: OpenID Connect Core 1.0 §3.1.3.7, ID Token Validation.
package struct IdentityTokenVerifier: Sendable {
    /// Those that the provider publishes, and no others.
    package var keys: TokenKeySet
    /// The required `iss`.
    package let issuer: String
    /// The allowed values of `aud`: the applications whose users these are.
    package let clientIDs: [String]
    /// The maximum difference between the clocks of hub and provider.
    package let leeway: Duration

    package static let algorithms: [TokenAlgorithm] = [.rs256, .es256]
    /// For clocks that are kept by NTP on both sides.
    package static let leewayDefault = Duration.seconds(60)

    /// - Parameter leeway: in 0...`TokenVerifier.leewayMax`.
    package init(
        keys: TokenKeySet,
        issuer: String,
        clientIDs: [String],
        leeway: Duration = leewayDefault
    ) {
        precondition((.zero...TokenVerifier.leewayMax).contains(leeway))
        self.keys = keys
        self.issuer = issuer
        self.clientIDs = clientIDs
        self.leeway = leeway
    }

    /// Returns the token's claims about its user.
    ///
    /// - Parameters:
    ///   - user: the user that the app expects; nil if it gives none. Must equal `sub`.
    ///   - nonce: the nonce that the app gave the provider for this sign-in; nil if it gives none.
    ///     The claim must be it, or its SHA-256 in hexadecimal: apps give that to Apple, so that
    ///     the token does not reveal the nonce.
    package func verify(
        _ text: String,
        user: String? = nil,
        nonce: String? = nil,
        now: Timestamp
    ) throws(TokenError) -> IdentityClaims {
        let token = try CompactToken(text)
        guard Self.algorithms.contains(where: { $0.rawValue == token.algorithm }) else {
            throw .algorithm(TokenAlgorithm.publicName(token.algorithm))
        }
        try keys.verify(token)
        let claims = try ClaimSet(json: token.claims)
        try checkParties(of: claims)
        try checkTimes(of: claims, now: now)
        let identity = try IdentityClaims(claims)
        if let user, !hasSameBytes(user, identity.subject) { throw .userMismatch }
        if let nonce { try checkNonce(of: claims, nonce) }
        return identity
    }

    private func checkParties(of claims: ClaimSet) throws(TokenError) {
        guard hasSameBytes(try claims.text("iss") ?? "", issuer) else { throw .issuer }
        // "The ID Token MUST be rejected if the ID Token does not list the Client as a valid audience, or
        // if it contains additional audiences not trusted by the Client."
        let audiences = try claims.audiences()
        let areOurs = audiences.allSatisfy { audience in
            clientIDs.contains { hasSameBytes($0, audience) }
        }
        guard !audiences.isEmpty, areOurs else { throw .audience }
    }

    private func checkTimes(of claims: ClaimSet, now: Timestamp) throws(TokenError) {
        guard let end = try claims.time("exp") else { throw .claim("exp") }
        guard now < end + leeway else { throw .expired }
        guard let issued = try claims.time("iat") else { throw .claim("iat") }
        guard issued - leeway <= now else { throw .notYetValid }
    }

    private func checkNonce(of claims: ClaimSet, _ nonce: String) throws(TokenError) {
        guard let claimed = try claims.text("nonce"),
            hasSameBytes(claimed, nonce) || hasSameBytes(claimed, hexadecimal(sha256(nonce.utf8)))
        else { throw .claim("nonce") }
    }
}

/// The claims of an identity token about its user.
package struct IdentityClaims: Sendable, Equatable {
    /// `sub`: never empty, and permanently the same for one user and issuer.
    package let subject: String
    /// `email`, if the provider states that it has verified it: any other address is only claimed.
    package let verifiedEmail: String?

    init(_ claims: ClaimSet) throws(TokenError) {
        guard let subject = try claims.text("sub"), !subject.isEmpty else { throw .claim("sub") }
        self.subject = subject
        let email = try claims.text("email") ?? ""
        let isVerified = try claims.flag("email_verified") ?? false
        verifiedEmail = isVerified && !email.isEmpty ? email : nil
    }
}
