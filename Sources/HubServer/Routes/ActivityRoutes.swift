import Activity
import HTTPTypes
import Hummingbird
import Locking
import Timekeeping

/// The routes of the film app: protocol/activity.md. Who somebody is, is for `LoginRoutes`.
struct ActivityRoutes: Sendable {
    let service: ActivityService
    private let access: RouteAccess
    /// By person.
    private let requests: Locked<RateWindow<Int>>
    /// Of those the ones that change something.
    private let writes: Locked<RateWindow<Int>>
    /// What people ask for is read in turns.
    private let reads: FairReads

    init(service: ActivityService, access: RouteAccess, reads: FairReads = FairReads()) {
        self.reads = reads
        self.service = service
        self.access = access
        let settings = service.settings
        requests = Locked(RateWindow(limit: settings.requestsPerMinute, length: .seconds(60)))
        writes = Locked(RateWindow(limit: settings.writesPerMinute, length: .seconds(60)))
    }

    func add(to router: Router<HubRequestContext>) {
        addFilms(to: router)
        addFeeds(to: router)
        addFriends(to: router)
        addPeople(to: router)
    }

    // MARK: Films

    private func addFilms(to router: Router<HubRequestContext>) {
        router.get("/movies/search") { request, _ in
            await answer(request) { [service] caller in
                let query = try SearchQuery(
                    q: request.query("q"),
                    genres: request.query("genres"),
                    limit: request.query("limit"),
                    offset: request.query("offset")
                )
                return try await service.search(query, for: caller)
            }
        }
        router.get("/movies/:id") { request, context in
            await answer(request) { [service] caller in
                try await service.film(try context.filmID, for: caller)
            }
        }
        router.get("/movies/:id/explanation") { request, context in
            await answer(request) { [service] caller in
                try await service.explanation(of: try context.filmID, for: caller)
            }
        }
        router.post("/movies/:id/rate") { request, context in
            await answer(request, writes: true) { [service] caller in
                let rate = try RateRequest(json: try await request.activityContent())
                return try await service.rate(try context.filmID, rate, by: caller).json()
            }
        }
        router.delete("/movies/:id/rate") { request, context in
            await answer(request, writes: true) { [service] caller in
                try await service.unrate(try context.filmID, by: caller)
                return successAnswer()
            }
        }
        router.post("/movies/:id/watch") { request, context in
            await answer(request, writes: true) { [service] caller in
                let watch = try WatchRequest(json: try await request.activityContent())
                return try await service.watch(try context.filmID, watch, by: caller).json()
            }
        }
        router.post("/movies/:id/watchlist") { request, context in
            await answer(request, writes: true) { [service] caller in
                let change = try WatchlistRequest(json: try await request.activityContent())
                let id = try context.filmID
                let isIn = try await service.setWatchlist(id, change.action, by: caller)
                return watchlistAnswer(filmID: id, isInWatchlist: isIn)
            }
        }
        router.get("/watchlist") { request, _ in
            await answer(request) { [service] caller in
                try await service.watchlist(of: caller, try request.page)
            }
        }
        router.get("/movies/:id/reviews") { request, context in
            await answer(request) { [service] caller in
                let page = try request.page
                return try await service.reviews(of: try context.filmID, for: caller, page)
            }
        }
        let like: RouterPath = "/movies/:id/reviews/:review_id/like"
        router.post(like) { request, context in await self.like(true, request, context) }
        router.delete(like) { request, context in await self.like(false, request, context) }
    }

    private func like(
        _ isLiked: Bool,
        _ request: Request,
        _ context: HubRequestContext
    ) async -> Response {
        await answer(request, writes: true) { [service] caller in
            let filmID = try context.filmID
            let id = try context.id("review_id") { ActivityError.reviewNotFound($0) }
            return try await service.like(isLiked, review: id, of: filmID, by: caller).json()
        }
    }

    // MARK: Feeds

    private func addFeeds(to router: Router<HubRequestContext>) {
        router.get("/feed/recommendations") { request, _ in
            await answer(request) { [service] caller in
                try await service.recommendations(for: caller, try request.page)
            }
        }
        router.get("/feed/activities") { request, _ in
            await answer(request) { [service] caller in
                let query = try ActivityQuery(
                    type: request.query("type"),
                    since: request.query("since"),
                    limit: request.query("limit"),
                    offset: request.query("offset")
                )
                return try await service.activities(of: caller, query)
            }
        }
    }

    // MARK: Friends

