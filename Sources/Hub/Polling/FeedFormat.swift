/// Which documents a feed is asked for, and which are not worth reading to their end.
package struct FeedFormat: Sendable {
    /// `Accept`.
    package let accept: String
    /// Whether a body that begins so may be such a document. Of others only the beginning is read, from which the
    /// decoder tells what they are instead: fifty megabytes of something else are not.
    package let mayBegin: @Sendable ([UInt8]) -> Bool
    /// What the body of an answer other than 200 says, for the log; nil if it says nothing that is known.
    /// Nothing secret may be in it.
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

    /// The same documents, with another reader of errors.
    package func explaining(
        _ explain: @escaping @Sendable ([UInt8]) -> String?
    ) -> FeedFormat {
        FeedFormat(accept: accept, mayBegin: mayBegin, explain: explain)
    }

    package static let json = FeedFormat(accept: "application/json") { body in
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        // A byte order mark, which the decoder passes over.
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if body.count < mark.count, mark.starts(with: body) { return true }
        let text = body.starts(with: mark) ? body.dropFirst(mark.count) : body[...]
        guard let first = text.first(where: { !isSpace($0) }) else { return true }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }
}
