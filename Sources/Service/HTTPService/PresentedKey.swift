import Wire

/// The API key in the headers of a request: `X-API-Key: KEY`, or `Authorization: apikey KEY`
/// (RFC 9110 §11.4: the scheme in any case).
///
/// This is the one reader of keys, for all routes, streams and sockets. Of several keys none counts,
/// whatever they are: a proxy in front may have checked another one.
package enum PresentedKey: Equatable, Sendable {
    case none
    case key(String)
    /// There are several keys, or an empty one.
    case malformed(reason: String)

    private static let scheme = "apikey"

    package init(_ headers: HTTPHeaders) {
        let authorizations = headers.all("Authorization")
        guard authorizations.count <= 1 else {
            // RFC 9110 §5.3: a field that is no list occurs once.
            let reason = "found \(authorizations.count) headers Authorization, expected one"
            self = .malformed(reason: reason)
            return
        }
        let keys =
            headers.all(RouteRequest.apiKeyHeader) + authorizations.compactMap(PresentedKey.key)
        switch keys.first {
        case nil: self = .none
        case _ where keys.count > 1:
            self = .malformed(reason: "found \(keys.count) API keys, expected one")
        case .some(""): self = .malformed(reason: "found an empty API key, expected one")
        case .some(let key): self = .key(key)
        }
    }

    /// Returns the key in a value of `Authorization`, empty if none follows the scheme; nil for
    /// another scheme.
    private static func key(authorization value: String) -> String? {
        guard let (scheme, credentials) = credentials(of: value), scheme == self.scheme else {
            return nil
        }
        return credentials
    }
}

/// Splits a value of `Authorization` into its scheme, in lower case, and the rest (RFC 9110 §11.4);
/// nil for an empty value.
private func credentials(of value: String) -> (scheme: String, rest: String)? {
    let isSpace = { (scalar: Unicode.Scalar) in scalar == " " || scalar == "\t" }
    let parts = value.unicodeScalars.split(maxSplits: 1, whereSeparator: isSpace)
    guard let scheme = parts.first else { return nil }
    var rest = (parts.count > 1 ? parts[1] : scheme[scheme.endIndex...]).drop(while: isSpace)
    while let last = rest.last, isSpace(last) { rest.removeLast() }
    return (String(scheme).lowercased(), String(rest))
}

/// The bearer token of a request: `Authorization: Bearer TOKEN` (RFC 6750 §2.1).
package struct BearerToken {
    package let text: String

    /// Returns nil for a request without a token: without the header, with several of them, or with
    /// one of another scheme.
    package init?(_ headers: HTTPHeaders) {
        let values = headers.all("Authorization")
        // RFC 9110 §11.1: "a case-insensitive token" names the scheme.
        guard values.count == 1, let (scheme, token) = credentials(of: values[0]),
            scheme == "bearer", !token.isEmpty, !token.utf8.contains(UInt8(ascii: " "))
        else { return nil }
        text = token
    }
}
