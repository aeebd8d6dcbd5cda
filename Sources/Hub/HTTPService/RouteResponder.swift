import Digests
import HTTPWire
import LogOutput
import Logging
import Routing
import Tokens
import Tracing

/// Answers requests with the handlers outside the table of routes, and then with the table.
package struct RouteResponder: Sendable {
    private let routes: Routes
    /// The methods of the server as a whole.
    private let allowed: [String]
    private let logger: Logger
    private let keyGrant: @Sendable (String) -> APIKeyGrant?

    /// - Parameter keyGrant: returns the permissions of a key of the server API; nil for any other
    ///   key.
    package init(
        routes: Routes,
        logger: Logger,
        keyGrant: @escaping @Sendable (String) -> APIKeyGrant? = { _ in nil }
    ) {
        self.routes = routes
        self.keyGrant = keyGrant
        allowed = RouteMethod.allowed(routes.methods)
        self.logger = logger
    }

    package func respond(to request: ServerRequest) async -> ServerResponse {
        guard let trace = request.head.traceParent else { return await answer(request) }
        return await CurrentTrace.$value.withValue(trace) { await answer(request) }
    }

    private func answer(_ request: ServerRequest) async -> ServerResponse {
        let requestID = RouteResponder.requestID(of: request.head)
        var response = await answer(request, requestID)
        response.head.headers.replace("X-Request-ID", with: requestID)
        if routes.isForBackends(request.head.path) { response.isForPages = false }
        if routes.takesKeyOfPages(request.head.path) { response.takesKeyOfPages = true }
        return response
    }

    private func answer(_ request: ServerRequest, _ requestID: String) async -> ServerResponse {
        if !request.isForAdmins, routes.isOnlyForAdmins(request.head.path) {
            return .onlyForAdmins
        }
        for answer in routes.beside {
            if let response = await answer(request) { return response }
        }
        let head = request.head
        if head.path == "*", head.method == "OPTIONS" { return .options(allowed: allowed) }
        switch routes.table.match(method: head.method, path: head.path) {
        case .endpoint(let endpoint, let parameters):
            do throws(RouteRefusal) {
                let grant = try grant(head, endpoint.scope)
                return await answer(request, requestID, endpoint, parameters, grant)
            } catch {
                return error.response
            }
        case .options(let allowed): return .options(allowed: allowed)
        case .methodNotAllowed(let allowed):
            return routes.errorForm(of: head.path).methodNotAllowed(allowed: allowed)
        case .notFound: return routes.missing(head.path)
        }
    }

    private func answer(
        _ request: ServerRequest,
        _ requestID: String,
        _ endpoint: RouteEndpoint,
        _ parameters: RouteParameters,
        _ grant: APIKeyGrant?
    ) async -> ServerResponse {
        let routeRequest = RouteRequest(
            head: request.head,
            body: request.body,
            peer: request.peer,
            isForAdmins: request.isForAdmins,
            parameters: parameters,
            grant: grant
        )
        do {
            return try await endpoint.answer(routeRequest)
        } catch {
            logger.error(
                "request failed",
                metadata: ["request": "\(requestID)", "err": "\(error)"],
                source: LogSource.peer
            )
            return ServerResponse(status: 500, text: "internal error")
        }
    }

    // MARK: API keys

    /// Returns the permissions of the request's API key; nil for a route without a scope.
    ///
    /// A route without a scope that accepts keys in addition to other credentials checks only
    /// whether the key is known. So permissions of known keys are checked for all routes.
    private func grant(
        _ head: HTTPRequestHead,
        _ scope: RouteScope?
    ) throws(RouteRefusal) -> APIKeyGrant? {
        guard let scope else {
            if let use = APIKeyGrant.Use(head), let key = head.headers.first(Self.keyHeader),
                let grant = keyGrant(key)
            {
                try check(grant, use, head)
            }
            return nil
        }
        // If there are two keys, neither is used.
        let keys = head.headers.all(Self.keyHeader)
        guard keys.count == 1, let grant = keyGrant(keys[0]) else { throw RouteRefusal.keyNeeded }
        try check(grant, scope.use(by: head), head)
        return grant
    }

    private static let keyHeader = RouteRequest.apiKeyHeader

    /// Refuses a key that lacks the permission for a use. Logs uses that change something.
    private func check(
        _ grant: APIKeyGrant,
        _ use: APIKeyGrant.Use,
        _ head: HTTPRequestHead
    ) throws(RouteRefusal) {
        let request = "\(head.method) \(head.path)"
        guard let scope = grant.missingScope(for: use) else {
            guard use.changesSomething else { return }
            logger.info(
                "API key used",
                metadata: ["key": "\(grant.name)", "method": "\(request)"]
            )
            return
        }
        logger.warning(
            "API key refused",
            metadata: [
                "key": "\(grant.name)", "method": "\(request)", "missing": "\(scope)",
            ],
            source: LogSource.peer
        )
        throw RouteRefusal(403, "FORBIDDEN", grant.refusal(lacking: scope))
    }

    /// Returns the caller's id if it is short and visible ASCII, else a new one.
    private static func requestID(of head: HTTPRequestHead) -> String {
        let lengthMax = 128
        if let given = head.headers.first("X-Request-ID"), !given.isEmpty,
            given.utf8.count <= lengthMax, given.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        {
            return given
        }
        return uuidVersion4(randomBytes(16))
    }
}

extension ServerResponse {
    fileprivate static var onlyForAdmins: ServerResponse {
        var response = ServerResponse(
            status: 404,
            text: "only the listeners of admin.listen serve this path"
        )
        response.isForPages = false
        return response
    }
}

extension APIKeyGrant.Use {
    /// Paths that need no key, whatever credentials a request has.
    private static let open: Set<Substring> = [
        "metrics", "livez", "readyz", "openapi", "asyncapi.json", "schemas",
    ]

    /// The permission that a key needs for a route without a `RouteScope`; nil for a route that
    /// needs no key.
    fileprivate init?(_ head: HTTPRequestHead) {
        let segments = Array(PathSegments(head.path).prefix(2))
        guard let first = segments.first, !Self.open.contains(first), segments != ["api", "health"]
        else { return nil }
        let name =
            switch segments {
            case ["api", "webhooks"]: "webhooks"
            case ["api", "alerts"]: "alerts"
            default: "apps"
            }
        self.init(name, changesSomething: !head.isReading, namespaces: nil)
    }
}
