/// One entry of a list of origins: an origin, all below a domain, all ports of the own machine, `null`,
/// or any.
package struct OriginPattern: Hashable, Sendable {
    private enum Kind: Hashable {
        case any
        /// The origin that browsers send for sandboxed frames, local files and some redirects.
        case null
        case exactly(WebOrigin)
        /// Every host below the origin's, not that host itself.
        case below(WebOrigin)
        /// Every port of a loopback host; the origin's own port has no meaning.
        case anyPort(WebOrigin)
    }

    /// The hosts whose pages come from the visitor's own machine. On any other host a page on another port
    /// can belong to someone else.
    private static let loopbackHosts: Set = ["localhost", "127.0.0.1", "[::1]"]

    private let kind: Kind

    /// Every origin, `null` included.
    package static let any = OriginPattern(kind: .any)

    private init(kind: Kind) {
        self.kind = kind
    }

    /// Reads `https://example.org`, `https://*.example.org`, `http://localhost:*`, `null` or `*`. Nil for
    /// anything else, such as an origin with a path, a `*` in another place, or `:*` after a host other
    /// than `localhost`, `127.0.0.1` and `[::1]`.
    package init?(_ text: String) {
        switch text {
        case "*": kind = .any
        case "null": kind = .null
        case _ where text.hasSuffix(":*"):
            let plain = text.dropLast(2)
            // Nothing is between the host and the `:*`: no port, no path.
            guard let origin = WebOrigin(plain), plain.lowercased().hasSuffix("://" + origin.host),
                OriginPattern.loopbackHosts.contains(origin.host)
            else { return nil }
            kind = .anyPort(origin)
        default:
            let mark = "://*."
            let isWild = text.contains(mark)
            let plain = text.replacing(mark, with: "://", maxReplacements: 1)
            guard !plain.contains("*"), let origin = WebOrigin(plain) else { return nil }
            // Nothing is below an address.
            guard !isWild || !origin.host.hasPrefix("[") else { return nil }
            kind = isWild ? .below(origin) : .exactly(origin)
        }
    }

    /// True when the value of an Origin field is meant.
    func matches(_ value: String) -> Bool {
        switch kind {
        case .any: return true
        case .null: return value == "null"
        case .exactly(let origin): return WebOrigin(value) == origin
        case .below(let parent):
            guard let origin = WebOrigin(value) else { return false }
            return origin.scheme == parent.scheme && origin.port == parent.port
                && origin.host.hasSuffix("." + parent.host)
                && origin.host.utf8.count > parent.host.utf8.count + 1
        case .anyPort(let own):
            guard let origin = WebOrigin(value) else { return false }
            return origin.scheme == own.scheme && origin.host == own.host
        }
    }
}

extension OriginPattern: CustomStringConvertible {
    /// The text that reads as the same pattern.
    package var description: String {
        switch kind {
        case .any: "*"
        case .null: "null"
        case .exactly(let origin): "\(origin)"
        case .below(let origin):
            "\(origin)".replacing("://", with: "://*.", maxReplacements: 1)
        case .anyPort(let origin): "\(origin.scheme)://\(origin.host):*"
        }
    }
}
