// ServerAPI: the requests of backends over HTTP, carried out on the store and on all loops.

import ClientWire
import Service

/// The server API over HTTP: `POST /api/<method>`, for backends; see protocol/server-api.md.
///
/// It is not part of the table of routes: see `RouteResponder`.
package struct ServerAPI: Sendable {
    /// The target of a path of the server API.
    private enum Resource {
        case method(ServerAPIMethod)
        /// A method that client libraries have but the hub does not offer.
        case notOffered(String)
        /// `GET /debug/why`, which is opened by the same keys.
        case why

        var methodsAllowed: [String] {
            switch self {
            case .method, .notOffered: ServerAPI.methodsAllowed
            case .why: RouteMethod.allowed([.get])
            }
        }
    }

    /// The keys that open the API.
    package enum Access: Sendable {
        /// No key is configured; every request is refused.
        case closed
        /// The closure returns the grant of a key, or nil for an unknown key, in a time that does
        /// not depend on the similarity to a valid one.
        case keys(@Sendable (String) -> APIKeyGrant?)
    }

    /// The method of all paths of the API.
    private static let routeMethod = RouteMethod.post
    private static let methodsAllowed = RouteMethod.allowed([routeMethod])
    private static let pathPrefix = "/api/"

    /// The routes of the API, for a listing of all routes. Methods that are not offered are left
    /// out.
    package static let routes =
        ServerAPIMethod.allCases.map { Route(routeMethod, pathPrefix + $0.rawValue) }
        + [Route(.get, whyPath)]

    package let hub: any HubControl
    private let access: Access
    let keys: KeyReader
    let failures: FailedCommands
    private let limits: ServerAPILimits
    let logger: Logger?

    package init(
        hub: any HubControl,
        access: Access,
        keys: KeyReader = KeyReader(),
        failures: FailedCommands = FailedCommands(),
        limits: ServerAPILimits = ServerAPILimits(),
        logger: Logger? = nil
    ) {
        self.hub = hub
        self.access = access
        self.keys = keys
        self.failures = failures
        self.limits = limits
        self.logger = logger
    }

    /// Returns the grant of a key, for the API and for other backend routes; nil for an unknown
    /// key.
    package func grant(of key: String) -> APIKeyGrant? {
        switch access {
        case .closed: nil
        case .keys(let grant): grant(key)
        }
    }

    /// Answers a request for one of the API's paths; returns nil for any other path.
    package func respond(to request: ServerRequest) async -> ServerResponse? {
        guard let resource = ServerAPI.resource(at: request.head.path) else { return nil }
        var response = await answer(request, resource)
        response.isForPages = false
        // Publications and connected clients are only for the holder of the key.
        response.head.headers.replace("Cache-Control", with: "no-store")
        return response
    }

    private static func resource(at path: String) -> Resource? {
        if path == whyPath { return .why }
        guard path.hasPrefix(pathPrefix) else { return nil }
        let name = String(path.dropFirst(pathPrefix.count))
        if let method = ServerAPIMethod(rawValue: name) { return .method(method) }
        return ServerAPIMethod.notOffered.contains(name) ? .notOffered(name) : nil
    }

    private func answer(_ request: ServerRequest, _ resource: Resource) async -> ServerResponse {
        guard resource.methodsAllowed.contains(request.head.method) else {
            return .methodNotAllowed(allowed: resource.methodsAllowed)
        }
        if request.head.method == "OPTIONS" { return .options(allowed: resource.methodsAllowed) }
        let grant: APIKeyGrant
        switch keyGrant(of: request) {
        case .success(let found): grant = found
        case .failure(let refusal): return refusal.response
        }
        switch resource {
        case .why: return await why(request.head, grant)
        case .method(let method):
            if let refusal = ServerAPI.refusalOfContent(request.head.headers) { return refusal }
            return await answer(method, request.body, grant, request.head.traceParent)
        case .notOffered(let name):
            let error = ServerAPIError(.notAvailable, "\(name) is not available")
            return .json(ServerAPIReply.encode(.failure(error)))
        }
    }

    private func answer(
        _ method: ServerAPIMethod,
        _ body: [UInt8],
        _ grant: APIKeyGrant,
        _ trace: TraceParent?
    ) async -> ServerResponse {
        do throws(ServerAPIRequestError) {
            let request = try ServerAPIRequest(method, body: body, limits: limits).traced(by: trace)
            guard case .batch(var batch) = request else {
                if let refusal = refusal(of: request, method, grant) {
                    return .json(ServerAPIReply.encode(.failure(refusal)), status: 403)
                }
                if let topic = await hub.firstUndecided(of: request.topicsNeeded) {
                    return .notLeading(ServerAPIError(undecided: topic))
                }
                let outcome = visible(await carryOut(request), grant)
                failures.note(outcome, method, grant, logger)
                return .json(ServerAPIReply.encode(outcome))
            }
            let methods = batch.commands.map { try? $0.get().method }
            batch.commands = batch.commands.map { command in
                guard case .success(let known) = command,
                    let refusal = refusal(of: known.request, known.method, grant)
                else { return command }
                return .failure(refusal)
            }
            let topics = ServerAPIRequest.batch(batch).topicsNeeded
            if let topic = await hub.firstUndecided(of: topics) {
                return .notLeading(ServerAPIError(undecided: topic))
            }
            let replies = Array(zip(methods, await carryOut(batch).map { visible($0, grant) }))
            for (command, outcome) in replies {
                failures.note(outcome, command ?? method, grant, logger)
            }
            return .json(ServerAPIReply.encode(batch: replies))
        } catch {
            switch error {
            case .notJSON(let reason):
                return ServerResponse(status: 400, text: "the content is not JSON: \(reason)")
            case .refused(let error):
                failures.note(error, method, grant, logger)
                // Senders of a batch expect replies in an answer with 200.
                let status = method == .batch ? 400 : 200
                return .json(ServerAPIReply.encode(.failure(error)), status: status)
            }
        }
    }

    // MARK: Headers

    private struct Refusal: Error {
        let response: ServerResponse

        init(_ text: String) {
            response = .unauthorized(text)
        }
    }

    private func keyGrant(of request: ServerRequest) -> Result<APIKeyGrant, Refusal> {
        let off = "the server API is off: no key is configured for it"
        do throws(KeyRefusal) {
            let found = try keys.find(request.head, from: request.remote, logger) { grant(of: $0) }
            if let found { return .success(found.found) }
            return .failure(
                Refusal(isOff ? off : "an API key is needed, in the header X-API-Key")
            )
        } catch {
            return .failure(Refusal(isOff ? off : error.message))
        }
    }

    private var isOff: Bool {
        switch access {
        case .closed: true
        case .keys: false
        }
    }

    /// The content is read as JSON whatever its type: the key authorises the request, and a web
    /// page cannot send the key without a CORS preflight. So `curl -d` works, which sends
    /// `application/x-www-form-urlencoded`.
    ///
    /// RFC 9110 §15.5.16: the answer names the accepted coding.
    private static func refusalOfContent(_ headers: HTTPHeaders) -> ServerResponse? {
        if let coding = headers.first("Content-Encoding"), coding.lowercased() != "identity" {
            var response = ServerResponse(status: 415, text: "the content has to be sent uncoded")
            response.head.headers.append("Accept-Encoding", "identity")
            return response
        }
        return nil
    }
}

extension ServerAPIError {
    /// The error for a topic that only the leader of the cluster has.
    init(undecided topic: Topic) {
        self.init(
            .internalError,
            "this node does not lead the cluster, and only the leader has topic \(topic);"
                + " try again, or ask another node"
        )
    }
}

extension ServerResponse {
    package static func json(_ body: [UInt8], status: Int = 200) -> ServerResponse {
        ServerResponse(
            head: HTTPResponseHead(status: status, headers: ["Content-Type": "application/json"]),
            body: body
        )
    }

    /// Before the request has any effect, so that a proxy can repeat it on another node.
    fileprivate static func notLeading(_ error: ServerAPIError) -> ServerResponse {
        var response = json(ServerAPIReply.encode(.failure(error)), status: 503)
        response.head.headers.add(retryAfter: ErrorForm.leaderPause)
        return response
    }

    fileprivate static func unauthorized(_ text: String) -> ServerResponse {
        var response = ServerResponse(status: 401, text: text)
        response.head.headers.append("WWW-Authenticate", Challenge.apiKey)
        return response
    }
}
