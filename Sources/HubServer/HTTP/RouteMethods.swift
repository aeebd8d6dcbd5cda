import HTTPTypes
import Hummingbird

/// Which methods the router's paths have: what `Allow` says of them (RFC 9110 §10.2.1).
///
/// The router itself cannot tell an unknown path from an unknown method of a known one.
struct RouteMethods: Sendable {
    private let routes: [(path: RouterPath, method: String)]
    private let otherMethods: [String]

    /// - Parameter otherMethods: of paths that are answered without the router.
    init(
        _ routes: [Router<HubRequestContext>.RouteDescription],
        otherMethods: [String] = []
    ) {
        self.routes = routes.map { ($0.path, $0.method.rawValue) }
        self.otherMethods = otherMethods
    }

    /// The methods of a path; none where no route leads.
    func at(path: String) -> [String] {
        let parts = path.split(separator: "/")
        var routes = routes
        for (index, part) in parts.enumerated() {
            // Where a route spells a part, the router does not look at those that would capture it.
            let spelled = routes.filter { $0.path.spells(part, at: index) }
            if !spelled.isEmpty { routes = spelled }
            routes.removeAll { !$0.path.takes(part, at: index) }
        }
        return RouteMethods.list(routes.filter { $0.path.leads(to: parts) }.map(\.method))
    }

    /// Whether a route begins with these parts, spelled out.
    func lead(below parts: [Substring]) -> Bool {
        routes.contains { route in
            parts.indices.allSatisfy { route.path.spells(parts[$0], at: $0) }
        }
    }

    /// The methods of the server as a whole, which the target `*` stands for.
    var all: [String] { RouteMethods.list(routes.map(\.method) + otherMethods) }

    /// With HEAD where GET is, and OPTIONS everywhere.
    private static func list(_ methods: [String]) -> [String] {
        guard !methods.isEmpty else { return [] }
        let known = Set(methods + (methods.contains("GET") ? ["HEAD"] : []) + ["OPTIONS"])
        return ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].filter(known.contains)
    }
}

extension RouterPath {
    fileprivate func spells(_ part: Substring, at index: Int) -> Bool {
        index < components.count && components[index] == .path(part)
    }

    /// Whether the part of a path at an index may be one of the route's.
    fileprivate func takes(_ part: Substring, at index: Int) -> Bool {
        index < components.count
            ? components[index] ~= part : components.last == .recursiveWildcard
    }

    /// Whether a path of these parts is one of the route's.
    fileprivate func leads(to parts: [Substring]) -> Bool {
        let elements = components
        if elements.last == .recursiveWildcard, parts.count >= elements.count {
            return zip(elements, parts).allSatisfy { $0 ~= $1 }
        }
        return elements.count == parts.count && zip(elements, parts).allSatisfy { $0 ~= $1 }
    }
}
