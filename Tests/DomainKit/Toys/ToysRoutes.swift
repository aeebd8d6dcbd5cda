import Service

/// `/api/toys`: the toys of whoever asks. openapi.json.
struct ToysRoutes: Sendable {
    let service: ToysService
    let access: RouteAccess

    static let prefixes = RoutePrefixes(.messageAndCode, "/api/toys")

    func add(to routes: inout Routes) {
        routes.get("/api/toys") { request in
            await answer {
                let toys = try await service.toys(of: owner(of: request))
                return .uncached(toysJSON(toys))
            }
        }
        routes.post("/api/toys") { request in
            await answer {
                let owner = try await owner(of: request)
                let fields = try RequestFields(try request.content(upTo: 1 << 10))
                let name = try fields.requiredText("name", TextRule(lengthMax: 100))
                let toy = try await service.add(name, owner: owner)
                return .uncached(toy.json, status: 201)
            }
        }
        routes.errors(ToysRoutes.prefixes)
    }

    private func owner(of request: RouteRequest) async throws -> String {
        guard let user = try? await access.claims(of: request)?.user, !user.isEmpty else {
            throw RouteRefusal.unauthorized("a token is needed")
        }
        return user
    }

    private func answer(_ body: () async throws -> ServerResponse) async -> ServerResponse {
        await .answer(part: ToysSection.key, service.logger) { error in
            guard let error = error as? RequestError else { return nil }
            return RouteRefusal(400, "INVALID_REQUEST", "\(error)").response
        } _: {
            try await body()
        }
    }

    private func toysJSON(_ toys: [Toy]) -> [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.array("toys") { array in
                for toy in toys { toy.write(to: &array) }
            }
        }
        return json.bytes
    }
}
