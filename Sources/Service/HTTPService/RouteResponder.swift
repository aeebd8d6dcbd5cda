import Wire

/// Answers requests with the handlers outside the table of routes, and then with the table.
package struct RouteResponder: Sendable {
    private let routes: Routes
    /// The methods of the server as a whole.
    private let allowed: [String]
    private let logger: Logger
    private let keys: KeyReader
    private let keyGrant: @Sendable (String) -> APIKeyGrant?

    /// - Parameter keyGrant: returns the permissions of a key of the server API; nil for any other
    ///   key.
    package init(
        routes: Routes,
        logger: Logger,
        keys: KeyReader = KeyReader(),
        keyGrant: @escaping @Sendable (String) -> APIKeyGrant? = { _ in nil }
    ) {
        self.routes = routes
        self.keys = keys
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
        if response.refusesKey {
            keys.note(.unknown, request.head, from: request.remote, logger)
        }
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
            switch key(of: request, endpoint.scope) {
            case .success(let key):
                return await answer(request, requestID, endpoint, parameters, key)
            case .failure(let refusal): return refusal.response
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
        _ key: RouteRequest.Key?
    ) async -> ServerResponse {
        let routeRequest = RouteRequest(
            head: request.head,
            body: request.body,
            peer: request.peer,
            isForAdmins: request.isForAdmins,
            parameters: parameters,
            key: key
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

    private struct Refusal: Error {
        let response: ServerResponse
    }

    /// Returns the API key of a request, with its permissions; nil without one.
    ///
    /// A key that is not known is refused on all routes, also where no key is needed: its sender
    /// would otherwise receive the answer to a request without it. Only routes that need no
    /// credentials ignore keys, and those whose keys belong to apps decide about them.
    private func key(
        of request: ServerRequest,
        _ scope: RouteScope?
    ) -> Result<RouteRequest.Key?, Refusal> {
        let head = request.head
        guard let use = scope?.use(by: head) ?? APIKeyGrant.Use(head) else { return .success(nil) }
        if scope == nil, routes.takesKeyOfPages(head.path) { return keyBesideApps(head, use) }
        do throws(KeyRefusal) {
            let found = try keys.find(head, from: request.remote, logger, keyGrant)
            guard let (text, grant) = found else {
                guard scope == nil else {
                    return .failure(Refusal(response: RouteRefusal.keyNeeded.response))
                }
                return .success(nil)
            }
            return checked(RouteRequest.Key(text: text, grant: grant), use, head)
        } catch {
            return .failure(
                Refusal(
                    response: scope == nil
                        ? routes.errorForm(of: head.path).keyRefused(error)
                        : ErrorForm.messageAndCode.keyRefused(error)
                )
            )
        }
    }

    /// As `key`, for a route whose keys belong to apps. The route itself refuses unknown keys.
    private func keyBesideApps(
        _ head: HTTPRequestHead,
        _ use: APIKeyGrant.Use
    ) -> Result<RouteRequest.Key?, Refusal> {
        guard case .key(let text) = PresentedKey(head.headers), let grant = keyGrant(text) else {
            return .success(nil)
        }
        return checked(RouteRequest.Key(text: text, grant: grant), use, head)
    }

    /// Refuses a key that lacks the permission for a use. Logs uses that change something.
    private func checked(
        _ key: RouteRequest.Key,
        _ use: APIKeyGrant.Use,
        _ head: HTTPRequestHead
    ) -> Result<RouteRequest.Key?, Refusal> {
        let request = "\(head.method) \(head.path)"
        if let scope = key.grant.missingScope(for: use) {
            keys.note(lacking: scope, key.grant, request, logger)
            let refusal = RouteRefusal(403, "FORBIDDEN", key.grant.refusal(lacking: scope))
            return .failure(Refusal(response: refusal.response))
        }
        if use.changesSomething {
            logger.info(
                "API key used",
                metadata: ["key": "\(key.grant.name)", "method": "\(request)"]
            )
        }
        return .success(key)
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
