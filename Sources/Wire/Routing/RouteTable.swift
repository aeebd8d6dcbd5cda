// Routing: maps a method and a path to an endpoint, as a value that is independent of the
// endpoints' work.

/// One entry of a table's listing.
package struct Route: Sendable, Hashable {
    package let method: RouteMethod
    package let pattern: String

    package init(_ method: RouteMethod, _ pattern: String) {
        self.method = method
        self.pattern = pattern
    }
}

/// A tree of patterns over the segments of a path.
///
/// A pattern is `/` and segments between slashes: literals, and parameters such as `:id`, which
/// match any one segment.
///
/// - Empty segments of a path are ignored: `//movies/1/` is `/movies/1`.
/// - A path is first split, then decoded. Literals are compared with the bytes of the request. The
///   segment of a parameter is percent-decoded once, so an escaped slash is part of its value. A
///   segment with an invalid escape, a NUL or invalid UTF-8 does not match a parameter.
/// - A literal takes precedence over a parameter, without backtracking. With `/users/me` and
///   `/users/:id/films`, `/users/me/films` is not found. So the time for a match is linear in the
///   length of the path, whatever the patterns, and each pattern shows what it shadows.
/// - HEAD uses the endpoint of GET (RFC 9110 §9.3.2), and OPTIONS is answered with the methods of
///   the path (§9.3.7). Neither can be added.
package struct RouteTable<Endpoint: Sendable>: Sendable {
    private struct Node: Sendable {
        var literals: [(text: String, node: Int)] = []
        var parameter: (name: String, node: Int)?
        var endpoints: [RouteMethod: Endpoint] = [:]
        /// The methods that `Allow` lists; empty if no pattern ends here.
        var allowed: [String] = []

        func literal(_ segment: Substring) -> Int? {
            literals.first { $0.text.utf8.elementsEqual(segment.utf8) }?.node
        }
    }

    /// The first node is `/`.
    private var nodes = [Node()]
    /// Every pattern with its method, in the order of their addition.
    package private(set) var routes: [Route] = []
    /// The methods of all patterns, for `Allow` of the server as a whole (RFC 9110 §9.3.7, "*").
    package private(set) var allowed: [String] = []

    package init() {}

    /// Adds a pattern.
    ///
    /// Traps on an invalid pattern (`RoutePattern`), on a second endpoint for a method and a
    /// pattern, and on a second name for the parameter at one place.
    package mutating func add(_ method: RouteMethod, _ pattern: String, _ endpoint: Endpoint) {
        var node = 0
        for segment in RoutePattern(pattern).segments {
            switch segment {
            case .literal(let text): node = addLiteral(text, below: node)
            case .parameter(let name): node = addParameter(name, below: node, of: pattern)
            }
        }
        let former = nodes[node].endpoints.updateValue(endpoint, forKey: method)
        precondition(former == nil, "\(method.rawValue) \(pattern) is there twice")
        nodes[node].allowed = RouteMethod.allowed(nodes[node].endpoints.keys)
        routes.append(Route(method, pattern))
        allowed = RouteMethod.allowed(routes.map(\.method))
    }

    private mutating func addLiteral(_ text: String, below node: Int) -> Int {
        if let known = nodes[node].literal(text[...]) { return known }
        nodes[node].literals.append((text, nodes.count))
        nodes.append(Node())
        return nodes.count - 1
    }

    private mutating func addParameter(_ name: String, below node: Int, of pattern: String) -> Int {
        if let known = nodes[node].parameter {
            precondition(known.name == name, "\(pattern): the parameter is :\(known.name)")
            return known.node
        }
        nodes[node].parameter = (name, nodes.count)
        nodes.append(Node())
        return nodes.count - 1
    }

    // MARK: Requests

    /// Returns the target of a request. `path` is the path of the request target, not decoded; `*`
    /// is the server as a whole.
    package func match(method: String, path: String) -> RouteMatch<Endpoint> {
        guard path != "*" else {
            return method == "OPTIONS" && !allowed.isEmpty ? .options(allowed: allowed) : .notFound
        }
        guard let (node, parameters) = walk(path) else { return .notFound }
        if let known = RouteMethod(ofRequest: method), let endpoint = node.endpoints[known] {
            return .endpoint(endpoint, parameters)
        }
        return method == "OPTIONS"
            ? .options(allowed: node.allowed) : .methodNotAllowed(allowed: node.allowed)
    }

    /// Whether a pattern begins with these literals.
    package func leads(below literals: [Substring]) -> Bool {
        var node = 0
        for literal in literals {
            guard let next = nodes[node].literal(literal) else { return false }
            node = next
        }
        return true
    }

    /// Returns the node at which a pattern ends; nil if none does. Reads at most as many segments
    /// as the longest pattern has.
    private func walk(_ path: String) -> (Node, RouteParameters)? {
        var node = 0
        var parameters = RouteParameters()
        for segment in PathSegments(path) {
            if let literal = nodes[node].literal(segment) {
                node = literal
            } else if let parameter = nodes[node].parameter,
                parameters.append(parameter.name, encoded: segment)
            {
                node = parameter.node
            } else {
                return nil
            }
        }
        return nodes[node].allowed.isEmpty ? nil : (nodes[node], parameters)
    }
}

/// The target of a request.
package enum RouteMatch<Endpoint: Sendable>: Sendable {
    case endpoint(Endpoint, RouteParameters)
    /// The request asks for the allowed methods of the path.
    case options(allowed: [String])
    /// RFC 9110 §15.5.6: the answer is 405, and lists these methods in `Allow`.
    case methodNotAllowed(allowed: [String])
    case notFound
}
