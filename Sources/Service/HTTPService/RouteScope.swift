import Wire

/// The permission that the API key of a request needs for a route, in addition to being known.
///
/// `routes.get("/api/feeds", scope: "apps") { … }` answers a request without a known key with 401,
/// and one whose key lacks the scope with 403. A key with `read_only` may use GET and HEAD.
package struct RouteScope: Sendable, Equatable, ExpressibleByStringLiteral {
    /// One of `APIScopes.names`.
    package let name: String
    /// Whether the route itself leaves out what the key's namespaces exclude. If not, a key that is
    /// limited to namespaces is refused.
    package let limitsNamespaces: Bool

    /// Traps on an unknown name.
    package init(_ name: String, limitsNamespaces: Bool = false) {
        precondition(APIScopes.names.contains(name), "no API key has the scope \(name)")
        self.name = name
        self.limitsNamespaces = limitsNamespaces
    }

    package init(stringLiteral name: String) { self.init(name) }

    /// The use that a request makes of its key.
    func use(by head: HTTPRequestHead) -> APIKeyGrant.Use {
        APIKeyGrant.Use(
            name,
            changesSomething: !head.isReading,
            namespaces: limitsNamespaces ? [] : nil
        )
    }
}

/// A route of the table.
package struct RouteEndpoint: Sendable {
    /// The permission that the API key of a request needs; nil if the route checks credentials
    /// itself, or needs none.
    let scope: RouteScope?
    let answer: RouteHandler
}

extension HTTPRequestHead {
    /// Whether the method is safe (RFC 9110 §9.2.1).
    package var isReading: Bool { ["GET", "HEAD"].contains(method) }
}
