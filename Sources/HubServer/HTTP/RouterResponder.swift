import Digests
import HTTPTypes
import HTTPWire
import Hummingbird
import Logging
import NIOCore
import Reactor

/// What a route knows of its request besides the request itself.
struct HubRequestContext: RequestContext {
    struct Source: RequestContextSource {
        let logger: Logger
        let requestID: String
        let peer: Reactor.SocketAddress?
    }

    var coreContext: CoreRequestContextStorage
    let requestID: String
    /// Who is connected: a proxy where there is one.
    let peer: Reactor.SocketAddress?

    init(source: Source) {
        coreContext = .init(source: source)
        requestID = source.requestID
        peer = source.peer
    }
}

/// Hummingbird's router, fed by our transport, and beside it the server API and the aurora endpoints, which
/// need no router.
struct RouterResponder: Sendable {
    private let responder: Hummingbird.RouterResponder<HubRequestContext>
    /// Nil until the loops run.
    private let serverAPI: @Sendable () -> ServerAPI?
    /// Nil where the domain is off.
    private let aurora: AuroraAPI?
    private let methods: RouteMethods
    private let logger: Logger

    init(
        router: Router<HubRequestContext>,
        serverAPI: @escaping @Sendable () -> ServerAPI? = { nil },
        aurora: AuroraAPI? = nil,
        logger: Logger
    ) {
        self.serverAPI = serverAPI
        self.aurora = aurora
        methods = RouteMethods(router.routes, otherMethods: ServerAPI.methodsAllowed)
        responder = router.buildResponder()
        self.logger = logger
    }

    func respond(to request: ServerRequest) async -> ServerResponse {
        let requestID = RouterResponder.requestID(of: request.head)
        var response = await answer(request, requestID)
        response.head.headers.replace("X-Request-ID", with: requestID)
        if RouterResponder.isForBackends(request.head.path) { response.isForPages = false }
        return response
    }

    /// Whether all that is at a path is for holders of a key of the server API, who are no web pages.
    private static func isForBackends(_ path: String) -> Bool {
        let place = "/api/webhooks"
        return path == place || path.hasPrefix(place + "/")
    }

    private func answer(_ request: ServerRequest, _ requestID: String) async -> ServerResponse {
        if let response = aurora?.respond(to: request) { return response }
        if let response = await serverAPI()?.respond(to: request) { return response }
        if let refusal = refusal(of: request.head) { return refusal }
        guard let method = HTTPRequest.Method(request.head.method) else {
            preconditionFailure("a route's method is a token")
        }
        var logger = logger
        logger[metadataKey: "hb.request.id"] = "\(requestID)"
        let head = HTTPRequest(
            // RFC 9110 §9.3.2: the same as GET but for the body, which is left out when it is sent.
            method: method == .head ? .get : method,
            scheme: nil,
            authority: request.head.authority,
            // Of an absolute form, too, the router sees what an origin form would have.
            path: request.head.path + (request.head.query.map { "?" + $0 } ?? ""),
            headerFields: RouterResponder.fields(request.head.headers)
        )
        let context = HubRequestContext(
            source: .init(logger: logger, requestID: requestID, peer: request.peer)
        )
        do {
            let response = try await responder.respond(
                to: Request(head: head, body: .init(buffer: ByteBuffer(bytes: request.body))),
                context: context
            )
            return try await collect(response)
        } catch let error as any HTTPResponseError {
            return ServerResponse(status: error.status.code, text: error.status.reasonPhrase)
        } catch {
            logger.error(
                "request failed",
                metadata: ["request": "\(requestID)", "err": "\(error)"],
                source: LogSource.peer
            )
            return ServerResponse(status: 500, text: "internal error")
        }
    }

    /// What is answered without a route: no such path, no such method, and OPTIONS.
    private func refusal(of head: HTTPRequestHead) -> ServerResponse? {
        let allowed = head.path == "*" ? methods.all : methods.at(path: head.path)
        if head.method == "OPTIONS", !allowed.isEmpty { return .options(allowed: allowed) }
        guard !allowed.contains(head.method) else { return nil }
        let form = RefusalForm(path: head.path, in: methods)
        return allowed.isEmpty ? form.notFound : form.methodNotAllowed(allowed: allowed)
    }

    private func collect(_ response: Response) async throws -> ServerResponse {
        var headers = HTTPHeaders()
        for field in response.headers { headers.append(field.name.rawName, field.value) }
        let writer = CollectingWriter()
        try await response.body.write(writer)
        let head = HTTPResponseHead(status: response.status.code, headers: headers)
        return ServerResponse(head: head, body: writer.bytes.withLock { $0 })
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

    private static func fields(_ headers: HTTPHeaders) -> HTTPFields {
        var fields = HTTPFields()
        for (name, value) in headers {
            if let name = HTTPField.Name(name) {
                fields.append(HTTPField(name: name, value: value))
            }
        }
        return fields
    }
}
