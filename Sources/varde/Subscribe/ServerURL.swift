/// Where a hub is: `ws://host:port`, `wss://…`, or the same with `http` and `https`.
struct ServerURL: Equatable {
    let isSecure: Bool
    let host: String
    let port: UInt16

    init?(_ text: String) {
        guard let separator = text.range(of: "://") else { return nil }
        switch text[..<separator.lowerBound] {
        case "ws", "http": isSecure = false
        case "wss", "https": isSecure = true
        default: return nil
        }
        let authority = text[separator.upperBound...].prefix { $0 != "/" }
        guard !authority.contains("@") else { return nil }
        if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
            guard let port = UInt16(authority[authority.index(after: colon)...]) else { return nil }
            self.port = port
            host = ServerURL.withoutBrackets(authority[..<colon])
        } else {
            port = isSecure ? 443 : 80
            host = ServerURL.withoutBrackets(authority)
        }
        guard !host.isEmpty else { return nil }
    }

    private static func withoutBrackets(_ host: Substring) -> String {
        host.hasPrefix("[") && host.hasSuffix("]")
            ? String(host.dropFirst().dropLast()) : String(host)
    }

    /// For the `Host` header.
    var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }
}
