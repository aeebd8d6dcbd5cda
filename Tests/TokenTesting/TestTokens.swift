import Core
import Foundation

/// Tokens of an application that shares a secret with the hub, and the hub's verifier for them.
package struct TestTokens: Sendable {
    package static let secret = "a secret that the application shares"

    package let verifier: TokenVerifier
    private let key: TokenSigningKey

    /// - Parameter secret: that the application signs with; the hub knows `TestTokens.secret`.
    package init(
        secret: String = TestTokens.secret,
        audience: String? = nil,
        published: [TokenKey]? = nil
    ) async throws {
        key = try .secret(Array(secret.utf8))
        let known = try TokenKey.secret(Array(TestTokens.secret.utf8))
        verifier = TokenVerifier(
            keys: TokenKeySet(configured: [known], published: published),
            audience: audience
        )
    }

    /// - Parameters:
    ///   - topics: which the client gets without asking.
    ///   - age: how long ago it was issued.
    package func connection(
        _ user: String,
        topics: [String] = [],
        info: String? = nil,
        lifetime: Duration? = .seconds(3600),
        age: Duration = .zero,
        audience: String? = nil,
        login: String? = nil,
        groups: [String] = []
    ) throws -> String {
        var draft = TokenDraft(
            user: user,
            issuedAt: HubClock.wall - age,
            lifetime: lifetime,
            kind: .connection(topics: topics.map { Topic(trusted: $0) })
        )
        draft.info = info.map { Array($0.utf8) }
        draft.audience = audience
        draft.login = login
        draft.groups = groups
        return try draft.signed(with: key)
    }

    package func subscription(
        _ user: String,
        _ topic: String,
        lifetime: Duration? = .seconds(3600),
        age: Duration = .zero,
        info: String? = nil
    ) throws -> String {
        var draft = TokenDraft(
            user: user,
            issuedAt: HubClock.wall - age,
            lifetime: lifetime,
            kind: .subscription(Topic(trusted: topic))
        )
        draft.info = info.map { Array($0.utf8) }
        return try draft.signed(with: key)
    }

    package func expiredConnection(_ user: String) throws -> String {
        try connection(user, lifetime: .seconds(10), age: .seconds(60))
    }

    /// A token with this header and any signature.
    package static func unsigned(header: String, claims: String) -> String {
        [header, claims, "signature"].map { base64URL($0) }.joined(separator: ".")
    }

    private static func base64URL(_ text: String) -> String {
        Data(text.utf8).base64EncodedString()
            .replacingOccurrences(of: "=", with: "")
            .replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_")
    }
}
