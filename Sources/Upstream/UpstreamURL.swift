/// An absolute http or https URL, split for a request (RFC 3986 §3, RFC 9110 §4.2).
///
/// A URL that two programs could parse differently is refused: user information, which hides the
/// host behind a text like one; a host that resolvers treat as an address although it is not
/// written as one (`2130706433`, `0x7f.1`); control characters and white space anywhere, except
/// that a redirect may have spaces. The fragment is dropped, because it is never sent (RFC 9110 §7.1).
///
/// Equal URLs have equal texts: the scheme and the host are in lower case, an IPv6 address is in
/// the form of RFC 5952, and the scheme's default port is left out. The path and the query are kept
/// as written, with `.` and `..` segments, but characters that a URI may not contain are
/// percent-encoded.
package struct UpstreamURL: Hashable, Sendable {
    package enum Scheme: String, Hashable, Sendable {
        case http, https

        package var defaultPort: UInt16 {
            switch self {
            case .http: 80
            case .https: 443
            }
        }
    }

    package let scheme: Scheme
    /// A name in lower case, or an IP address without brackets.
    package let host: String
    /// Whether `host` is an IPv4 or IPv6 address.
    package let isAddress: Bool
    package let port: UInt16
    /// The origin form of RFC 9112 §3.2.1: path and query, beginning with `/`.
    package let target: String

    /// The maximum length of the parsed text, and of the sent text, in bytes. "It is RECOMMENDED
    /// that all senders and recipients support, at a minimum, URIs with lengths of 8000 octets"
    /// (RFC 9110 §4.1).
    package static let lengthMax = 8192

    package init(_ text: String) throws(UpstreamURLError) {
        let reference = try URIReference(text)
        guard let scheme = try reference.scheme.map(Self.scheme) else { throw .schemeMissing }
        guard let authority = reference.authority else { throw .authorityMissing }
        try self.init(scheme, authority, path: reference.path, query: reference.query)
    }

    init(
        _ scheme: Scheme,
        _ authority: ArraySlice<UInt8>,
        path: ArraySlice<UInt8>,
        query: ArraySlice<UInt8>?
    ) throws(UpstreamURLError) {
        let authority = try URIAuthority(authority)
        guard authority.userInformation == nil else { throw .userInformation }
        self.scheme = scheme
        host = authority.host
        isAddress = authority.isAddress
        port = authority.port ?? scheme.defaultPort
        target = try Self.target(path: path, query: query)
        try checkLength()
    }

    /// A URL of the same server.
    init(
        at url: UpstreamURL,
        path: ArraySlice<UInt8>,
        query: ArraySlice<UInt8>?
    ) throws(UpstreamURLError) {
        scheme = url.scheme
        host = url.host
        isAddress = url.isAddress
        port = url.port
        target = try Self.target(path: path, query: query)
        try checkLength()
    }

    package var isSecure: Bool { scheme == .https }

    /// The value of Host (RFC 9110 §7.2): an IPv6 address in brackets, and no port if it is the
    /// scheme's default.
    package var authority: String {
        let bracketed = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return port == scheme.defaultPort ? bracketed : "\(bracketed):\(port)"
    }

    /// Scheme and authority, without path and query.
    package var origin: String { "\(scheme.rawValue)://\(authority)" }

    static func scheme(_ bytes: ArraySlice<UInt8>) throws(UpstreamURLError) -> Scheme {
        let name = String(decoding: bytes, as: UTF8.self).lowercased()
        guard let scheme = Scheme(rawValue: name) else { throw .schemeUnsupported }
        return scheme
    }

    private static func target(
        path: ArraySlice<UInt8>,
        query: ArraySlice<UInt8>?
    ) throws(UpstreamURLError) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(path.count + (query?.count ?? 0) + 2)
        // RFC 9110 §4.2.3: "an empty path component is equivalent to an absolute path of "/"".
        if path.isEmpty { bytes.append(UInt8(ascii: "/")) }
        try URICharacters.append(path, to: &bytes)
        if let query {
            bytes.append(UInt8(ascii: "?"))
            try URICharacters.append(query, to: &bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Percent-encoding and the merging of paths make a text longer than the one that was read.
    private func checkLength() throws(UpstreamURLError) {
        let length = origin.utf8.count + target.utf8.count
        guard length <= Self.lengthMax else { throw .tooLong(length) }
    }
}

extension UpstreamURL: CustomStringConvertible {
    /// The whole URL with its query, which may contain a key: not for log entries and error
    /// messages.
    package var description: String { origin + target }
}

/// The reason why a text is not the URL of an upstream. No description contains a part of the text,
/// because user information, queries and paths contain passwords and keys, and other parts may
/// contain them by mistake.
package enum UpstreamURLError: Error, Hashable, Sendable {
    case tooLong(Int)
    case forbiddenCharacter
    case schemeMissing
    case schemeUnsupported
    case authorityMissing
    case userInformation
    case hostMissing
    case hostNotASCII
    case hostInvalid
    case hostTooLong
    case hostNumeric
    case addressInvalid
    case portInvalid
    case percentEncodingInvalid
}

extension UpstreamURLError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tooLong(let length):
            "url has \(length) bytes, over limit \(UpstreamURL.lengthMax)"
        case .forbiddenCharacter:
            "url has a control character or white space, which has to be percent-encoded"
        case .schemeMissing: "url does not begin with http:// or https://"
        case .schemeUnsupported: "url has a scheme other than http and https"
        case .authorityMissing: "url has no // with a host after its scheme"
        case .userInformation: "url has user information in front of its host: remove it and the @"
        case .hostMissing: "url has no host"
        case .hostNotASCII: "url has a host that is not ASCII: write it in its xn-- form"
        case .hostInvalid:
            "url has a host that is neither an address nor a name of letters, digits, - and _,"
                + " separated by single dots"
        case .hostTooLong:
            "url has a host over limit \(HostName.lengthMax) bytes, or a label in it over limit"
                + " \(HostName.labelLengthMax) bytes"
        case .hostNumeric:
            "url has a host that ends in a number but is not an IPv4 address of four decimal"
                + " numbers"
        case .addressInvalid: "url has no valid IPv6 address between its brackets"
        case .portInvalid: "url has a port that is not a number from 1 to 65535"
        case .percentEncodingInvalid:
            "url has a % without two hexadecimal digits after it: write %25"
        }
    }
}
