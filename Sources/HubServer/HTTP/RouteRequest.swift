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

/// The routes of a hub.
typealias Routes = RouteTable<RouteHandler>

extension RouteTable where Endpoint == RouteHandler {
    mutating func get(_ pattern: String, answer: @escaping RouteHandler) {
        add(.get, pattern, answer)
    }

    mutating func post(_ pattern: String, answer: @escaping RouteHandler) {
        add(.post, pattern, answer)
    }

    mutating func put(_ pattern: String, answer: @escaping RouteHandler) {
        add(.put, pattern, answer)
    }

    mutating func patch(_ pattern: String, answer: @escaping RouteHandler) {
        add(.patch, pattern, answer)
    }

    mutating func delete(_ pattern: String, answer: @escaping RouteHandler) {
        add(.delete, pattern, answer)
    }
}
