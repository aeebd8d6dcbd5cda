// Routing: which endpoint a method and a path lead to, as a value that knows nothing of what its endpoints do.

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
/// A pattern is `/` and segments between slashes: literals, and parameters such as `:id`, which take any one
/// segment.
///
/// - Empty segments of a path mean nothing: `//movies/1/` is `/movies/1`.
/// - A path is split first and decoded afterwards. Literals are compared as the bytes of the request; the
///   segment of a parameter is percent-decoded once, so an escaped slash is a part of its value. A segment
///   with a broken escape, a NUL or bytes that are not UTF-8 is the value of no parameter.
/// - A literal goes before a parameter, and what it leads to decides: nothing is tried again. With `/users/me`
///   and `/users/:id/films`, nothing is at `/users/me/films`. So the time for a match is linear in the length
///   of the path, whatever the patterns, and one look at a pattern shows what it shadows.
/// - HEAD leads where GET does (RFC 9110 §9.3.2), and OPTIONS is answered with the methods of the path
///   (§9.3.7). Neither can be added.
package struct RouteTable<Endpoint: Sendable>: Sendable {
    private struct Node: Sendable {
        var literals: [(text: String, node: Int)] = []
        var parameter: (name: String, node: Int)?
        var endpoints: [RouteMethod: Endpoint] = [:]
        /// What `Allow` lists; empty where no pattern ends.
        var allowed: [String] = []

        func literal(_ segment: Substring) -> Int? {
            literals.first { $0.text.utf8.elementsEqual(segment.utf8) }?.node
        }
    }

    /// The first one is `/`.
    private var nodes = [Node()]
    /// Every pattern with its method, in the order in which they were added.
    package private(set) var routes: [Route] = []
    /// Of all patterns: what `Allow` lists for the server as a whole (RFC 9110 §9.3.7, "*").
    package private(set) var allowed: [String] = []

    package init() {}

    /// Adds a pattern.
    ///
    /// Traps on what can never work: a pattern that is none (`RoutePattern`), a second endpoint for a method
    /// and a pattern, a second name for the parameter at one place.
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

    /// Where a request leads. `path` is that of the request target, not decoded; `*` is the server as a whole.
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

    /// The node at which a pattern ends; nil where none does. No more segments are looked at than patterns have.
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

/// Where a request leads.
package enum RouteMatch<Endpoint: Sendable>: Sendable {
    case endpoint(Endpoint, RouteParameters)
    /// The request asks for the methods of the path.
    case options(allowed: [String])
    /// RFC 9110 §15.5.6: the answer is 405, and lists these in `Allow`.
    case methodNotAllowed(allowed: [String])
    case notFound
}
