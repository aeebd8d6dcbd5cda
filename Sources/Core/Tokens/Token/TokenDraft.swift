/// The claims of a token to make. For `varde token create` and for tests; an application makes its
/// own tokens.
package struct TokenDraft: Sendable {
    /// Empty for a user without an account.
    package var user: String
    package var issuedAt: Timestamp
    /// From `issuedAt` to `exp`; nil for a token that never expires.
    package var lifetime: Duration?
    package var audience: String?
    package var issuer: String?
    /// JSON text, which the caller has checked (`isJSON`).
    package var info: [UInt8]?
    package var groups: [String] = []
    /// Of the hub's own access tokens: the login that ends with all of its tokens.
    package var login: String?
    package var kind: Kind

    package enum Kind: Sendable {
        /// With the topics that the client gets without asking.
        case connection(topics: [Topic])
        case subscription(Topic)
    }

    package init(user: String, issuedAt: Timestamp, lifetime: Duration?, kind: Kind) {
        self.user = user
        self.issuedAt = issuedAt
        self.lifetime = lifetime
        self.kind = kind
    }

    /// The token, signed.
    package func signed(with key: TokenSigningKey) throws(TokenKeyError) -> String {
        let text = Base64URL.encode(header(of: key)) + "." + Base64URL.encode(claims())
        return text + "." + Base64URL.encode(try key.sign(Array(text.utf8)))
    }

    private func header(of key: TokenSigningKey) -> [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.field("alg", key.algorithm.rawValue)
            if let id = key.id { $0.field("kid", id) }
            $0.field("typ", "JWT")
        }
        return json.bytes
    }

    private func claims() -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.field("sub", user)
            json.field("iat", issuedAt.wholeSeconds)
            if let lifetime { json.field("exp", (issuedAt + lifetime).wholeSeconds) }
            if let audience { json.field("aud", audience) }
            if let issuer { json.field("iss", issuer) }
            if let login { json.field(ConnectionClaims.loginClaim, login) }
            if let info { json.raw("info", info) }
            if !groups.isEmpty { json.array("groups") { for group in groups { $0.value(group) } } }
            switch kind {
            case .subscription(let topic): json.field("channel", topic.name)
            case .connection(let topics) where !topics.isEmpty:
                json.object("subs") { for topic in topics { $0.object(topic.name) { _ in } } }
            case .connection: break
            }
        }
        return json.bytes
    }
}
