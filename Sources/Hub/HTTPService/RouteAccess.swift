import Access
import Tasks
import Tokens

/// The verification of the credentials of requests.
package struct RouteAccess: Sendable {
    /// Returns the current verifier, since keys change while the hub runs.
    package let verifier: @Sendable () async -> TokenVerifier?
    /// Whether an API key is valid.
    package let acceptsKey: @Sendable (String) -> Bool
    /// The logins whose access tokens are no longer valid.
    package let endedLogins: EndedLogins

    package init(
        verifier: @escaping @Sendable () async -> TokenVerifier?,
        acceptsKey: @escaping @Sendable (String) -> Bool,
        endedLogins: EndedLogins = EndedLogins()
    ) {
        self.verifier = verifier
        self.acceptsKey = acceptsKey
        self.endedLogins = endedLogins
    }

    /// Rejects all credentials.
    package static let none = RouteAccess(verifier: { nil }, acceptsKey: { _ in false })

    /// Returns the claims of the request's token; nil for a request without one, and while there is
    /// no verifier.
    package func claims(of request: RouteRequest) async throws(TokenError) -> ConnectionClaims? {
        guard let token = BearerToken(authorization: request.header("Authorization")),
            let verifier = await verifier()
        else { return nil }
        let now = HubClock.wall
        let claims = try verifier.verifyConnection(token.text, now: now)
        try endedLogins.check(claims, now: now)
        return claims
    }
}
