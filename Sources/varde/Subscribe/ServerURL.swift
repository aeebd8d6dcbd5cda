import ArgumentParser

/// The URL of a hub: `ws://host:port`, `wss://…`, or the same with `http` and `https`.
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
        guard authority.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            !authority.contains(where: { "@?#".contains($0) })
        else { return nil }
        if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
            let digits = authority[authority.index(after: colon)...]
            guard let port = UInt16(digits), port > 0 else { return nil }
            self.port = port
            guard let host = ServerURL.host(authority[..<colon]) else { return nil }
            self.host = host
        } else {
            port = isSecure ? 443 : 80
            guard let host = ServerURL.host(authority) else { return nil }
            self.host = host
        }
    }

    static let defaultText = "http://127.0.0.1:8000"

    /// The hub that a command is for: the value of `--url`, else the variable VARDE_URL, else a hub on
    /// this machine.
    ///
    /// - Parameter form: what the command expects, for the error.
    init(named option: String?, _ environment: [String: String], form: String) throws {
        let variable = environment["VARDE_URL"].flatMap { $0.isEmpty ? nil : $0 }
        let text = option ?? variable ?? ServerURL.defaultText
        guard let url = ServerURL(text) else {
            let source = option == nil && variable != nil ? "VARDE_URL: " : ""
            throw ValidationError("\(source)'\(text)' is not an address; expected \(form)")
        }
        self = url
    }

    /// Nil for a text that is neither a name nor an address. An IPv6 address needs its brackets.
    private static func host(_ text: Substring) -> String? {
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        let host = isBracketed ? text.dropFirst().dropLast() : text
        guard !host.isEmpty, host.contains(":") == isBracketed,
            !host.contains(where: { "[]".contains($0) })
        else { return nil }
        return String(host)
    }

    /// The value of the `Host` header.
    var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }
}
