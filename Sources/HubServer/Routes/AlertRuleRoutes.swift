import Alerts
import HTTPTypes
import Hummingbird
import JSONText
import Locking
import Store
import Timekeeping
import Tokens

/// `/api/alerts/rules`: protocol/alerts.md.
///
/// An API key stands for the operator, who sees and changes all rules; a user's token for the user's own.
struct AlertRuleRoutes: Sendable {
    let rules: AlertRuleStore
    let access: RouteAccess
    /// By the bytes of the user's name.
    private let changes = Locked(
        RateWindow<[UInt8]>(limit: AlertRuleRoutes.changesPerMinute, length: .seconds(60))
    )

    /// Rules that one user may make, replace and delete in a minute: each has all alerts of the user evaluated
    /// anew.
    static let changesPerMinute = 30

    func add(to router: Router<HubRequestContext>) {
        router.get("/api/alerts/rules") { request, _ in await answer { try await list(request) } }
        router.post("/api/alerts/rules") { request, _ in
            await answer { try await create(request) }
        }
        router.get("/api/alerts/rules/:name") { request, context in
            await answer {
                let key = try await key(request, context)
                guard let entry = rules.book[key] else { throw AlertRuleStore.Refusal.notFound }
                return .alertRule(entry)
            }
        }
        router.put("/api/alerts/rules/:name") { request, context in
            await answer {
                let key = try await key(request, context)
                try countChange(by: key.owner, request)
                return .alertRule(try await rules.replace(key, json: try await body(request)))
            }
        }
        router.delete("/api/alerts/rules/:name") { request, context in
            await answer {
                let key = try await key(request, context)
                try countChange(by: key.owner, request)
                try await rules.delete(key)
                return .uncached(Array("{}".utf8))
            }
        }
    }

    private func list(_ request: Request) async throws -> Response {
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

    private func create(_ request: Request) async throws -> Response {
        let caller = try await caller(of: request)
        try countChange(by: caller.user, request)
        let entry = try await rules.create(json: try await body(request), owner: caller.user)
        return .alertRule(entry, status: .created)
    }

    // MARK: Who may

    private enum Caller {
        case `operator`
        case user(String)

        var user: String? {
            if case .user(let user) = self { user } else { nil }
        }
    }

    private func caller(of request: Request) async throws -> Caller {
        if let key = request.headers[.apiKey] {
            guard access.acceptsKey(key) else {
                throw RouteRefusal.unauthorized("the API key is unknown")
            }
            return .operator
        }
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

    /// The rule in the path. The operator names a user's rule with `?owner=`.
    private func key(
        _ request: Request,
        _ context: HubRequestContext
    ) async throws -> AlertRuleKey {
        let name = context.parameters.get("name") ?? ""
        switch try await caller(of: request) {
        case .user(let user): return AlertRuleKey(name: name, owner: user)
        case .operator:
            let owner = request.uri.queryParameters["owner"].map(String.init)
            return AlertRuleKey(name: name, owner: owner)
        }
    }

    /// Only users have a rate: who has a key has more than rules to change.
    private func countChange(by owner: String?, _ request: Request) throws {
        guard let owner, request.headers[.apiKey] == nil else { return }
        let standing = changes.withLock { $0.take(Array(owner.utf8), now: HubClock.wall) }
        guard standing.isAllowed else {
            throw RouteRefusal(
                .tooManyRequests,
                "RATE_LIMITED",
                "at most \(standing.limit) changes of rules in a minute",
                retryAfter: standing.reset - HubClock.wall
            )
        }
    }

    // MARK: Bodies and answers

    private func body(_ request: Request) async throws -> [UInt8] {
        try await request.content(upTo: AlertRuleReader.bytesMax)
    }

    private func answer(_ body: () async throws -> Response) async -> Response {
        do {
            return try await body()
        } catch let refusal as RouteRefusal {
            return refusal.response
        } catch let error as ConfigurationError {
            return .alertProblems(error)
        } catch let refusal as AlertRuleStore.Refusal {
            return RouteRefusal(refusal).response
        } catch let error as StoreError {
            rules.logger.error(
                "alert rule not stored",
                metadata: ["err": "\(error)"],
                source: LogSource.peer
            )
            return RouteRefusal.unavailable.response
        } catch {
            rules.logger.error(
                "alert rules: request failed",
                metadata: ["err": "\(error)"],
                source: LogSource.peer
            )
            return RouteRefusal.internal.response
        }
    }
}

extension RouteRefusal {
    fileprivate init(_ refusal: AlertRuleStore.Refusal) {
        switch refusal {
        case .notFound: self.init(.notFound, "RULE_NOT_FOUND", "there is no such rule")
        case .exists: self.init(.conflict, "RULE_EXISTS", "there is a rule of this name")
        case .configured:
            self.init(.conflict, "RULE_CONFIGURED", "the rule stands in the configuration")
        case .tooMany(let limit, let quota):
            self.init(
                .conflict,
                "TOO_MANY_RULES",
                "at most \(limit) rules of \(quota.rawValue)"
            )
        case .notReadable(let message): self.init(.forbidden, "FORBIDDEN", message)
        case .otherName(let name):
            self.init(.badRequest, "INVALID_RULE", "the path names another rule than \"\(name)\"")
        }
    }
}

extension AlertBook.Entry {
    fileprivate func write(to json: inout JSONWriter) {
        json.object {
            var rule = JSONWriter()
            settings.write(to: &rule)
            $0.raw("rule", rule.bytes)
            $0.field("owner", self.rule.owner)
            $0.field("source", isConfigured ? "configuration" : "api")
        }
    }
}

extension Response {
    fileprivate static func alertRule(
        _ entry: AlertBook.Entry,
        status: HTTPResponse.Status = .ok
    ) -> Response {
        var json = JSONWriter()
        entry.write(to: &json)
        return .uncached(json.bytes, status: status)
    }

    /// Every problem with its place in the content, `rule:LINE:COLUMN`.
    fileprivate static func alertProblems(_ error: ConfigurationError) -> Response {
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
        return .uncached(json.bytes, status: .badRequest)
    }
}
