/// Why bytes are no feed.
package enum FeedError: Error, Equatable, CustomStringConvertible {
    case empty
    /// In bytes.
    case tooLong(length: Int, limit: Int)
    /// Neither XML of a known root nor JSON Feed; with a description of the content.
    case notAFeed(String)

    package var description: String {
        switch self {
        case .empty: "feed is empty"
        case .tooLong(let length, let limit): "feed of \(length) bytes, over limit \(limit)"
        case .notAFeed(let found): "not a feed: \(found)"
        }
    }

    /// A web page is frequent enough, in place of a feed that has moved, to be named.
    static func describe(root: String) -> String {
        root.lowercased() == "html" ? "a web page" : "root element \"\(printable(root))\""
    }

    /// At most 40 scalars, without control characters: errors are logged.
    private static func printable(_ text: String) -> String {
        let scalars = text.unicodeScalars.prefix(40)
            .map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }
        return String(String.UnicodeScalarView(scalars))
    }
}
