import Access
import Tasks
import Tokens

/// Who asks of a route.
package struct RouteAccess: Sendable {
    /// The verifier of this moment: keys change while the hub runs.
    package let verifier: @Sendable () async -> TokenVerifier?
    /// Whether an API key is known.
    package let acceptsKey: @Sendable (String) -> Bool
    /// Whose access tokens open nothing any more.
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

    /// For nobody.
    package static let none = RouteAccess(verifier: { nil }, acceptsKey: { _ in false })

    /// What the request's token claims; nil for a request without one, and while nothing verifies any.
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
