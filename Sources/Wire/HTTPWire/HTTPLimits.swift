/// The limits beyond which a parser refuses a message.
///
/// A limit is the last value that is accepted. Nothing here bounds time: the caller closes a peer
/// that is slow.
package struct HTTPLimits: Sendable, Equatable {
    /// The longest request or status line in bytes, without its CRLF. RFC 9112 §3 asks for at least
    /// 8000.
    package let startLineLengthMax: Int
    /// The longest head in bytes: start line, fields and the empty line.
    package let headBytesMax: Int
    /// The most fields in a head, and the most in a trailer section.
    package let headerCountMax: Int
    /// The longest content in bytes, after the transfer coding is removed. `Int.max` for a stream.
    package let bodyBytesMax: Int
    /// The longest line with the size of a chunk in bytes, extensions included, without its CRLF.
    package let chunkLineLengthMax: Int
    /// The most bytes of chunk extensions in one message. Without it, a body of chunks of one byte
    /// could carry hundreds of times its own length (RFC 9112 §7.1.1).
    package let chunkExtensionBytesMax: Int
    /// The longest trailer section in bytes, with its empty line.
    package let trailerBytesMax: Int
    /// The most 1xx responses before the final one.
    package let informationalResponseCountMax: Int

    package init(
        startLineLengthMax: Int = 8 * 1024,
        headBytesMax: Int = 16 * 1024,
        headerCountMax: Int = 100,
        bodyBytesMax: Int = 1024 * 1024,
        chunkLineLengthMax: Int = 256,
        chunkExtensionBytesMax: Int = 4 * 1024,
        trailerBytesMax: Int = 4 * 1024,
        informationalResponseCountMax: Int = 16
    ) {
        // "GET / HTTP/1.1", and the two CRLF after it.
        let startLineLengthMin = 14
        let lineEndsLength = 4
        precondition(startLineLengthMax >= startLineLengthMin)
        precondition(startLineLengthMax < Int.max - lineEndsLength)
        precondition(headBytesMax >= startLineLengthMax + lineEndsLength)
        precondition(headerCountMax >= 1, "a request of HTTP/1.1 has a Host field")
        precondition(bodyBytesMax >= 0)
        precondition(chunkLineLengthMax >= 1)
        precondition(chunkExtensionBytesMax >= 0)
        precondition(trailerBytesMax >= 2, "the empty line has two bytes")
        precondition(trailerBytesMax <= headBytesMax)
        precondition(informationalResponseCountMax >= 0)
        self.startLineLengthMax = startLineLengthMax
        self.headBytesMax = headBytesMax
        self.headerCountMax = headerCountMax
        self.bodyBytesMax = bodyBytesMax
        self.chunkLineLengthMax = chunkLineLengthMax
        self.chunkExtensionBytesMax = chunkExtensionBytesMax
        self.trailerBytesMax = trailerBytesMax
        self.informationalResponseCountMax = informationalResponseCountMax
    }
}
