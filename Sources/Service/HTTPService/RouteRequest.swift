import Reactor
import Wire

/// A request in the form that its route receives.
package struct RouteRequest: Sendable {
    /// The header with the API key of an application's backend.
    package static let apiKeyHeader = "X-API-Key"

    package let head: HTTPRequestHead
    package let body: [UInt8]
    /// The address of the client: the one named by a trusted proxy, or that of the connection.
    package let peer: SocketAddress?
    /// Whether the request came through a listener of `admin.listen`.
    package let isForAdmins: Bool
    /// The parameters of the path.
    package let parameters: RouteParameters
    /// The request's API key, which is known and may be used for the route; nil without one.
    package let key: Key?
    /// The permissions of that key.
    package var grant: APIKeyGrant? { key?.grant }

    /// A key of the server API, and its permissions.
    package struct Key: Sendable {
        package let text: String
        package let grant: APIKeyGrant

        package init(text: String, grant: APIKeyGrant) {
            self.text = text
            self.grant = grant
        }
    }

    package init(
        head: HTTPRequestHead,
        body: [UInt8],
        peer: SocketAddress?,
        isForAdmins: Bool = false,
        parameters: RouteParameters,
        key: Key? = nil
    ) {
        self.head = head
        self.body = body
        self.peer = peer
        self.isForAdmins = isForAdmins
        self.parameters = parameters
        self.key = key
    }

    /// Returns a value of the query: that of the first item with the name.
    package func query(_ name: String) -> String? { head.queryValue(name) }

    /// Returns the value of a header. Several lines are one list (RFC 9110 §5.3), so if there are
    /// two keys or two tokens, neither is used.
    package func header(_ name: String) -> String? {
        let values = head.headers.all(name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}

/// Answers a request on Swift's cooperative pool.
package typealias RouteHandler = @Sendable (RouteRequest) async throws -> ServerResponse

/// Answers a request if it handles its path; returns nil for all others.
package typealias RequestHandler = @Sendable (ServerRequest) async -> ServerResponse?

/// The routes of a hub, and the forms of the errors below their paths.
package struct Routes: Sendable {
    package private(set) var table = RouteTable<RouteEndpoint>()
    /// The first segments of paths, and the form of errors below them.
    private var errorForms: [(prefix: [Substring], form: ErrorForm)] = []
    /// The first segments of paths that only the leader of the cluster serves.
    private var leaderPrefixes: [(prefix: [Substring], form: ErrorForm)] = []
    package private(set) var beside: [RequestHandler] = []
    private var besideRoutes: [Route] = []
    private var backendPrefixes: [[Substring]] = []
    private var appKeyPrefixes: [[Substring]] = []
    private var adminPrefixes: [[Substring]] = []

    package init() {}

    package mutating func get(
        _ pattern: String,
        scope: RouteScope? = nil,
        answer: @escaping RouteHandler
    ) {
        table.add(.get, pattern, RouteEndpoint(scope: scope, answer: answer))
    }

    package mutating func post(
        _ pattern: String,
        scope: RouteScope? = nil,
        answer: @escaping RouteHandler
    ) {
        table.add(.post, pattern, RouteEndpoint(scope: scope, answer: answer))
    }

    package mutating func put(
        _ pattern: String,
        scope: RouteScope? = nil,
        answer: @escaping RouteHandler
    ) {
        table.add(.put, pattern, RouteEndpoint(scope: scope, answer: answer))
    }

    package mutating func patch(
        _ pattern: String,
        scope: RouteScope? = nil,
        answer: @escaping RouteHandler
    ) {
        table.add(.patch, pattern, RouteEndpoint(scope: scope, answer: answer))
    }

    package mutating func delete(
        _ pattern: String,
        scope: RouteScope? = nil,
        answer: @escaping RouteHandler
    ) {
        table.add(.delete, pattern, RouteEndpoint(scope: scope, answer: answer))
    }

    // MARK: Outside the table

    /// Adds a handler that is called before the table is searched, in the order of these calls.
    ///
    /// For handlers that compare a whole path with few names, so that no other spelling of the path
    /// matches, and that allow or deny web pages for all their responses, including refusals of a
    /// method or a path.
    ///
    /// - Parameter routes: the handled routes, for the listing of all routes.
    package mutating func beside(_ routes: [Route], answer: @escaping RequestHandler) {
        beside.append(answer)
        besideRoutes += routes
    }

    /// All routes.
    package var all: [Route] { table.routes + besideRoutes }

    /// The methods of the server as a whole.
    package var methods: [RouteMethod] { all.map(\.method) }

    // MARK: Web pages

    /// Reserves all paths below a prefix for holders of a key of the server API, which web pages
    /// are not.
    package mutating func backends(below prefix: String) {
        backendPrefixes.append(Array(PathSegments(prefix)))
    }

    /// Whether all routes at a path are for backends, in every spelling of the path that leads to a
    /// route.
    package func isForBackends(_ path: String) -> Bool {
        backendPrefixes.contains { PathSegments(path).starts(with: $0) }
    }

    /// Allows web pages of the allowed origins to send API keys below a prefix, since these keys
    /// belong to apps.
    package mutating func appKeys(below prefix: String) {
        appKeyPrefixes.append(Array(PathSegments(prefix)))
    }

    /// Whether a web page may send an API key to a path.
    package func takesKeyOfPages(_ path: String) -> Bool {
        appKeyPrefixes.contains { PathSegments(path).starts(with: $0) }
    }

    // MARK: Listeners

    /// Closes all paths below the prefixes to requests that come through a public listener.
    package mutating func closeToPublic(_ prefixes: String...) {
        adminPrefixes += prefixes.map { Array(PathSegments($0)) }
    }

    /// Whether only the listeners of `admin.listen` serve a path, in every spelling of it that
    /// leads to a route.
    package func isOnlyForAdmins(_ path: String) -> Bool {
        adminPrefixes.contains { PathSegments(path).starts(with: $0) }
    }

    // MARK: Errors

    /// Sets the form of errors below each of the prefixes, such as `/api/radars`.
    ///
    /// Call it after the routes are added. Traps on a prefix without a route and on a prefix that
    /// already has a form: the form could never be used.
    package mutating func errors(_ form: ErrorForm, below prefixes: String...) {
        for text in prefixes {
            let prefix = Array(PathSegments(text))
            precondition(table.leads(below: prefix), "no route is below \(text)")
            let isNew = errorForms.allSatisfy { $0.prefix != prefix }
            precondition(isNew, "\(text) has a form of errors")
            errorForms.append((prefix, form))
        }
    }

    /// The same for the prefixes of one part of the hub.
    package mutating func errors(_ prefixes: RoutePrefixes) {
        for text in prefixes.paths { errors(prefixes.form, below: text) }
    }

    /// Answers 503 to all requests below prefixes that no route matches: the leader of the cluster
    /// has routes there, and this node does not lead.
    package mutating func standIn(forLeader prefixes: RoutePrefixes) {
        for text in prefixes.paths {
            leaderPrefixes.append((prefix: Array(PathSegments(text)), form: prefixes.form))
        }
    }

    /// Returns the answer to a request that no route matches.
    package func missing(_ path: String) -> ServerResponse {
        let leader = leaderPrefixes.first { PathSegments(path).starts(with: $0.prefix) }
        return leader?.form.notLeading ?? errorForm(of: path).notFound
    }

    /// Returns the form of errors about a path, in any spelling of it that could lead to a route.
    package func errorForm(of path: String) -> ErrorForm {
        errorForms.first { PathSegments(path).starts(with: $0.prefix) }?.form ?? .plain
    }
}
