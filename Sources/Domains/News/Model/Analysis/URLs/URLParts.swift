/// The parts of an http or https URL, normalised by RFC 3986 §6.2.2 and without a fragment.
struct URLParts {
    /// In lower case, without a dot at the end; IPv6 addresses in brackets.
    var host: String
    /// Nil for the default port.
    var port: Int?
    /// Begins with a slash.
    var path: String
    /// The parameters in their order.
    var query: [String]

    init(_ url: some StringProtocol) throws(CanonicalURL.Refusal) {
        let bytes = URLParts.trimmed(Array(url.utf8))
        guard bytes.count <= CanonicalURL.lengthMax else { throw .tooLong }
        guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { throw .controlCharacter }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let (isSecure, rest) = URLParts.withoutScheme(text) else { throw .scheme }
        let authority = rest.prefix { !"/?#\\".contains($0) }
        guard !authority.contains("@") else { throw .userInformation }
        (host, port) = try URLParts.hostAndPort(authority, isSecure: isSecure)

        let target = rest[authority.endIndex...].prefix { $0 != "#" }
        guard target.first != "\\" else { throw .host }
        path = URLParts.resolved(URLParts.encoded(target.prefix { $0 != "?" }))
        query = target.drop { $0 != "?" }.dropFirst().split(separator: "&").map(URLParts.encoded)
    }

    var text: String {
        "https://" + host + (port.map { ":\($0)" } ?? "") + path
            + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }

    private static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
        let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        return Array(bytes.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }

    private static func withoutScheme(_ text: String) -> (isSecure: Bool, rest: Substring)? {
        for (scheme, isSecure) in [("https://", true), ("http://", false)] {
            let prefix = text.prefix(scheme.count)
            if prefix.lowercased() == scheme { return (isSecure, text[prefix.endIndex...]) }
        }
        return nil
    }

    private static func hostAndPort(
        _ authority: Substring,
        isSecure: Bool
    ) throws(CanonicalURL.Refusal) -> (String, Int?) {
        let nameEnd =
            authority.first == "["
            ? authority.firstIndex(of: "]").map(authority.index(after:)) : nil
        let end = nameEnd ?? authority.firstIndex(of: ":") ?? authority.endIndex
        guard let host = canonicalHost(authority[..<end]) else { throw .host }
        let rest = authority[end...]
        guard !rest.isEmpty else { return (host, nil) }
        let digits = rest.dropFirst()
        guard rest.first == ":", digits.allSatisfy({ $0.isASCII && $0.isNumber }) else {
            throw .port
        }
        guard !digits.isEmpty else { return (host, nil) }
        guard let port = Int(digits), (1...65_535).contains(port) else { throw .port }
        // The canonical form is https in any case, so its default port goes with both schemes.
        return (host, port == 443 || (port == 80 && !isSecure) ? nil : port)
    }

    /// Nil for text that is neither a name (RFC 1123 §2.1, and `_`, which hosts in use have) nor an
    /// address.
    static func canonicalHost(_ text: Substring) -> String? {
        var host = Punycode.ascii(host: text.lowercased())
        if host.hasPrefix("[") {
            let address = host.dropFirst().dropLast()
            let isAddress = address.utf8.allSatisfy {
                (0x30...0x3A).contains($0) || (0x61...0x66).contains($0) || $0 == 0x2E
            }
            return host.hasSuffix("]") && address.contains(":") && isAddress ? host : nil
        }
        if host.hasSuffix(".") { host.removeLast() }
        let labels = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isName = labels.allSatisfy { label in
            (1...63).contains(label.count) && label.allSatisfy(isNameByte)
        }
        return isName && host.utf8.count <= 253 ? host : nil
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "_")
    }

    /// Percent-encoding in its normal form (RFC 3986 §6.2.2.1 and §6.2.2.2).
    static func encoded(_ text: Substring) -> String {
        let bytes = Array(text.utf8)
        var output: [UInt8] = []
        var index = 0
        while index < bytes.count {
            var byte = bytes[index]
            var isEncoded = false
            if byte == UInt8(ascii: "%"), index + 2 < bytes.count,
                let high = digit(bytes[index + 1]), let low = digit(bytes[index + 2])
            {
                byte = high << 4 | low
                isEncoded = true
                index += 2
            }
            index += 1
            if isUnreserved(byte) || (!isEncoded && isReserved(byte)) {
                output.append(byte)
            } else {
                output += [UInt8(ascii: "%"), hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 15)]]
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static let hexDigits = Array("0123456789ABCDEF".utf8)

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._~".utf8.contains(byte)
        }
    }

    /// The other characters allowed in paths and queries (RFC 3986 §3.3 and §3.4).
    private static func isReserved(_ byte: UInt8) -> Bool { "!$&'()*+,;=:@/?".utf8.contains(byte) }

    /// Without dot segments (RFC 3986 §5.2.4).
    private static func resolved(_ path: String) -> String {
        var segments: [Substring] = []
        let given = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for (index, segment) in given.enumerated() {
            let isLast = index == given.count - 1
            switch segment {
            case ".": if isLast { segments.append("") }
            case "..":
                if !segments.isEmpty { segments.removeLast() }
                if isLast { segments.append("") }
            default: segments.append(segment)
            }
        }
        return "/" + segments.joined(separator: "/")
    }
}

extension URLParts {
    /// A link as a source gave it, with what a URL cannot have in its encoded form (RFC 3986 §2.1):
    /// spaces and letters outside of ASCII, which in a host are Punycode.
    static func link(_ url: String) -> String {
        guard url.utf8.contains(where: { !isLinkByte($0) }) else { return url }
        guard let start = url.firstRange(of: "://")?.upperBound else { return url }
        let authority = url[start...].prefix { !"/?#".contains($0) }
        var link = Array((url[..<start] + Punycode.ascii(host: authority.lowercased())).utf8)
        for byte in url[authority.endIndex...].utf8 {
            if isLinkByte(byte) {
                link.append(byte)
            } else {
                link += [UInt8(ascii: "%"), hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 15)]]
            }
        }
        return String(decoding: link, as: UTF8.self)
    }

    private static func isLinkByte(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !"\"<>\\^`{|}".utf8.contains(byte)
    }
}
