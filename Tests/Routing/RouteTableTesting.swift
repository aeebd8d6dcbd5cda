import Testing

@testable import Routing

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

/// SplitMix64: a small generator whose whole sequence follows from its seed.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
