/// The documents that a feed is asked for, with a check that stops reading any other content.
package struct FeedFormat: Sendable {
    /// The value of `Accept`.
    package let accept: String
    /// Whether a body with this beginning may be such a document. Of any other body only the
    /// beginning is read, enough for the decoder's error message; fifty megabytes of it are not.
    package let mayBegin: @Sendable ([UInt8]) -> Bool
    /// Describes the body of an answer other than 200, for the log; nil if it contains no known
    /// description. The text must contain nothing secret.
    package let explain: @Sendable ([UInt8]) -> String?

    package init(
        accept: String,
        mayBegin: @escaping @Sendable ([UInt8]) -> Bool = { _ in true },
        explain: @escaping @Sendable ([UInt8]) -> String? = { _ in nil }
    ) {
        self.accept = accept
        self.mayBegin = mayBegin
        self.explain = explain
    }

    /// Returns the same format with another `explain`.
    package func explaining(
        _ explain: @escaping @Sendable ([UInt8]) -> String?
    ) -> FeedFormat {
        FeedFormat(accept: accept, mayBegin: mayBegin, explain: explain)
    }

    package static let json = FeedFormat(accept: "application/json") { body in
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        // A byte order mark, which the decoder skips.
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if body.count < mark.count, mark.starts(with: body) { return true }
        let text = body.starts(with: mark) ? body.dropFirst(mark.count) : body[...]
        guard let first = text.first(where: { !isSpace($0) }) else { return true }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }
}