    private func addFriends(to router: Router<HubRequestContext>) {
        router.get("/friends") { request, _ in
            await answer(request) { [service] caller in
                try await service.friends(of: caller, try request.page)
            }
        }
        router.delete("/friends/:id") { request, context in
            await answer(request, writes: true) { [service] caller in
                try await service.unfriend(try context.personID, by: caller).json()
            }
        }
        router.get("/friends/requests") { request, _ in
            await answer(request) { [service] caller in
                let direction = try requestedDirection(request.query("direction"))
                return try await service.friendRequests(of: caller, direction, try request.page)
            }
        }
        router.post("/friends/requests") { request, _ in
            await answer(request, writes: true) { [service] caller in
                let new = try NewFriendRequest(json: try await request.activityContent())
                return try await service.requestFriend(new.userID, by: caller).json()
            }
        }
        router.post("/friends/requests/:id/accept") { request, context in
            await answer(request, writes: true) { [service] caller in
                try await service.accept(request: try context.friendRequestID, by: caller).json()
            }
        }
        router.post("/friends/requests/:id/decline") { request, context in
            await answer(request, writes: true) { [service] caller in
                try await service.decline(request: try context.friendRequestID, by: caller).json()
            }
        }
        router.post("/friends/:id/block") { request, context in
            await answer(request, writes: true) { [service] caller in
                try await service.block(try context.personID, by: caller).json()
            }
        }
        router.delete("/friends/:id/block") { request, context in
            await answer(request, writes: true) { [service] caller in
                try await service.unblock(try context.personID, by: caller).json()
            }
        }
    }

    // MARK: People

    private func addPeople(to router: Router<HubRequestContext>) {
        router.get("/users/me") { request, _ in
            await answer(request) { [service] caller in
                try await service.profile(of: caller, for: caller)
            }
        }
        router.patch("/users/me") { request, _ in
            await answer(request, writes: true) { [service] caller in
                let patch = try ProfilePatch(json: try await request.activityContent())
                try await service.change(patch, of: caller)
                return try await service.profile(of: caller, for: caller)
            }
        }
        router.delete("/users/me") { request, _ in
            await answer(request, writes: true) { [service] caller in
                try await service.deleteAccount(caller)
                return successAnswer()
            }
        }
        router.get("/users/:id") { request, context in
            await answer(request) { [service] caller in
                try await service.profile(of: try context.personID, for: caller)
            }
        }
    }

    // MARK: Who asks, and how often

    /// What a route answers: JSON that `body` makes for the person whose token the request shows.
    private func answer(
        _ request: Request,
        writes isWrite: Bool = false,
        _ body: (Int) async throws -> [UInt8]
    ) async -> Response {
        var standing: RateStanding?
        var response = await activityAnswer(service.logger) {
            let caller = try await access.personID(of: request)
            let taken = take(caller, isWrite)
            standing = taken
            guard taken.isAllowed else {
                let wait = (taken.reset - HubClock.wall).inSeconds.rounded(.up)
                throw ActivityError.rateLimitExceeded(retryAfterSeconds: max(1, Int(wait)))
            }
            try await service.touch(caller)
            guard !isWrite else { return .uncached(try await body(caller)) }
            return .uncached(
                try await reads.run(for: Array("person \(caller)".utf8)) { try await body(caller) }
            )
        }
        if let standing { response.headers.add(standing) }
        return response
    }

    /// Counts a request; what is told is the limit that is closer.
    private func take(_ caller: Int, _ isWrite: Bool) -> RateStanding {
        let now = HubClock.wall
        let all = requests.withLock { $0.take(caller, now: now) }
        guard isWrite, all.isAllowed else { return all }
        let writes = writes.withLock { $0.take(caller, now: now) }
        return !writes.isAllowed || writes.remaining < all.remaining ? writes : all
    }
}

extension Request {
    fileprivate func query(_ name: String) -> String? {
        uri.queryParameters[name[...]].map(String.init)
    }

    fileprivate var page: PageRange {
        get throws { try PageRange(limit: query("limit"), offset: query("offset")) }
    }
}

extension HubRequestContext {
    /// A number of the path; whatever else stands there is the name of nothing.
    fileprivate func id(
        _ name: String,
        _ refusal: (String) -> ActivityError
    ) throws(ActivityError) -> Int {
        let text = parameters.get(name) ?? ""
        guard let id = idInPath(text) else { throw refusal(text) }
        return id
    }

    fileprivate var filmID: Int {
        get throws { try id("id") { ActivityError.movieNotFound($0) } }
    }

    fileprivate var personID: Int {
        get throws { try id("id") { ActivityError.userNotFound($0) } }
    }

    fileprivate var friendRequestID: Int {
        get throws { try id("id") { ActivityError.friendRequestNotFound($0) } }
    }
}
