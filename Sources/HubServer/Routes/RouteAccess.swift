import Tasks
import Tokens

/// Who asks of a route.
struct RouteAccess: Sendable {
    /// The verifier of this moment: keys change while the hub runs.
    let verifier: @Sendable () async -> TokenVerifier?
    /// Whether an API key is known.
    let acceptsKey: @Sendable (String) -> Bool
    /// Whose access tokens open nothing any more.
    var endedLogins = EndedLogins()

    /// For nobody.
    static let none = RouteAccess(verifier: { nil }, acceptsKey: { _ in false })

    /// What the request's token claims; nil for a request without one, and while nothing verifies any.
    func claims(of request: RouteRequest) async throws(TokenError) -> ConnectionClaims? {
        guard let token = BearerToken(authorization: request.header("Authorization")),
            let verifier = await verifier()
        else { return nil }
        let now = HubClock.wall
        let claims = try verifier.verifyConnection(token.text, now: now)
        try endedLogins.check(claims, now: now)
        return claims
    }
}
