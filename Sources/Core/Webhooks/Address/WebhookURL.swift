/// The URL of an endpoint, read strictly: ambiguous URLs are refused.
///
/// Only `http` and `https`; no user info and no fragment; a host that is a name in ASCII, an IPv4 address in
/// its usual form or an IPv6 address in brackets. A name whose last label is a number is refused, because
/// resolvers take `2130706433`, `0177.0.0.1` and `0x7f.1` for addresses; so is one that ends with a dot.
package struct WebhookURL: Sendable, Hashable {
    package enum Host: Sendable, Hashable {
        /// In lower case.
        case name(String)
        case address(IPAddress)
    }

    package let isSecure: Bool
    package let host: Host
    package let port: Int
    /// Path and query, beginning with `/`.
    package let target: String

    /// Bytes of a URL.
    package static let lengthMax = 2048
    /// RFC 1035 §2.3.4.
    static let nameLengthMax = 253
    static let labelLengthMax = 63

    package init(_ text: String) throws(WebhookURLError) {
        guard text.utf8.count <= Self.lengthMax else { throw .tooLong(text.utf8.count) }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw .notASCII }
        guard let separator = text.firstRange(of: "://") else { throw .badScheme }
        switch text[..<separator.lowerBound].lowercased() {
        case "http": isSecure = false
        case "https": isSecure = true
        default: throw .badScheme
        }
        let rest = text[separator.upperBound...]
        guard !rest.contains("#") else { throw .fragment }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else { throw .userInfo }
        let path = rest[authority.endIndex...]
        guard Self.isTarget(path) else { throw .badPath }
        target = path.hasPrefix("/") ? String(path) : "/" + path
        let (hostText, portText) = try Self.split(authority)
        host = try Self.host(hostText)
        port = try Self.port(portText) ?? (isSecure ? 443 : 80)
    }

    /// The same URL with its host in lower case and no port where it is the scheme's own.
    package var text: String {
        let shownPort = port == (isSecure ? 443 : 80) ? "" : ":\(port)"
        return (isSecure ? "https://" : "http://") + hostText + shownPort + target
    }

    /// The host in the form of a URL.
    package var hostText: String {
        switch host {
        case .name(let name): name
        case .address(.v4(let bits)): "\(IPAddress.v4(bits))"
        case .address(.v6(let bits)): "[\(IPAddress.v6(bits))]"
        }
    }

    // MARK: Authority

    private static func split(
        _ authority: Substring
    ) throws(WebhookURLError) -> (host: Substring, port: Substring?) {
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { throw .badHost }
            let behind = authority[authority.index(after: end)...]
            guard behind.isEmpty || behind.hasPrefix(":") else { throw .badHost }
            return (authority[...end], behind.isEmpty ? nil : behind.dropFirst())
        }
        guard let colon = authority.firstIndex(of: ":") else { return (authority, nil) }
        return (authority[..<colon], authority[authority.index(after: colon)...])
    }

    private static func port(_ text: Substring?) throws(WebhookURLError) -> Int? {
        guard let text else { return nil }
        guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy(isDigit),
            let port = Int(text), (1...65_535).contains(port)
        else { throw .badPort }
        return port
    }

    private static func host(_ text: Substring) throws(WebhookURLError) -> Host {
        if text.hasPrefix("[") {
            guard case .v6(let bits) = IPAddress(text.dropFirst().dropLast()) else {
                throw .badHost
            }
            return .address(.v6(bits))
        }
        if case .v4(let bits) = IPAddress(text) { return .address(.v4(bits)) }
        let name = text.lowercased()
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard name.utf8.count <= nameLengthMax, labels.allSatisfy(isLabel),
            let last = labels.last, !isNumber(last)
        else { throw .badHost }
        return .name(name)
    }

    private static func isLabel(_ label: Substring) -> Bool {
        (1...labelLengthMax).contains(label.utf8.count)
            && label.utf8.allSatisfy {
                isDigit($0) || (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "-")
                    || $0 == UInt8(ascii: "_")
            }
            && !label.hasPrefix("-") && !label.hasSuffix("-")
    }

    /// Whether a resolver may take a name that ends in this label for an address.
    private static func isNumber(_ label: Substring) -> Bool {
        label.utf8.allSatisfy(isDigit) || label.hasPrefix("0x")
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    // MARK: Target

    /// RFC 3986 §3.3, §3.4: the characters of a path and a query, with whole escapes.
    private static func isTarget(_ text: Substring) -> Bool {
        let marks = "-._~!$&'()*+,;=:@/?%".utf8
        var bytes = text.utf8[...]
        while let byte = bytes.popFirst() {
            let isLetter = (0x61...0x7A).contains(byte | 0x20)
            guard isLetter || isDigit(byte) || marks.contains(byte) else { return false }
            guard byte == UInt8(ascii: "%") else { continue }
            guard let high = bytes.popFirst(), let low = bytes.popFirst(),
                isHexDigit(high), isHexDigit(low)
            else { return false }
        }
        return true
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || (0x61...0x66).contains(byte | 0x20)
    }
}

/// Why a URL is not one of an endpoint. Says nothing of its path, which may be a credential.
package enum WebhookURLError: Error, Equatable, CustomStringConvertible {
    case tooLong(Int)
    case notASCII
    case badScheme
    case userInfo
    case fragment
    case badHost
    case badPort
    case badPath

    package var description: String {
        switch self {
        case .tooLong(let length):
            "url has \(length) bytes, over limit \(WebhookURL.lengthMax)"
        case .notASCII: "url has characters that are not visible ASCII"
        case .badScheme: "url does not begin with http:// or https://"
        case .userInfo: "url has user info"
        case .fragment: "url has a fragment"
        case .badHost:
            "url has a host that is neither a name, nor an IPv4 address of four decimal numbers,"
                + " nor an IPv6 address in brackets"
        case .badPort: "url has a port that is not a number from 1 to 65535"
        case .badPath: "url has a path or query with characters that have to be escaped"
        }
    }
}
