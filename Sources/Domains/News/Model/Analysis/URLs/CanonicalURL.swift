/// The form of an article's URL by which the same article is recognised.
///
/// - The scheme is `https`, the host in lower case, the default port left out.
/// - Dot segments are resolved. Percent-encoding has upper-case digits, and only where it is
///   needed.
/// - The parameters of the query are sorted, without those that only track readers.
/// - Fragments, mobile hosts and AMP forms are removed: `MobileForms`.
///
/// The canonical form of a canonical form is itself. Letters outside of ASCII are encoded, in hosts
/// as `xn--…`.
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
    /// Without the number sign; nil without one.
    package let fragment: String?
    /// The URL as it was given, for readers: another form may lead to no page.
    package let link: String

    package init(_ url: some StringProtocol) throws(Refusal) {
        var parts = try URLParts(url)
        while MobileForms.remove(from: &parts) {}
        parts.query = CanonicalURL.canonicalQuery(parts.query)
        let text = parts.text
        guard text.utf8.count <= CanonicalURL.lengthMax else { throw .tooLong }
        self.text = text
        host = parts.host
        let given = String(url).trimmingSpaces
        let fragment = given.firstIndex(of: "#").map { String(given[given.index(after: $0)...]) }
        self.fragment = fragment?.isEmpty == true ? nil : fragment
        let link = URLParts.link(given)
        self.link = link.utf8.count <= CanonicalURL.lengthMax ? link : text
    }

    package var description: String { text }

    /// Two forms of one URL are equal.
    package static func == (one: CanonicalURL, other: CanonicalURL) -> Bool {
        one.text == other.text
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(text) }

    /// Sorted, without empty and tracking parameters.
    private static func canonicalQuery(_ query: [String]) -> [String] {
        query.filter { parameter in
            guard !parameter.isEmpty else { return false }
            let name = parameter.prefix { $0 != "=" }.lowercased()
            return !TrackingParameters.contains(name)
        }.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
    }
}

extension String {
    /// Without white space at both ends.
    fileprivate var trimmingSpaces: String {
        let isSpace: (Character) -> Bool = { $0.isWhitespace }
        guard let end = lastIndex(where: { !isSpace($0) }) else { return "" }
        return String(self[...end].drop(while: isSpace))
    }
}
