/// A method that an endpoint can be added for.
package enum RouteMethod: String, CaseIterable, Sendable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"

    /// Creates the method whose endpoint answers a request; nil for OPTIONS and for methods that no
    /// endpoint can have.
    ///
    /// RFC 9110 §9.3.2: "The HEAD method is identical to GET except that the server MUST NOT send
    /// content in the response." The content is removed when the response is sent.
    init?(ofRequest method: String) {
        self.init(rawValue: method == "HEAD" ? "GET" : method)
    }

    /// Returns the methods that `Allow` lists for a resource with endpoints for `methods` (RFC 9110
    /// §10.2.1): with HEAD if GET is among them, and with OPTIONS; empty for none.
    package static func allowed(_ methods: some Sequence<RouteMethod>) -> [String] {
        let methods = Set(methods)
        guard !methods.isEmpty else { return [] }
        let names = allCases.filter(methods.contains).flatMap { method in
            method == .get ? ["GET", "HEAD"] : [method.rawValue]
        }
        return names + ["OPTIONS"]
    }
}
