/// The verification of the tokens of requests. `RouteResponder` finds their API keys.
package struct RouteAccess: Sendable {
    /// Returns the current verifier, since keys change while the hub runs.
    package let verifier: @Sendable () -> TokenVerifier?
    /// The logins whose access tokens are no longer valid.
    package let endedLogins: EndedLogins

    package init(
        verifier: @escaping @Sendable () -> TokenVerifier?,
        endedLogins: EndedLogins = EndedLogins()
    ) {
        self.verifier = verifier
        self.endedLogins = endedLogins
    }

    /// Rejects all tokens.
    package static let none = RouteAccess(verifier: { nil })

    /// Returns the claims of the request's token; nil for a request without one, and while there is
    /// no verifier.
    package func claims(of request: RouteRequest) async throws(TokenError) -> ConnectionClaims? {
        guard let token = BearerToken(request.head.headers),
            let verifier = verifier()
        else { return nil }
        let now = HubClock.wall
        let claims = try verifier.verifyConnection(token.text, now: now)
        try endedLogins.check(claims, now: now)
        return claims
    }
}
