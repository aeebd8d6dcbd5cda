/// Where a web page comes from: scheme, host and port (RFC 6454 §4).
package struct WebOrigin: Hashable, Sendable {
    /// In lower case, as the host.
    package let scheme: String
    /// An IPv6 address is in brackets.
    package let host: String
    /// The scheme's own where none is named; nil where the scheme has none.
    package let port: UInt16?

    /// Reads `https://example.org` or `http://[::1]:8000`: the serialization of RFC 6454 §6.2, in
    /// any case of its letters. Nil for anything else, also for `null` and for addresses with a
    /// path.
    package init?(_ text: some StringProtocol) {
        let text = Substring(text)
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
            text[colon...].hasPrefix("://"), WebOrigin.isScheme(text[..<colon]),
            let authority = Authority(text[colon...].dropFirst("://".count)),
            authority.hasHost, text.utf8.last != UInt8(ascii: ":")
        else { return nil }
        scheme = text[..<colon].lowercased()
        host = authority.host.lowercased()
        port = authority.port ?? WebOrigin.defaultPort(ofScheme: scheme)
    }

    /// Whether `authority`, a request's host and port, names this server; a missing port is the
    /// default of the origin's scheme.
    ///
    /// The scheme is not compared: behind a proxy that ends TLS, a server cannot determine its own.
    func isServed(by authority: String) -> Bool {
        guard let defaultPort = WebOrigin.defaultPort(ofScheme: scheme),
            let authority = Authority(authority[...])
        else { return false }
        return equalsIgnoringCase(authority.host, host) && (authority.port ?? defaultPort) == port
    }

    /// Whether the host is `localhost` or an address, which no owner of a name can point at another
    /// machine. Browsers send addresses in the one usual form.
    var isMachine: Bool {
        host == "localhost" || host.hasPrefix("[") || WebOrigin.isIPv4Address(host)
    }

    /// `IPv4address` of RFC 3986 §3.2.2.
    private static func isIPv4Address(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in UInt8(part).map { "\($0)" == part } ?? false }
    }

    private static func defaultPort(ofScheme scheme: String) -> UInt16? {
        switch scheme {
        case "http": 80
        case "https": 443
        default: nil
        }
    }

    /// `scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )` of RFC 3986 §3.1.
    private static func isScheme(_ text: Substring) -> Bool {
        guard text.utf8.first?.isLetter == true else { return false }
        return text.utf8.allSatisfy { byte in
            byte.isLetter || byte.isDigit || byte == UInt8(ascii: "+")
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
        }
    }
}

extension WebOrigin: CustomStringConvertible {
    /// As a browser writes it: without the port that its scheme has anyway.
    package var description: String {
        guard let port, port != WebOrigin.defaultPort(ofScheme: scheme) else {
            return "\(scheme)://\(host)"
        }
        return "\(scheme)://\(host):\(port)"
    }
}
