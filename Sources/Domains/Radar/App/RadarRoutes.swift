import DomainKit
import Radar

/// The routes of the radar app's contract: protocol/radar.md.
package struct RadarRoutes: Sendable {
    package let service: RadarService
    package let access: RouteAccess
    /// The reads of users take turns.
    private let reads: FairReads
    /// By the bytes of users: texts of other bytes can be equal.
    private let refreshes: Locked<RateWindow<[UInt8]>>
    private let interpretations: Locked<RateWindow<[UInt8]>>
    private let creations: Locked<RateWindow<[UInt8]>>
    /// By radar and API key.
    private let pushes: Locked<RateWindow<[UInt8]>>

    /// An opinion of the greatest length, escaped.
    private static let bodyBytesMax = 128 << 10

    package init(service: RadarService, access: RouteAccess, reads: FairReads = FairReads()) {
        self.service = service
        self.access = access
        self.reads = reads
        let window = RateWindow<[UInt8]>(
            limit: service.settings.refreshesPerMinute,
            length: .seconds(60)
        )
        refreshes = Locked(window)
        interpretations = Locked(window)
        creations = Locked(
            RateWindow(limit: service.settings.creationsPerMinute, length: .seconds(60))
        )
        pushes = Locked(
            RateWindow(limit: service.settings.pushesPerMinute, length: .seconds(60))
        )
    }

    package static let prefixes = RoutePrefixes(
        .messageAndCode,
        "/api/radars",
        "/api/interpret"
    )

    package func add(to routes: inout Routes) {
        routes.get("/api/radars") { request in
            await read(request) { try await list(request) }
        }
        routes.post("/api/radars") { request in await answer { try await create(request) } }
        routes.get("/api/radars/budget") { request in
            await answer { .uncached(service.budgetJSON(of: try await user(of: request))) }
        }
        routes.get("/api/radars/:id") { request in
            await read(request) { try await show(request, request.radarID) }
        }
        routes.patch("/api/radars/:id") { request in
            await answer { try await change(request, request.radarID) }
        }
        routes.delete("/api/radars/:id") { request in
            await answer { try await delete(request, request.radarID) }
        }
        routes.post("/api/radars/:id/refresh") { request in
            await answer { try await refresh(request, request.radarID) }
        }
        routes.get("/api/radars/:id/opinions") { request in
            await read(request) { try await opinions(request, request.radarID) }
        }
        routes.post("/api/radars/:id/opinions") { request in
            await answer { try await push(request, request.radarID) }
        }
        routes.get("/api/radars/:id/trends") { request in
            await read(request) { try await trends(request, request.radarID) }
        }
        routes.post("/api/interpret") { request in
            await answer { try await interpret(request) }
        }
        routes.errors(RadarRoutes.prefixes)
    }

    // MARK: Radars

    private func list(_ request: RouteRequest) async throws -> ServerResponse {
        let user = try await user(of: request)
        let limit = try request.number("limit", in: 1...100, default: 20)
        let offset = try request.number("offset", in: 0...1_000_000, default: 0)
        let rows = try await service.store.readRadars {
            try $0.radars(of: user, limit: limit, offset: offset)
        }
        let ids = rows.map(\.id)
        let opinions = try await service.store.readRadars {
            try $0.opinions(of: ids, each: RadarLimits.opinionsShown)
        }
        let claims = try await token(of: request)
        let radars = try rows.map { row in
            let radar = try row.radar()
            return (
                radar: radar, opinions: opinions[row.id, default: []].map(\.opinion),
                socketToken: socketToken(of: radar, claims)
            )
        }
        return .uncached(radarsJSON(radars))
    }

    private func create(_ request: RouteRequest) async throws -> ServerResponse {
        let user = try await user(of: request)
        _ = try take(creations, "new radars", Array(user.utf8))
        let radar = try await service.create(try NewRadar(json: try body(request)), by: user)
        let token = socketToken(of: radar, try await token(of: request))
        return .uncached(radar.json(opinions: [], socketToken: token), status: 201)
    }

    private func show(_ request: RouteRequest, _ id: String) async throws -> ServerResponse {
        try await checkReader(of: id, request)
        let (radar, opinions) = try await service.shown(id)
        guard request.query("explain") == "1" else {
            return try await shown(radar, opinions, request)
        }
        let segments = try await service.load(id).row.segments()
        let derivation = try await service.position(of: radar, segments, now: service.clock.now)
        return .uncached(derivation.json(change: radar.standing.change))
    }

    private func change(_ request: RouteRequest, _ id: String) async throws -> ServerResponse {
        try await checkOwner(of: id, request)
        let patch = try RadarPatch(json: try body(request))
        if let isPublic = patch.isPublic { _ = try await service.setPublic(isPublic, of: id) }
        let (radar, opinions) = try await service.shown(id)
        return try await shown(radar, opinions, request)
    }

    private func delete(_ request: RouteRequest, _ id: String) async throws -> ServerResponse {
        try await checkOwner(of: id, request)
        try await service.delete(id)
        // The app decodes an empty object.
        return .uncached(Array("{}".utf8))
    }

    private func refresh(_ request: RouteRequest, _ id: String) async throws -> ServerResponse {
        let user = try await checkOwner(of: id, request)
        return try await limited(refreshes, "refreshes", user) {
            let isPending = try await service.refresh(id)
            let (radar, opinions) = try await service.shown(id)
            return try await shown(radar, opinions, request, isPending: isPending)
        }
    }

    private func shown(
        _ radar: RadarState,
        _ opinions: [Opinion],
        _ request: RouteRequest,
        isPending: Bool? = nil
    ) async throws -> ServerResponse {
        let token = socketToken(of: radar, try await token(of: request))
        return .uncached(
            radar.json(opinions: opinions, isPending: isPending, socketToken: token)
        )
    }

    /// A token for the radar's socket; nil if the socket needs none, and for others than its owner.
    private func socketToken(of radar: RadarState, _ claims: ConnectionClaims?) -> String? {
        guard !radar.isPublic, let claims, hasSameBytes(claims.user, radar.userID) else {
            return nil
        }
        return service.socketTokens.token(
            of: radar.id,
            owner: radar.userID,
            RadarSocketTokens.Grant(
                login: claims.login,
                issuedAt: claims.issuedAt,
                endsAt: claims.expiresAt
            ),
            now: HubClock.wall
        )
    }

    /// Answers a rate-limited request, with the headers of the rate.
    private func limited(
        _ window: Locked<RateWindow<[UInt8]>>,
        _ what: String,
        _ user: String,
        _ body: () async throws -> ServerResponse
    ) async throws -> ServerResponse {
        let standing = try take(window, what, Array(user.utf8))
        var response = await answer(body)
        response.head.headers.add(standing)
        return response
    }

    private func take(
        _ window: Locked<RateWindow<[UInt8]>>,
        _ what: String,
        _ caller: [UInt8]
    ) throws -> RateStanding {
        let standing = window.withLock { $0.take(caller, now: HubClock.wall) }
        guard standing.isAllowed else {
            throw RouteRefusal(
                429,
                "RATE_LIMITED",
                "at most \(standing.limit) \(what) in a minute",
                retryAfter: standing.reset - HubClock.wall,
                standing: standing
            )
        }
        return standing
    }

    // MARK: Opinions and trends

    private func opinions(_ request: RouteRequest, _ id: String) async throws -> ServerResponse {
        try await checkReader(of: id, request)
        let limit = try request.number("limit", in: RadarLimits.opinionsPerPage, default: 50)
        let offset = try request.number("offset", in: 0...1_000_000, default: 0)
        let cursor = try cursor(request, of: id)
        // One more than is sent shows whether there are more.
        let rows = try await service.store.readRadars {
            guard let cursor else {
                return try $0.opinions(of: id, limit: limit + 1, offset: offset)
            }
            return try $0.opinions(of: id, after: cursor, limit: limit + 1)
        }
        let page = rows.prefix(limit)
        var response = ServerResponse.uncached(opinionsJSON(page.map(\.opinion)))
        if rows.count > limit, let last = page.last {
            let next = OpinionCursor(createdAt: last.createdAt, id: last.id).text(of: id)
            // RFC 8288 §3: the target is a reference relative to that of the request.
            let target = "/api/radars/\(id)/opinions?limit=\(limit)&cursor=\(next)"
            response.head.headers.append("Link", "<\(target)>; rel=\"next\"")
        }
        return response
    }

    private func cursor(_ request: RouteRequest, of id: String) throws -> OpinionCursor? {
        guard let text = request.query("cursor") else { return nil }
        guard request.query("offset") == nil else {
            throw RouteRefusal(
                400,
                "INVALID_REQUEST",
                "found cursor and offset, expected one of them"
            )
        }
        guard let cursor = OpinionCursor(text, of: id) else {
            throw RouteRefusal(
                400,
                "INVALID_REQUEST",
                "cursor is \"\(text.prefix(32))\", expected one from the Link of this list"
            )
        }
        return cursor
    }

    private func push(_ request: RouteRequest, _ id: String) async throws -> ServerResponse {
        guard let key = request.key?.text else { throw RouteRefusal.keyNeeded }
        guard service.directory[id] != nil else { throw RouteRefusal.radarNotFound }
        let digest = sha256(key.utf8)
        _ = try take(pushes, "opinions of one API key for a radar", Array(id.utf8) + digest)
        let pushed = try PushedOpinion(json: try body(request))
        let opinion = try await service.push(pushed, with: digest, to: id)
        return .uncached(opinion.json(), status: 201)
    }

    private func trends(_ request: RouteRequest, _ id: String) async throws -> ServerResponse {
        try await checkReader(of: id, request)
        let days = try requestedTrendDays(request.query("days"))
        let trend = try await service.trend(of: id, days: days, now: service.clock.now)
        return .uncached(trend.json())
    }

    private func interpret(_ request: RouteRequest) async throws -> ServerResponse {
        let user = try await user(of: request)
        return try await limited(interpretations, "interpretations", user) {
            let asked = try InterpretRequest(json: try body(request))
            let answer = await service.interpret(asked.topic, in: asked.language, for: user)
            return .uncached(answer.interpretation.json(isPending: answer.isPending))
        }
    }

    // MARK: Access

    /// - Throws: `RouteRefusal` for a request without a token that holds.
    private func user(of request: RouteRequest) async throws -> String {
        guard let user = try await token(of: request)?.user, !user.isEmpty else {
            throw RouteRefusal.unauthorized("a token is needed")
        }
        return user
    }

    /// Returns the claims of the request's token; nil for a request without one.
    private func token(of request: RouteRequest) async throws -> ConnectionClaims? {
        do throws(TokenError) {
            return try await access.claims(of: request)
        } catch {
            throw RouteRefusal.unauthorized("\(error)")
        }
    }

    private func checkReader(of id: String, _ request: RouteRequest) async throws {
        let claims = try await token(of: request)
        let identity = Identity(user: claims?.user ?? "")
        guard let entry = service.directory[id], entry.isReadable(by: identity, isGranted: false)
        else {
            // Whether a private radar exists is private.
            if claims == nil {
                throw RouteRefusal.unauthorized("a token is needed")
            }
            throw RouteRefusal.radarNotFound
        }
    }

    @discardableResult
    private func checkOwner(of id: String, _ request: RouteRequest) async throws -> String {
        let user = try await user(of: request)
        guard let entry = service.directory[id] else { throw RouteRefusal.radarNotFound }
        // Not `==`, to which texts of other bytes can be equal.
        guard hasSameBytes(entry.owner, user) else {
            guard entry.isPublic else { throw RouteRefusal.radarNotFound }
            throw RouteRefusal(403, "FORBIDDEN", "the radar belongs to another user")
        }
        return user
    }

    // MARK: Bodies and answers

    /// Answers a read-only request, in the turn of the user, or of the address of a client without
    /// a token.
    private func read(
        _ request: RouteRequest,
        _ body: () async throws -> ServerResponse
    ) async -> ServerResponse {
        await answer {
            let user = try await token(of: request).map { "user \($0.user)" }
            let reader = user ?? "network \(request.peer?.network ?? 0)"
            return try await reads.run(for: Array(reader.utf8), body).tagged(for: request.head)
        }
    }

    private func body(_ request: RouteRequest) throws -> [UInt8] {
        try request.content(upTo: RadarRoutes.bodyBytesMax)
    }

    private func answer(_ body: () async throws -> ServerResponse) async -> ServerResponse {
        await .answer(part: "radar", service.logger) { error in
            switch error {
            case let error as RadarError:
                RouteRefusal(error, now: service.clock.now).response
            case let error as RequestError:
                RouteRefusal(400, "INVALID_REQUEST", "\(error)").response
            default: nil
            }
        } _: {
            try await body()
        }
    }
}

extension RouteRequest {
    fileprivate var radarID: String { parameters["id"] }
}

extension RouteRequest {
    /// A number of the query.
    fileprivate func number(
        _ name: String,
        in range: ClosedRange<Int>,
        default value: Int
    ) throws -> Int {
        guard let text = query(name) else { return value }
        guard let number = Int(text), range.contains(number) else {
            throw RouteRefusal(
                400,
                "INVALID_REQUEST",
                "\(name) is \"\(text.prefix(32))\", expected a whole number from"
                    + " \(range.lowerBound) to \(range.upperBound)"
            )
        }
        return number
    }
}
