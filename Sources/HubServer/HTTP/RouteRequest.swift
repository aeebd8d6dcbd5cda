import HTTPWire
import Reactor
import Routing

/// A request as its route gets it.
struct RouteRequest: Sendable {
    /// Whoever runs an application shows its key here.
    static let apiKeyHeader = "X-API-Key"

    let head: HTTPRequestHead
    let body: [UInt8]
    /// Who is connected: a proxy where there is one.
    let peer: SocketAddress?
    /// Of the path.
    let parameters: RouteParameters

    /// A value of the query: of the first item with that name.
    func query(_ name: String) -> String? { head.queryValue(name) }

    /// The value of a header. Several lines are one list (RFC 9110 §5.3), so that of two keys or two tokens
    /// none is taken.
    func header(_ name: String) -> String? {
        let values = head.headers.all(name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}

/// Answers a request on Swift's cooperative pool.
typealias RouteHandler = @Sendable (RouteRequest) async throws -> ServerResponse

/// The routes of a hub, and the forms of the errors below their paths.
struct Routes: Sendable {
    private(set) var table = RouteTable<RouteHandler>()
    /// The first segments of paths, and the form of errors below them.
    private var errorForms: [(prefix: [Substring], form: ErrorForm)] = []

    mutating func get(_ pattern: String, answer: @escaping RouteHandler) {
        table.add(.get, pattern, answer)
    }

    mutating func post(_ pattern: String, answer: @escaping RouteHandler) {
        table.add(.post, pattern, answer)
    }

    mutating func put(_ pattern: String, answer: @escaping RouteHandler) {
        table.add(.put, pattern, answer)
    }

    mutating func patch(_ pattern: String, answer: @escaping RouteHandler) {
        table.add(.patch, pattern, answer)
    }

    mutating func delete(_ pattern: String, answer: @escaping RouteHandler) {
        table.add(.delete, pattern, answer)
    }

    // MARK: Errors

    /// Sets the form of errors below each of the prefixes, such as `/api/radars`.
    ///
    /// Call it after the routes are added. Traps on a prefix without a route and on a prefix that has a form:
    /// the form could never be used.
    mutating func errors(_ form: ErrorForm, below prefixes: String...) {
        for text in prefixes {
            let prefix = Array(PathSegments(text))
            precondition(table.leads(below: prefix), "no route is below \(text)")
            let isNew = errorForms.allSatisfy { $0.prefix != prefix }
            precondition(isNew, "\(text) has a form of errors")
            errorForms.append((prefix, form))
        }
    }

    /// The form of errors about a path, in any spelling of it that could lead to a route.
    func errorForm(of path: String) -> ErrorForm {
        errorForms.first { PathSegments(path).starts(with: $0.prefix) }?.form ?? .plain
    }
}
