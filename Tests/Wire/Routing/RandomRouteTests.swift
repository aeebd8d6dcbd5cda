import Expectations
import SeededRandom

@testable import Wire

/// The rules of `RouteTable`, said once more and slowly: over a list, without a tree.
private struct ListedRoutes {
    /// A segment of a path and what it stands for; nil for one that cannot be decoded.
    typealias Segment = (sent: String, value: String?)

    let routes: [(method: RouteMethod, pattern: String)]

    func outcome(_ method: String, _ segments: [Segment]) -> String {
        var left = routes.map { (route: $0, parts: $0.pattern.split(separator: "/")) }
        for (index, segment) in segments.enumerated() {
            left = left.filter { $0.parts.count > index }
            let spelled = left.filter { $0.parts[index] == segment.sent }
            if !spelled.isEmpty {
                left = spelled
            } else {
                left = left.filter { $0.parts[index].hasPrefix(":") && segment.value != nil }
            }
        }
        left = left.filter { $0.parts.count == segments.count }
        guard !left.isEmpty else { return "404" }
        let asked = method == "HEAD" ? "GET" : method
        if let found = left.first(where: { $0.route.method.rawValue == asked }) {
            let values = zip(found.parts, segments).filter { $0.0.hasPrefix(":") }
                .map { "\($0.0.dropFirst())=\($0.1.value ?? "")" }
            return (["\(asked) \(found.route.pattern)"] + values).joined(separator: " ")
        }
        let present = left.map(\.route.method.rawValue)
        let order = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
        let allowed = order.filter {
            $0 == "OPTIONS" || present.contains($0) || $0 == "HEAD" && present.contains("GET")
        }
        return (method == "OPTIONS" ? "204 " : "405 ") + allowed.joined(separator: ", ")
    }
}

@Suite("Routes: any table and any path", .timeLimit(.minutes(10)))
struct RandomRouteTests {
    private static let literals = ["a", "b", "me", "a.b"]
    private static let segments: [ListedRoutes.Segment] = [
        ("a", "a"), ("b", "b"), ("me", "me"), ("a.b", "a.b"), ("1", "1"), ("m%65", "me"),
        ("%2F", "/"), ("%41%2fb", "A/b"), ("%C3%A5", "å"), ("%00", nil), ("%", nil), ("%zz", nil),
        ("%C0%AF", nil), ("A", "A"), (":a", ":a"), ("*", "*"),
    ]

    /// Routes that go together: the parameter at a place is named after its depth.
    private func routes(
        using random: inout SeededGenerator
    ) -> [(method: RouteMethod, pattern: String)] {
        var known: Set<String> = []
        var routes: [(method: RouteMethod, pattern: String)] = []
        for _ in 0..<Int.random(in: 1...25, using: &random) {
            let parts = (0..<Int.random(in: 0...4, using: &random)).map { depth in
                Int.random(in: 0...2, using: &random) == 0
                    ? ":p\(depth)" : Self.literals.randomElement(using: &random) ?? ""
            }
            let pattern = "/" + parts.joined(separator: "/")
            let method = RouteMethod.allCases.randomElement(using: &random) ?? .get
            guard known.insert("\(method) \(pattern)").inserted else { continue }
            routes.append((method, pattern))
        }
        return routes
    }

    @Test(arguments: UInt64(1)...20)
    func treeAgreesWithTheList(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let routes = routes(using: &random)
            let (table, list) = (RouteTable(routes: routes), ListedRoutes(routes: routes))
            for _ in 0..<60 {
                let segments = (0..<Int.random(in: 0...5, using: &random)).map { _ in
                    Self.segments.randomElement(using: &random) ?? ("a", "a")
                }
                let path =
                    segments.map { segment in
                        String(repeating: "/", count: Int.random(in: 1...2, using: &random))
                            + segment.sent
                    }.joined() + (Bool.random(using: &random) ? "/" : "")
                let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]
                let method = methods.randomElement(using: &random) ?? ""
                expectEqual(
                    table.outcome(method, path),
                    list.outcome(method, segments),
                    "seed \(seed): \(method) \(path) of \(routes)"
                )
            }
        }
    }
}
