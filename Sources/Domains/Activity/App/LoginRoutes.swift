import Activity
import HTTPService
import Tokens

/// `/auth`: the two tokens of the film app, for a login or for one of them. protocol/activity.md.
package struct LoginRoutes: Sendable {
    package let service: LoginService
    package let rate: LoginRate

    package func add(to routes: inout Routes) {
        routes.post("/auth/login") { request in
            await answer(request) {
                let login = try LoginRequest(json: try request.activityContent())
                return .uncached(try await service.login(login).json())
            }
        }
        routes.post("/auth/refresh") { request in
            await answer(request) {
                let refresh = try RefreshRequest(json: try request.activityContent())
                return .uncached(try await service.refresh(refresh).json())
            }
        }
        routes.post("/auth/logout") { request in
            await answer(request) {
                let logout = try RefreshRequest(json: try request.activityContent())
                try await service.logout(logout)
                return .uncached(Array("{}".utf8))
            }
        }
        routes.errors(.activity, below: "/auth")
    }

    private func answer(
        _ request: RouteRequest,
        _ body: () async throws -> ServerResponse
    ) async -> ServerResponse {
        await activityAnswer(service.logger) {
            try rate.take(request.peer)
            return try await body()
        }
    }
}
