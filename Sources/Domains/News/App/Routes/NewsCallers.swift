import DomainKit
import News

/// Finds the user of a request.
///
/// `X-User-ID` names a user and does not authenticate it. In development that is enough. Otherwise
/// the request needs an API key, which the back end of an app has, or an access token of the user.
struct NewsCallers: Sendable {
    let access: RouteAccess
    let isDevelopment: Bool

    func user(of request: RouteRequest) async throws(NewsError) -> NewsUserID {
        let user = try NewsUserID(
            headers: request.head.headers.all("X-User-ID"),
            query: request.query("user_id"),
            isDevelopment: isDevelopment
        )
        let revocations = access.endedLogins.revocations
        guard !revocations.isBlocked(user.text, now: HubClock.wall) else { throw .forbidden }
        guard !isDevelopment, request.key == nil else { return user }
        let claims: ConnectionClaims?
        do throws(TokenError) { claims = try await access.claims(of: request) } catch {
            throw .forbidden
        }
        guard let claims, hasSameBytes(claims.user, user.text) else { throw .forbidden }
        return user
    }

    /// Whether the request is from a back end. In development every request without a key counts as
    /// one.
    func isBackend(_ request: RouteRequest) -> Bool { isDevelopment || request.key != nil }
}
