/// `authority = [ userinfo "@" ] host [ ":" port ]` (RFC 3986 §3.2), with a host that a client can
/// connect to.
struct URIAuthority {
    /// The part before the last `@`, still percent-encoded. By the grammar there is only one `@`,
    /// but one in a password is often not encoded.
    let userInformation: ArraySlice<UInt8>?
    /// A name in lower case, or an IP address without brackets.
    let host: String
    let isAddress: Bool
    /// Nil if there is none, also after a colon.
    let port: UInt16?

    init(_ bytes: ArraySlice<UInt8>) throws(UpstreamURLError) {
        var rest = bytes
        if let mark = rest.lastIndex(of: UInt8(ascii: "@")) {
            userInformation = rest[..<mark]
            rest = rest[(mark + 1)...]
        } else {
            userInformation = nil
        }
        if rest.first == UInt8(ascii: "[") {
            guard let close = rest.firstIndex(of: UInt8(ascii: "]")),
                let address = AddressLiteral(rest[..<close].dropFirst()), address.isIPv6Text
            else { throw .addressInvalid }
            (host, isAddress) = (address.text, true)
            rest = rest[(close + 1)...]
        } else {
            let text = rest.prefix { $0 != UInt8(ascii: ":") }
            (host, isAddress) = try HostName.read(text)
            rest = rest[text.endIndex...]
        }
        port = try Self.port(rest)
    }

    /// - Parameter rest: The part after the host. An empty port is the scheme's own (RFC 3986
    ///   §3.2.3).
    private static func port(_ rest: ArraySlice<UInt8>) throws(UpstreamURLError) -> UInt16? {
        let digits = rest.dropFirst()
        // Checked because `UInt16` would accept "+80".
        guard rest.isEmpty || rest.first == UInt8(ascii: ":"),
            digits.allSatisfy(URICharacters.isDigit)
        else { throw .portInvalid }
        guard !digits.isEmpty else { return nil }
        guard let port = UInt16(String(decoding: digits, as: UTF8.self)), port > 0 else {
            throw .portInvalid
        }
        return port
    }
}

/// The host of a URL, if it is not in brackets.
enum HostName {
    /// The maximum length in bytes, without the dot that may end a name (RFC 1035 §2.3.4).
    static let lengthMax = 253
    static let labelLengthMax = 63

    /// Parses an IPv4 address, or a name in lower case. The dot that ends an absolute name is kept:
    /// with it no search list applies.
    ///
    /// - Parameter bytes: Without a colon, so not an IPv6 address.
    static func read(
        _ bytes: ArraySlice<UInt8>
    ) throws(UpstreamURLError) -> (host: String, isAddress: Bool) {
        guard !bytes.isEmpty else { throw .hostMissing }
        guard bytes.allSatisfy({ $0 < 0x80 }) else { throw .hostNotASCII }
        if let address = AddressLiteral(bytes) { return (address.text, true) }
        let name = bytes.last == UInt8(ascii: ".") ? bytes.dropLast() : bytes
        let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.allSatisfy(isLabel) else { throw .hostInvalid }
        guard name.count <= lengthMax, labels.allSatisfy({ $0.count <= labelLengthMax }) else {
            throw .hostTooLong
        }
        guard let last = labels.last, !isNumber(last) else { throw .hostNumeric }
        return (String(decoding: bytes, as: UTF8.self).lowercased(), false)
    }

    /// RFC 952 §1 as amended by RFC 1123 §2.1, and the underscore, which existing names contain.
    private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
        !label.isEmpty
            && label.allSatisfy {
                URICharacters.isLetter($0) || URICharacters.isDigit($0) || "-_".utf8.contains($0)
            }
    }

    /// Whether a host that ends in this label may be interpreted as an address, as `127.1`,
    /// `0x7f.1` and `2130706433` are by `inet_aton`: "ends in a number" of the URL Standard, §3.5.
    private static func isNumber(_ label: ArraySlice<UInt8>) -> Bool {
        if label.allSatisfy(URICharacters.isDigit) { return true }
        guard label.starts(with: "0x".utf8) || label.starts(with: "0X".utf8) else { return false }
        return label.dropFirst(2).allSatisfy {
            URICharacters.isDigit($0) || (0x61...0x66).contains($0 | 0x20)
        }
    }
}
