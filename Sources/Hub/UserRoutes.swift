/// The routes of `/users/me` in a hub without a domain that has users of its own: a user's account,
/// all data about the user, and the deletion of both. See protocol/accounts.md.
struct UserRoutes: Sendable {
    let service: AccountService
    let context: RouteContext
    /// By the bytes of the user's name.
    private let requests = Locked(
        RateWindow<[UInt8]>(limit: UserRoutes.requestsPerMinute, length: .seconds(60))
    )

    /// Requests of one user in a minute.
    static let requestsPerMinute = 60

    static let prefixes = RoutePrefixes(.messageAndCode, "/users")

    init(service: AccountService, context: RouteContext) {
        self.service = service
        self.context = context
    }

    func add(to routes: inout Routes) {
        routes.get("/users/me") { request in
            await answer(request) { user in
                guard let account = try await service.account(of: user) else { throw Self.none }
                return account.json
            }
        }
        routes.delete("/users/me") { request in
            await answer(request, writes: true) { user in
                guard try await service.delete(user) else { throw Self.none }
                await context.forget(user)
                return Array("{}".utf8)
            }
        }
        routes.get("/users/me/data") { request in
            await answer(request) { user in
                guard try await service.account(of: user) != nil else { throw Self.none }
                return try await data(of: user, after: request.query("after"))
            }
        }
        routes.errors(UserRoutes.prefixes)
    }

    private static let none = RouteRefusal.unauthorized("the token's user has no account")

    private func data(of user: String, after text: String?) async throws -> [UInt8] {
        let text = text.flatMap { $0.isEmpty ? nil : $0 }
        let place = text.flatMap { UserDataPage.Place($0) }
        guard place != nil || text == nil,
            let page = try await UserDataPage.read(context.userData, of: user, from: place)
        else {
            throw RouteRefusal(
                400,
                "INVALID_REQUEST",
                "after is \"\(text?.prefix(64) ?? "")\", expected the next of another part"
            )
        }
        var json = JSONWriter()
        json.object { json in
            json.field("user_id", user)
            json.field("exported_at", HubClock.wall.iso8601Seconds)
            json.object("sections") { json in
                for section in page.sections {
                    json.array(section.name) { json in
                        for row in section.rows { json.raw(row) }
                    }
                }
            }
            json.field("next", page.next?.text)
        }
        return json.bytes
    }

    /// Answers a request within the user's rate; reads wait for the user's turn among others.
    private func answer(
        _ request: RouteRequest,
        writes isWrite: Bool = false,
        _ body: (String) async throws -> [UInt8]
    ) async -> ServerResponse {
        await .answer(part: "accounts", service.logger) { _ in
            nil
        } _: {
            let user = try await user(of: request)
            let standing = requests.withLock { $0.take(Array(user.utf8), now: HubClock.wall) }
            guard standing.isAllowed else {
                throw RouteRefusal(
                    429,
                    "RATE_LIMITED",
                    "at most \(standing.limit) requests in a minute",
                    retryAfter: standing.reset - HubClock.wall
                )
            }
            guard !isWrite else { return .uncached(try await body(user)) }
            return .uncached(
                try await context.reads.run(for: Array("user \(user)".utf8)) {
                    try await body(user)
                }
            )
        }
    }

    private func user(of request: RouteRequest) async throws -> String {
        let claims: ConnectionClaims?
        do throws(TokenError) { claims = try await context.access.claims(of: request) } catch {
            throw RouteRefusal.unauthorized("\(error)")
        }
        guard let user = claims?.user, !user.isEmpty else {
            throw RouteRefusal.unauthorized("a token is needed")
        }
        return user
    }
}
