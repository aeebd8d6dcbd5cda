import Activity
import Hummingbird

/// `/auth`: the two tokens of the film app, for a login or for one of them. protocol/activity.md.
struct LoginRoutes: Sendable {
    let service: LoginService

    func add(to router: Router<HubRequestContext>) {
        router.post("/auth/login") { request, _ in
            await answer {
                let login = try LoginRequest(json: try await request.activityContent())
                return .uncached(try await service.login(login).json())
            }
        }
        router.post("/auth/refresh") { request, _ in
            await answer {
                let refresh = try RefreshRequest(json: try await request.activityContent())
                return .uncached(try await service.refresh(refresh).json())
            }
        }
        router.post("/auth/logout") { request, _ in
            await answer {
                let logout = try RefreshRequest(json: try await request.activityContent())
                try await service.logout(logout)
                return .uncached(Array("{}".utf8))
            }
        }
    }

    private func answer(_ body: () async throws -> Response) async -> Response {
        await activityAnswer(service.logger, body)
    }
}
