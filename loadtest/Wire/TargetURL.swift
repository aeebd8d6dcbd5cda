/// The server under load: `ws://host:port/path`, `wss://…`, or the same with `http` and `https`.
struct TargetURL: Equatable, Sendable {
    let isSecure: Bool
    let host: String
    let port: UInt16
    /// Path and query, at least `/`; nil when the text has none.
    let path: String?

    init?(_ text: String) {
        guard let separator = text.firstRange(of: "://") else { return nil }
        switch text[..<separator.lowerBound] {
        case "ws", "http": isSecure = false
        case "wss", "https": isSecure = true
        default: return nil
        }
        let rest = text[separator.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@"), !rest.contains("#") else { return nil }
        let target = rest[authority.endIndex...]
        path = target.isEmpty ? nil : target.hasPrefix("/") ? String(target) : "/" + target
        if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
            guard let port = UInt16(authority[authority.index(after: colon)...]) else { return nil }
            self.port = port
            host = TargetURL.withoutBrackets(authority[..<colon])
        } else {
            port = isSecure ? 443 : 80
            host = TargetURL.withoutBrackets(authority)
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
