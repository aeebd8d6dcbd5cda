import Digests
import HTTPWire
import LogOutput
import Logging
import Routing

/// Answers requests by the table of routes.
///
/// The server API and the aurora endpoints answer beside the table. Each compares a whole path with few names, so
/// that no other spelling of a path opens them, and marks all its answers for or against web pages, refusals of a
/// method or a path included; a route marks only its own.
struct RouteResponder: Sendable {
    private let routes: Routes
    /// Nil until the loops run.
    private let serverAPI: @Sendable () -> ServerAPI?
    /// Nil where the domain is off.
    private let aurora: AuroraAPI?
    /// Of the server as a whole.
    private let allowed: [String]
    private let logger: Logger

    init(
        routes: Routes,
        serverAPI: @escaping @Sendable () -> ServerAPI? = { nil },
        aurora: AuroraAPI? = nil,
        logger: Logger
    ) {
        self.routes = routes
        self.serverAPI = serverAPI
        self.aurora = aurora
        allowed = RouteMethod.allowed(routes.table.routes.map(\.method) + [ServerAPI.routeMethod])
        self.logger = logger
    }

    func respond(to request: ServerRequest) async -> ServerResponse {
        let requestID = RouteResponder.requestID(of: request.head)
        var response = await answer(request, requestID)
        response.head.headers.replace("X-Request-ID", with: requestID)
        if RouteResponder.isForBackends(request.head.path) { response.isForPages = false }
        return response
    }

    /// Whether all that is at a path is for holders of a key of the server API, who are no web pages. In every
    /// spelling of the path that leads to a route.
    private static func isForBackends(_ path: String) -> Bool {
        PathSegments(path).starts(with: ["api", "webhooks"])
    }

    private func answer(_ request: ServerRequest, _ requestID: String) async -> ServerResponse {
        if let response = aurora?.respond(to: request) { return response }
        if let response = await serverAPI()?.respond(to: request) { return response }
        let head = request.head
        if head.path == "*", head.method == "OPTIONS" { return .options(allowed: allowed) }
        switch routes.table.match(method: head.method, path: head.path) {
        case .endpoint(let handler, let parameters):
            return await answer(request, requestID, handler, parameters)
        case .options(let allowed): return .options(allowed: allowed)
        case .methodNotAllowed(let allowed):
            return routes.errorForm(of: head.path).methodNotAllowed(allowed: allowed)
        case .notFound: return routes.errorForm(of: head.path).notFound
        }
    }

    private func answer(
        _ request: ServerRequest,
        _ requestID: String,
        _ handler: RouteHandler,
        _ parameters: RouteParameters
    ) async -> ServerResponse {
        let routeRequest = RouteRequest(
            head: request.head,
            body: request.body,
            peer: request.peer,
            parameters: parameters
        )
        do {
            return try await handler(routeRequest)
        } catch {
            logger.error(
                "request failed",
                metadata: ["request": "\(requestID)", "err": "\(error)"],
                source: LogSource.peer
            )
            return ServerResponse(status: 500, text: "internal error")
        }
    }

    /// The caller's id when it is short and visible ASCII, else one of ours.
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
