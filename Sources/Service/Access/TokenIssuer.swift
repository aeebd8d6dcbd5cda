/// Makes the hub's own access tokens. The hub's verifier accepts them for routes and connections
/// alike.
package struct TokenIssuer: Sendable {
    private let key: TokenSigningKey
    /// The audience that the verifier requires.
    private let audience: String?
    private let issuer: String?

    package init(key: TokenSigningKey, audience: String?, issuer: String?) {
        self.key = key
        self.audience = audience
        self.issuer = issuer
    }

    /// - Parameters:
    ///   - user: the value of `sub`: the id of an existing user.
    ///   - login: the login that ends with all of its tokens, see `EndedLogins`.
    package func accessToken(
        user: String,
        login: String,
        lifetime: Duration,
        now: Timestamp
    ) throws(TokenKeyError) -> String {
        var draft = TokenDraft(
            user: user,
            issuedAt: now,
            lifetime: lifetime,
            kind: .connection(topics: [])
        )
        draft.login = login
        draft.audience = audience
        draft.issuer = issuer
        return try draft.signed(with: key)
    }
}
