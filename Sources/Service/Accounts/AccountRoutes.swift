/// The routes of `/auth`: login, refresh and logout.
package struct AccountRoutes: Sendable {
    package let service: AccountService
    package let form: AccountForm
    package let rate: LoginRate

    package init(service: AccountService, form: AccountForm, rate: LoginRate) {
        self.service = service
        self.form = form
        self.rate = rate
    }

    package static func prefixes(_ form: AccountForm) -> RoutePrefixes {
        RoutePrefixes(form.paths, "/auth")
    }

    package func add(to routes: inout Routes) {
        routes.post("/auth/login") { request in
            await answer(request) { body in
                .uncached(try await service.login(LoginRequest(json: body)).json())
            }
        }
        routes.post("/auth/refresh") { request in
            await answer(request) { body in
                .uncached(try await service.refresh(RefreshRequest(json: body)).json())
            }
        }
        routes.post("/auth/logout") { request in
            await answer(request) { body in
                try await service.logout(RefreshRequest(json: body))
                return .uncached(Array("{}".utf8))
            }
        }
        routes.errors(AccountRoutes.prefixes(form))
    }

    private func answer(
        _ request: RouteRequest,
        _ body: (_ content: [UInt8]) async throws -> ServerResponse
    ) async -> ServerResponse {
        do {
            try rate.take(request.peer)
            let bytesMax = LoginLimits.bodyBytesMax
            guard request.body.count <= bytesMax else {
                throw AccountError.bodyTooLong(bytesMax: bytesMax)
            }
            return try await body(request.body)
        } catch let error as AccountError {
            return form.response(error)
        } catch let error as RequestError {
            return form.response(.request(error))
        } catch {
            let isStoreError = error is StoreError
            service.logger.error(
                isStoreError ? "accounts: request not carried out" : "accounts: request failed",
                metadata: ["err": "\(error)"],
                source: LogSource.peer
            )
            return form.response(isStoreError ? .unavailable : .internal)
        }
    }
}
