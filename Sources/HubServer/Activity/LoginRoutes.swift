import Activity
import Hummingbird

/// `/auth`: the two tokens of the film app, for a login or for one of them. protocol/activity.md.
struct LoginRoutes: Sendable {
    let service: LoginService
    let rate: LoginRate

    func add(to router: Router<HubRequestContext>) {
        router.post("/auth/login") { request, context in
            await answer(context) {
                let login = try LoginRequest(json: try await request.activityContent())
                return .uncached(try await service.login(login).json())
            }
        }
        router.post("/auth/refresh") { request, context in
            await answer(context) {
                let refresh = try RefreshRequest(json: try await request.activityContent())
                return .uncached(try await service.refresh(refresh).json())
            }
        }
        router.post("/auth/logout") { request, context in
            await answer(context) {
                let logout = try RefreshRequest(json: try await request.activityContent())
                try await service.logout(logout)
                return .uncached(Array("{}".utf8))
            }
        }
    }

    private func answer(
        _ context: HubRequestContext,
        _ body: () async throws -> Response
    ) async -> Response {
        await activityAnswer(service.logger) {
            try rate.take(context.peer)
            return try await body()
        }
    }
}
