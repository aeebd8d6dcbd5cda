extension HTTPHeaders {
    /// The reader for the content of a message with these fields; nil if they do not define its end
    /// (RFC 9112 §6.3). Throws if they are ambiguous.
    ///
    /// - Parameter unfolds: of a trailer section, see `HTTPHeaders.init(parsing:from:unfolds:)`.
    func bodyReader(
        version: HTTPVersion,
        limits: HTTPLimits,
        unfolds: Bool
    ) throws(HTTPMessageError) -> BodyReader? {
        guard try isChunked(version: version) else {
            return try contentLength(limits: limits).map(BodyReader.length)
        }
        // RFC 9112 §6.1: "A server MAY reject a request that contains both Content-Length and
        // Transfer-Encoding"; it is the mark of request smuggling.
        guard !contains("Content-Length") else { throw .contentLengthWithTransferEncoding }
        return .chunked(ChunkedReader(unfolds: unfolds))
    }

    /// Stricter than RFC 9112 §6.3, which lets a recipient take a list of equal lengths: no sender
    /// that we know needs it.
    private func contentLength(limits: HTTPLimits) throws(HTTPMessageError) -> Int? {
        let values = all("Content-Length")
        guard values.count < 2 else { throw .contentLengthRepeated(count: values.count) }
        guard let value = values.first else { return nil }
        // Int takes a sign, Content-Length does not; the empty value and an overflow give nil.
        guard value.utf8.allSatisfy(\.isDigit), let length = Int(value) else {
            throw .contentLengthInvalid(value)
        }
        guard length <= limits.bodyBytesMax else {
            throw .contentTooLong(length: length, max: limits.bodyBytesMax)
        }
        return length
    }

    /// True for the one transfer coding that is implemented, in the one spelling that no two readers
    /// can understand differently: a single field with the single word.
    private func isChunked(version: HTTPVersion) throws(HTTPMessageError) -> Bool {
        let values = all("Transfer-Encoding")
        guard !values.isEmpty else { return false }
        // RFC 9112 §6.1: "A server or client that receives an HTTP/1.0 message containing a
        // Transfer-Encoding header field MUST treat the message as if the framing is faulty".
        guard version > .http10 else { throw .transferEncodingInHTTP10 }
        if values.count == 1, equalsIgnoringCase(values[0], "chunked") { return true }
        let codings = listValues("Transfer-Encoding")
        // RFC 9112 §6.3: "If a Transfer-Encoding header field is present in a request and the chunked
        // transfer coding is not the final encoding, … the server MUST respond with the 400 (Bad
        // Request) status code". Otherwise §6.1 has an unknown coding answered with 501.
        guard let last = codings.last, equalsIgnoringCase(last, "chunked"),
            let unknown = codings.first(where: { !equalsIgnoringCase($0, "chunked") })
        else { throw .transferEncodingInvalid(values.joined(separator: ", ")) }
        throw .transferCodingUnsupported(String(unknown))
    }
}
