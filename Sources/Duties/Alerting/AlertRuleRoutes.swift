import Configuration
import Service

/// `/api/alerts/rules`: protocol/alerts.md.
///
/// An API key grants access as the operator, to all rules; a user's token only to the user's own
/// rules.
package struct AlertRuleRoutes: Sendable {
    package let rules: AlertRuleStore
    package let access: RouteAccess
    /// The currently served names, used to warn about rules that can never match; nil to omit the
    /// warnings.
    package let names: @Sendable () -> ServedNames?

    package init(
        rules: AlertRuleStore,
        access: RouteAccess,
        names: @escaping @Sendable () -> ServedNames? = { nil }
    ) {
        self.rules = rules
        self.access = access
        self.names = names
    }

    /// By the bytes of the user's name.
    private let changes = Locked(
        RateWindow<[UInt8]>(limit: AlertRuleRoutes.changesPerMinute, length: .seconds(60))
    )

    /// The number of rules that one user may create, replace and delete in a minute: each change
    /// causes all alerts of the user to be evaluated again.
    package static let changesPerMinute = 30

    package static let prefixes = RoutePrefixes(.messageAndCode, "/api/alerts")

    package func add(to routes: inout Routes) {
        routes.get("/api/alerts/rules") { request in await answer { try await list(request) } }
        routes.post("/api/alerts/rules") { request in
            await answer { try await create(request) }
        }
        routes.get("/api/alerts/rules/:name") { request in
            await answer {
                let key = try await key(request)
                guard let entry = rules.book[key] else { throw AlertRuleStore.Refusal.notFound }
                return .alertRule(entry)
            }
        }
        routes.put("/api/alerts/rules/:name") { request in
            await answer {
                let key = try await key(request)
                try countChange(by: key.owner, request)
                return answer(try await rules.replace(key, json: try body(request)))
            }
        }
        routes.delete("/api/alerts/rules/:name") { request in
            await answer {
                let key = try await key(request)
                try countChange(by: key.owner, request)
                try await rules.delete(key)
                return .uncached(Array("{}".utf8))
            }
        }
        routes.errors(AlertRuleRoutes.prefixes)
    }

    private func list(_ request: RouteRequest) async throws -> ServerResponse {
        let entries: [AlertBook.Entry]
        switch try await caller(of: request) {
        case .operator: entries = rules.book.entries(of: nil)
        case .user(let user): entries = rules.book.entries(of: user)
        }
        var json = JSONWriter()
        json.object {
            $0.array("rules") { json in
                for entry in entries { entry.write(to: &json) }
            }
        }
        return .uncached(json.bytes)
    }

    private func create(_ request: RouteRequest) async throws -> ServerResponse {
        let caller = try await caller(of: request)
        try countChange(by: caller.user, request)
        let entry = try await rules.create(json: try body(request), owner: caller.user)
        return answer(entry, status: 201)
    }

    /// Returns the response with a rule that was just created or replaced.
    private func answer(_ entry: AlertBook.Entry, status: Int = 200) -> ServerResponse {
        let warning = names()?.warning(ofTopics: entry.settings.topics)
        return .alertRule(entry, status: status, warning: warning.map { "topics: \($0)" })
    }

    // MARK: Who may

    private enum Caller {
        case `operator`
        case user(String)

        var user: String? {
            if case .user(let user) = self { user } else { nil }
        }
    }

    private func caller(of request: RouteRequest) async throws -> Caller {
        if request.key != nil { return .operator }
        let claims: ConnectionClaims?
        do throws(TokenError) {
            claims = try await access.claims(of: request)
        } catch {
            throw RouteRefusal.unauthorized("\(error)")
        }
        guard let claims else {
            throw RouteRefusal.unauthorized("an API key or a token is needed")
        }
        guard !claims.user.isEmpty else {
            throw RouteRefusal.unauthorized("the token names no user")
        }
        return .user(claims.user)
    }

    /// Returns the key of the rule in the path. The operator names a user's rule with `?owner=`.
    private func key(_ request: RouteRequest) async throws -> AlertRuleKey {
        let name = request.parameters["name"]
        switch try await caller(of: request) {
        case .user(let user): return AlertRuleKey(name: name, owner: user)
        case .operator:
            let owner = request.query("owner")
            return AlertRuleKey(name: name, owner: owner)
        }
    }

    /// Only users have a rate limit: holders of an API key can change more than rules.
    private func countChange(by owner: String?, _ request: RouteRequest) throws {
        guard let owner, request.key == nil else { return }
        let standing = changes.withLock { $0.take(Array(owner.utf8), now: HubClock.wall) }
        guard standing.isAllowed else {
            throw RouteRefusal(
                429,
                "RATE_LIMITED",
                "at most \(standing.limit) changes of rules in a minute",
                retryAfter: standing.reset - HubClock.wall
            )
        }
    }

    // MARK: Bodies and answers

    private func body(_ request: RouteRequest) throws -> [UInt8] {
        try request.content(upTo: AlertRuleReader.bytesMax)
    }

    private func answer(_ body: () async throws -> ServerResponse) async -> ServerResponse {
        await .answer(part: "alert rules", rules.logger) { error in
            switch error {
            case let error as ConfigurationError: .alertProblems(error)
            case let error as AlertRuleStore.Refusal: RouteRefusal(error).response
            default: nil
            }
        } _: {
            try await body()
        }
    }
}

extension RouteRefusal {
    fileprivate init(_ refusal: AlertRuleStore.Refusal) {
        switch refusal {
        case .notFound: self.init(404, "RULE_NOT_FOUND", "there is no such rule")
        case .exists: self.init(409, "RULE_EXISTS", "there is a rule of this name")
        case .configured:
            self.init(409, "RULE_CONFIGURED", "the rule is part of the configuration")
        case .tooMany(let limit, let quota):
            self.init(
                409,
                "TOO_MANY_RULES",
                "at most \(limit) rules of \(quota.rawValue)"
            )
        case .notReadable(let message): self.init(403, "FORBIDDEN", message)
        case .otherName(let name):
            self.init(400, "INVALID_RULE", "the path names another rule than \"\(name)\"")
        }
    }
}

extension AlertBook.Entry {
    package func write(to json: inout JSONWriter, warning: String? = nil) {
        json.object {
            var rule = JSONWriter()
            settings.write(to: &rule)
            $0.raw("rule", rule.bytes)
            $0.field("owner", self.rule.owner)
            $0.field("source", isConfigured ? "configuration" : "api")
            guard let warning else { return }
            $0.array("warnings") { $0.value(warning) }
        }
    }
}

extension ServerResponse {
    fileprivate static func alertRule(
        _ entry: AlertBook.Entry,
        status: Int = 200,
        warning: String? = nil
    ) -> ServerResponse {
        var json = JSONWriter()
        entry.write(to: &json, warning: warning)
        return .uncached(json.bytes, status: status)
    }

    /// Returns all problems, each with its position in the content, `rule:LINE:COLUMN`.
    static func alertProblems(_ error: ConfigurationError) -> ServerResponse {
        var json = JSONWriter()
        json.object {
            $0.field("message", error.problems[0].description)
            $0.field("code", "INVALID_RULE")
            $0.array("problems") { json in
                for problem in error.problems {
                    json.object {
                        $0.field("location", problem.location)
                        $0.field("message", problem.message)
                    }
                }
            }
        }
        return .uncached(json.bytes, status: 400)
    }
}
