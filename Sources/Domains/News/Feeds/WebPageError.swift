/// Why bytes are no web page. Damaged HTML is no reason.
package enum WebPageError: Error, Equatable, CustomStringConvertible {
    /// The media type of the response, or the kind of document.
    case notHTML(found: String)

    package var description: String {
        switch self {
        case .notHTML(let found): "found \(found), expected text/html"
        }
    }

    /// At most 60 visible characters: errors are logged and shown.
    static func mediaType(_ text: String) -> WebPageError {
        let lengthMax = 60
        let visible = text.utf8.prefix(lengthMax).filter { (0x21...0x7E).contains($0) }
        return .notHTML(
            found: visible.isEmpty ? "no media type" : String(decoding: visible, as: UTF8.self)
        )
    }
}
