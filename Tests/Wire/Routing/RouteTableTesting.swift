import Expectations

@testable import Wire

extension RouteTable where Endpoint == String {
    /// Each endpoint is its method and pattern.
    init(routes: [(RouteMethod, String)]) {
        self.init()
        for (method, pattern) in routes { add(method, pattern, "\(method.rawValue) \(pattern)") }
    }

    /// What becomes of a request, in words: the endpoint and its parameters, or a status and the methods.
    func outcome(_ method: String, _ path: String) -> String {
        switch match(method: method, path: path) {
        case .endpoint(let endpoint, let parameters):
            let names = endpoint.split(separator: "/").filter { $0.hasPrefix(":") }
                .map { String($0.dropFirst()) }
            return ([endpoint] + names.map { "\($0)=\(parameters[$0])" }).joined(separator: " ")
        case .options(let allowed): return "204 " + allowed.joined(separator: ", ")
        case .methodNotAllowed(let allowed): return "405 " + allowed.joined(separator: ", ")
        case .notFound: return "404"
        }
    }
}
