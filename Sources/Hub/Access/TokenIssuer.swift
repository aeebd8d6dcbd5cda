import Timekeeping
import Tokens

/// Makes the hub's own access tokens, of the kind that its verifier takes: they open routes and
/// connections alike.
package struct TokenIssuer: Sendable {
    private let key: TokenSigningKey
    /// What the verifier asks for.
    private let audience: String?
    private let issuer: String?

    package init(key: TokenSigningKey, audience: String?, issuer: String?) {
        self.key = key
        self.audience = audience
        self.issuer = issuer
    }

    /// - Parameters:
    ///   - user: what `sub` says: the id of somebody the hub knows.
    ///   - login: that ends with all of its tokens, see `EndedLogins`.
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
