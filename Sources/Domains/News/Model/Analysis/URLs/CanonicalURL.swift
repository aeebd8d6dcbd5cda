/// The form of an article's URL by which the same article is recognised.
///
/// - The scheme is `https`, the host in lower case, the default port left out.
/// - Dot segments are resolved. Percent-encoding has upper-case digits, and only where it is
///   needed.
/// - The parameters of the query are sorted, without those that only track readers.
/// - Fragments, mobile hosts and AMP forms are removed: `MobileForms`.
///
/// The canonical form of a canonical form is itself. Hosts with letters outside ASCII are refused;
/// feeds write them as `xn--…`.
package struct CanonicalURL: Hashable, Sendable, CustomStringConvertible {
    /// In bytes, of the URL and of its canonical form.
    package static let lengthMax = 2048

    /// Why a text has no canonical form.
    package enum Refusal: String, Error, Sendable {
        case tooLong = "longer than 2048 bytes"
        case controlCharacter = "has a control character"
        case scheme = "not http or https"
        case userInformation = "has a user name or password"
        case host = "has no valid host"
        case port = "has no valid port"
    }

    /// `https://www.example.com/a?b=1`
    package let text: String
    /// `www.example.com`
    package let host: String

    package init(_ url: some StringProtocol) throws(Refusal) {
        var parts = try URLParts(url)
        while MobileForms.remove(from: &parts) {}
        parts.query = CanonicalURL.canonicalQuery(parts.query)
        let text = parts.text
        guard text.utf8.count <= CanonicalURL.lengthMax else { throw .tooLong }
        self.text = text
        host = parts.host
    }

    package var description: String { text }

    /// Sorted, without empty and tracking parameters.
    private static func canonicalQuery(_ query: [String]) -> [String] {
        query.filter { parameter in
            guard !parameter.isEmpty else { return false }
            let name = parameter.prefix { $0 != "=" }.lowercased()
            return !TrackingParameters.contains(name)
        }.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
    }
}
