import Activity
import DomainKit

/// The routes of the film app: protocol/activity.md. `LoginRoutes` handles identities.
package struct ActivityRoutes: Sendable {
    package let service: ActivityService
    private let access: RouteAccess
    /// By person.
    private let requests: Locked<RateWindow<Int>>
    /// Of those the ones that change something.
    private let writes: Locked<RateWindow<Int>>
    /// The reads of people take turns.
    private let reads: FairReads
    /// The data that all parts of the hub store about a user.
    let userData: [UserDataSection]
    /// Deletes what other parts of the hub store about a user whose account was deleted.
    private let forget: @Sendable (_ user: String) async -> Void
    /// Parts of their data that people ask for.
    private let exports: Locked<RateWindow<Int>>

    /// Parts of all their data that one person may ask for in a minute.
    private static let exportsPerMinute = 60

    package init(
        service: ActivityService,
        access: RouteAccess,
        reads: FairReads = FairReads(),
        userData: [UserDataSection] = [],
        forget: @escaping @Sendable (_ user: String) async -> Void = { _ in }
    ) {
        self.reads = reads
        self.userData = userData
        self.forget = forget
        exports = Locked(RateWindow(limit: Self.exportsPerMinute, length: .seconds(60)))
        self.service = service
        self.access = access
        let settings = service.settings
        requests = Locked(RateWindow(limit: settings.requestsPerMinute, length: .seconds(60)))
        writes = Locked(RateWindow(limit: settings.writesPerMinute, length: .seconds(60)))
    }

    package static let prefixes = RoutePrefixes(
        .activity,
        "/movies",
        "/watchlist",
        "/feed",
        "/friends",
        "/users"
    )

    package func add(to routes: inout Routes) {
        addFilms(to: &routes)
        addReviews(to: &routes)
        addFeeds(to: &routes)
        addUnread(to: &routes)
        addFriends(to: &routes)
        addPeople(to: &routes)
        routes.errors(ActivityRoutes.prefixes)
    }

    // MARK: Films

    private func addFilms(to routes: inout Routes) {
        routes.get("/movies/search") { request in
            await answer(request) { [service] caller in
                let query = try SearchQuery(
                    q: request.parameter("q"),
                    genres: request.parameter("genres"),
                    year: request.parameter("year"),
                    yearFrom: request.parameter("year_from"),
                    yearTo: request.parameter("year_to"),
                    sort: request.parameter("sort"),
                    limit: request.parameter("limit"),
                    offset: request.parameter("offset")
                )
                return try await service.search(query, for: caller)
            }
        }
        routes.get("/movies/:id") { request in
            await answer(request) { [service] caller in
                try await service.film(try request.filmID, for: caller)
            }
        }
        routes.get("/movies/:id/explanation") { request in
            await answer(request) { [service] caller, language in
                try await service.explanation(of: try request.filmID, for: caller, in: language)
            }
        }
        routes.post("/movies/:id/rate") { request in
            await answer(request, writes: true) { [service] caller in
                let rate = try RateRequest(json: try request.activityContent())
                return try await service.rate(try request.filmID, rate, by: caller).json()
            }
        }
        routes.delete("/movies/:id/rate") { request in
            await answer(request, writes: true) { [service] caller in
                try await service.unrate(try request.filmID, by: caller)
                return successAnswer()
            }
        }
        routes.post("/movies/:id/watch") { request in
            await answer(request, writes: true) { [service] caller in
                let watch = try WatchRequest(json: try request.activityContent())
                return try await service.watch(try request.filmID, watch, by: caller).json()
            }
        }
        routes.post("/movies/:id/watchlist") { request in
            await answer(request, writes: true) { [service] caller in
                let change = try WatchlistRequest(json: try request.activityContent())
                let id = try request.filmID
                let isIn = try await service.setWatchlist(id, change.action, by: caller)
                return watchlistAnswer(filmID: id, isInWatchlist: isIn)
            }
        }
        addNotInterested(to: &routes)
        routes.get("/watchlist") { request in
            await answer(request) { [service] caller in
                try await service.watchlist(of: caller, try request.page)
            }
        }
    }

    private func addNotInterested(to routes: inout Routes) {
        let path = "/movies/:id/not_interested"
        routes.post(path) { request in await self.setNotInterested(true, request) }
        routes.delete(path) { request in await self.setNotInterested(false, request) }
    }

    private func setNotInterested(
        _ isNotInterested: Bool,
        _ request: RouteRequest
    ) async -> ServerResponse {
        await answer(request, writes: true) { [service] caller in
            let id = try request.filmID
            try await service.setNotInterested(isNotInterested, in: id, of: caller)
            return notInterestedAnswer(filmID: id, isNotInterested: isNotInterested)
        }
    }

    private func addReviews(to routes: inout Routes) {
        routes.get("/movies/:id/reviews") { request in
            await answer(request) { [service] caller in
                let page = try request.page
                return try await service.reviews(of: try request.filmID, for: caller, page)
            }
        }
        let like = "/movies/:id/reviews/:review_id/like"
        routes.post(like) { request in await self.like(true, request) }
        routes.delete(like) { request in await self.like(false, request) }
    }

    private func like(_ isLiked: Bool, _ request: RouteRequest) async -> ServerResponse {
        await answer(request, writes: true) { [service] caller in
            let filmID = try request.filmID
            let id = try request.id("review_id") { ActivityError.reviewNotFound($0) }
            return try await service.like(isLiked, review: id, of: filmID, by: caller).json()
        }
    }

    // MARK: Feeds

    private func addFeeds(to routes: inout Routes) {
        routes.get("/feed/recommendations") { request in
            await answer(request) { [service] caller, language in
                try await service.recommendations(for: caller, in: language, try request.page)
            }
        }
        routes.get("/feed/activities") { request in
            await answer(request) { [service] caller in
                let query = try ActivityQuery(
                    type: request.parameter("type"),
                    since: request.parameter("since"),
                    limit: request.parameter("limit"),
                    offset: request.parameter("offset")
                )
                return try await service.activities(of: caller, query)
            }
        }
    }

    /// `GET /feed/unread`.
    private func addUnread(to routes: inout Routes) {
        routes.get("/feed/unread") { request in
            await answer(request) { [service] caller in
                try await service.unread(
                    of: caller,
                    since: try unreadSince(request.parameter("since"))
                )
            }
        }
    }

    // MARK: Friends

    private func addFriends(to routes: inout Routes) {
        routes.get("/friends") { request in
            await answer(request) { [service] caller in
                switch try requestedFriends(request.parameter("status")) {
                case .accepted: try await service.friends(of: caller, try request.page)
                case .blocked: try await service.blockedPeople(by: caller, try request.page)
                }
            }
        }
        routes.delete("/friends/:id") { request in
            await answer(request, writes: true) { [service] caller in
                try await service.unfriend(try request.personID, by: caller).json()
            }
        }
        routes.get("/friends/requests") { request in
            await answer(request) { [service] caller in
                let direction = try requestedDirection(request.parameter("direction"))
                return try await service.friendRequests(of: caller, direction, try request.page)
            }
        }
        routes.post("/friends/requests") { request in
            await answer(request, writes: true) { [service] caller in
                let new = try NewFriendRequest(json: try request.activityContent())
                return try await service.requestFriend(new.userID, by: caller).json()
            }
        }
        routes.delete("/friends/requests/:id") { request in
            await answer(request, writes: true) { [service] caller in
                try await service.withdraw(request: try request.ownRequestID, by: caller).json()
            }
        }
        routes.post("/friends/requests/:id/accept") { request in
            await answer(request, writes: true) { [service] caller in
                try await service.accept(request: try request.friendRequestID, by: caller).json()
            }
        }
        routes.post("/friends/requests/:id/decline") { request in
            await answer(request, writes: true) { [service] caller in
                try await service.decline(request: try request.friendRequestID, by: caller).json()
            }
        }
        routes.post("/friends/:id/block") { request in
            await answer(request, writes: true) { [service] caller in
                try await service.block(try request.personID, by: caller).json()
            }
        }
        routes.delete("/friends/:id/block") { request in
            await answer(request, writes: true) { [service] caller in
                try await service.unblock(try request.personID, by: caller).json()
            }
        }
    }

    // MARK: People

    private func addPeople(to routes: inout Routes) {
        routes.get("/users/me") { request in
            await answer(request) { [service] caller in
                try await service.profile(of: caller, for: caller)
            }
        }
        routes.patch("/users/me") { request in
            await answer(request, writes: true) { [service] caller in
                let patch = try ProfilePatch(json: try request.activityContent())
                try await service.change(patch, of: caller)
                return try await service.profile(of: caller, for: caller)
            }
        }
        routes.delete("/users/me") { request in
            await answer(request, writes: true) { [service, forget] caller in
                try await service.deleteAccount(caller)
                await forget(String(caller))
                return successAnswer()
            }
        }
        routes.get("/users/me/data") { request in
            await answer(request) { caller in
                try takeExport(caller)
                return try await self.userData(of: caller, after: request.parameter("after"))
            }
        }
        routes.get("/users/:id") { request in
            await answer(request) { [service] caller in
                try await service.profile(of: try request.personID, for: caller)
            }
        }
    }

    /// A part of all that the hub stores about a person.
    private func userData(of personID: Int, after text: String?) async throws -> [UInt8] {
        let place = text.flatMap { UserDataPage.Place($0) }
        guard place != nil || text == nil,
            let page = try await UserDataPage.read(
                userData,
                of: String(personID),
                from: place
            )
        else { throw ActivityError.otherUserDataPlace(text ?? "") }
        return userDataAnswer(
            userID: personID,
            at: service.clock.now,
            sections: page.sections,
            next: page.next?.text
        )
    }

    private func takeExport(_ caller: Int) throws(ActivityError) {
        let taken = exports.withLock { $0.take(caller, now: HubClock.wall) }
        guard !taken.isAllowed else { return }
        let wait = (taken.reset - HubClock.wall).inSeconds.rounded(.up)
        throw .rateLimitExceeded(retryAfterSeconds: max(1, Int(wait)))
    }

    // MARK: Identity and rate limits

    /// Returns the answer of a route: JSON that `body` makes for the person of the request's token.
    private func answer(
        _ request: RouteRequest,
        writes isWrite: Bool = false,
        _ body: (Int) async throws -> [UInt8]
    ) async -> ServerResponse {
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
        if let standing { response.head.headers.add(standing) }
        return response
    }

    /// As the other one, for an answer with texts: `body` writes them in the language that the request prefers.
    private func answer(
        _ request: RouteRequest,
        _ body: (Int, FilmLanguage) async throws -> [UInt8]
    ) async -> ServerResponse {
        let language = FilmLanguage(acceptLanguage: request.header("Accept-Language"))
        var response = await answer(request) { caller in try await body(caller, language) }
        guard response.head.status == 200 else { return response }
        response.head.headers.append("Content-Language", language.rawValue)
        response.head.headers.append("Vary", "Accept-Language")
        return response
    }

    /// Counts a request; returns the limit that is closer to being reached.
    private func take(_ caller: Int, _ isWrite: Bool) -> RateStanding {
        let now = HubClock.wall
        let all = requests.withLock { $0.take(caller, now: now) }
        guard isWrite, all.isAllowed else { return all }
        let writes = writes.withLock { $0.take(caller, now: now) }
        return !writes.isAllowed || writes.remaining < all.remaining ? writes : all
    }
}

extension RouteRequest {
    /// A parameter of the query; nil if it is missing or empty: forms send empty fields.
    fileprivate func parameter(_ name: String) -> String? {
        query(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    fileprivate var page: PageRange {
        get throws { try PageRange(limit: parameter("limit"), offset: parameter("offset")) }
    }
}

extension RouteRequest {
    /// A number of the path; any other text refers to nothing.
    fileprivate func id(
        _ name: String,
        _ refusal: (String) -> ActivityError
    ) throws(ActivityError) -> Int {
        let text = parameters[name]
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

    fileprivate var ownRequestID: Int {
        get throws { try id("id") { ActivityError.friendRequestNotFound($0, of: .outgoing) } }
    }
}
