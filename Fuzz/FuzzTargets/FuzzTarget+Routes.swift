import FuzzKit
import Wire

extension FuzzTarget {
    static let routeTargets = [
        FuzzTarget("route-path", lengthMax: 512, dictionary: "http", check: checkPath)
    ]
}

/// Literals beside parameters at every depth. Each endpoint is its own pattern.
private let table: RouteTable<Route> = {
    var table = RouteTable<Route>()
    for route in [
        Route(.get, "/"), Route(.get, "/a"), Route(.post, "/a"), Route(.get, "/a/:b"),
        Route(.delete, "/a/:b"), Route(.get, "/a/me"), Route(.patch, "/a/:b/c"),
        Route(.put, "/a/me/:d/e"), Route(.get, "/:x/:y/:z/e"),
    ] {
        table.add(route.method, route.pattern, route)
    }
    return table
}()

/// A method, a space and a path.
private func checkPath(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    let words = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    let (method, path) = (String(words[0]), words.count > 1 ? String(words[1]) : "")
    let allowed: [String]
    switch table.match(method: method, path: path) {
    case .endpoint(let route, let parameters):
        try check(parameters, of: route, path)
        try expect(method == "HEAD" || method == route.method.rawValue, "another method")
        guard case .options(let methods) = table.match(method: "OPTIONS", path: path) else {
            throw Violation(description: "an endpoint without methods")
        }
        try expect(methods.contains(method), "an endpoint of a method that is not allowed")
        allowed = methods
    case .options(let methods):
        try expect(method == "OPTIONS", "methods without being asked")
        allowed = methods
    case .methodNotAllowed(let methods):
        try expect(!methods.contains(method), "allowed and refused")
        allowed = methods
    case .notFound: allowed = []
    }
    guard path != "*" else { return }
    for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] {
        for path in [path, "//" + path, path + "/"] {
            if case .endpoint = table.match(method: method, path: path) {
                try expect(allowed.contains(method), "\(method) is answered and not allowed")
            } else {
                try expect(!allowed.contains(method), "\(method) is allowed and not answered")
            }
        }
    }
}

/// The pattern spells the path, segment by segment.
private func check(_ parameters: RouteParameters, of route: Route, _ path: String) throws {
    let sent = Array(PathSegments(path))
    let parts = route.pattern.split(separator: "/")
    try expect(sent.count == parts.count, "\(path) is as long as \(route.pattern)")
    for (part, segment) in zip(parts, sent) {
        guard part.first == ":" else {
            try expect(part.utf8.elementsEqual(segment.utf8), "\(segment) is no \(part)")
            continue
        }
        let value = parameters[String(part.dropFirst())]
        try expect(!value.isEmpty && !value.utf8.contains(0), "an empty value, or one with a NUL")
        try expect(value == percentDecodedText(segment), "\(segment) is read as \(value)")
    }
}
