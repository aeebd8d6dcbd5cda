/// Which documents a feed is asked for, and which are not worth reading to their end.
package struct FeedFormat: Sendable {
    /// `Accept`.
    package let accept: String
    /// Whether a body that begins so may be such a document. Of others only the beginning is read, from which the
    /// decoder tells what they are instead: fifty megabytes of something else are not.
    package let mayBegin: @Sendable ([UInt8]) -> Bool

    package init(
        accept: String,
        mayBegin: @escaping @Sendable ([UInt8]) -> Bool = { _ in true }
    ) {
        self.accept = accept
        self.mayBegin = mayBegin
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
