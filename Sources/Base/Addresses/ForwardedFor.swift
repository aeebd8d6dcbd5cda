/// The address of a client, from the header `X-Forwarded-For` of a trusted proxy.
package enum ForwardedFor {
    /// Elements that are examined, from the right. Each is one more trusted proxy.
    package static let hopsMax = 32

    /// The right-most address that is not trusted; if all are trusted, the left-most one.
    ///
    /// Each proxy appends the address that it accepted the connection from. So addresses to the left of an
    /// untrusted one are claims of that peer.
    ///
    /// - Parameter values: of all lines of the header, in their order. Elements may have a port, and IPv6
    ///   addresses brackets.
    /// - Returns: nil without an element, if a relevant element is malformed, and if there are more
    ///   than `hopsMax` trusted ones: use the connection's own address.
    package static func client(
        _ values: some Sequence<String>,
        isTrusted: (IPAddress) -> Bool
    ) -> IPAddress? {
        let elements = values.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
        var found: IPAddress?
        for (hop, element) in elements.reversed().enumerated() {
            guard hop < hopsMax, let address = address(element) else { return nil }
            found = address
            if !isTrusted(address) { return address }
        }
        return found
    }

    /// `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:80`, with white space
    /// around it (RFC 9110 §5.6.3).
    static func address(_ element: Substring) -> IPAddress? {
        var text = element
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]"),
                case .v6 = IPAddress(text[text.index(after: text.startIndex)..<end])
            else { return nil }
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") && isPort(rest.dropFirst()) else {
                return nil
            }
            return IPAddress(text[text.index(after: text.startIndex)..<end])?.unmapped
        }
        if text.count(where: { $0 == ":" }) == 1, let colon = text.firstIndex(of: ":") {
            guard isPort(text[text.index(after: colon)...]) else { return nil }
            text = text[..<colon]
        }
        return IPAddress(text)?.unmapped
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt16(text) != nil
    }
}
