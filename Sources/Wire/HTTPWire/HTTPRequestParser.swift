/// Reads the requests of one connection, the server's side of RFC 9112.
///
/// **Use.** Hand over every input from the stream with `consumed` at 0 and call `next` until it returns
/// nil; then all of the input is consumed and the next input may come. An error is final: answer with
/// its `status` and close. Each request gives `.head`, any number of `.body`, and `.end`; the call after
/// `.end` begins the next request, which may lie in the same input (RFC 9112 §9.3.2, pipelining). To
/// answer in order, stop calling until the response is written, and keep what is not consumed. On a
/// change of protocol take `.end` first, then stop: the new protocol begins at `consumed`.
///
/// **States.** Head, body, failed. The one input is the bytes.
///
/// **Memory.** A head that is whole in one input is parsed there. The beginning of a split one is
/// kept, at most `headBytesMax` bytes; likewise a trailer section. Otherwise no heap memory is
/// held.
///
/// **Not here.** Time limits, responses, `100 Continue`, the meaning of methods and targets.
/// Trailer fields are dropped.
///
/// RFC 9112 §2 (messages), §3 (request line), §5 (fields), §6 (body), §7 (chunked).
package struct HTTPRequestParser: ~Copyable {
    private enum State {
        /// Between requests, or in a head. To body when the head is whole, to failed.
        case head(isAfterEmptyLine: Bool)
        /// To head when the content has ended, to failed.
        case body(BodyReader)
        /// Stays.
        case failed(HTTPRequestError)
    }

    private let limits: HTTPLimits
    private var state = State.head(isAfterEmptyLine: false)
    /// Whether the request that is being read, or was refused, uses HEAD, as far as its bytes show.
    ///
    /// For callers that refuse a request whose head is not available. RFC 9110 §9.3.2: "the server
    /// MUST NOT send content in the response".
    package private(set) var asksForHEAD = false
    /// The head or trailer section that is being read.
    private var section = SectionReader()

    package init(limits: HTTPLimits = HTTPLimits()) {
        self.limits = limits
    }

    /// True between requests, with no byte of the next one seen: the connection may be closed without
    /// a loss.
    package var isIdle: Bool {
        switch state {
        case .head: section.isEmpty
        case .body, .failed: false
        }
    }

    /// The heap memory that the beginning of a split head holds, in bytes.
    package var heldBytes: Int { section.buffer.capacity }

    /// Takes bytes of `input` from `consumed` on and returns the next event; nil when all of the input
    /// is consumed and more is needed.
    ///
    /// Throws when the client broke the protocol or passed a limit, and then the same error at every
    /// further call.
    package mutating func next(
        _ input: Span<UInt8>,
        consumed: inout Int
    ) throws(HTTPRequestError) -> HTTPRequestEvent? {
        precondition(consumed >= 0)
        precondition(consumed <= input.count)
        do throws(HTTPRequestError) {
            switch state {
            case .head: return try nextHead(input, consumed: &consumed)
            case .body(let reader): return try nextBody(reader, input, consumed: &consumed)
            case .failed(let error): throw error
            }
        } catch {
            section.reset()
            state = .failed(error)
            throw error
        }
    }

    private mutating func nextHead(
        _ input: Span<UInt8>,
        consumed: inout Int
    ) throws(HTTPRequestError) -> HTTPRequestEvent? {
        while let location = try readSection(input, consumed: &consumed) {
            guard let head = try head(at: location, in: input) else { continue }
            state = .body(try bodyReader(head))
            return .head(head)
        }
        return nil
    }

    /// The head at `location`, nil for an empty line in front of it.
    private mutating func head(
        at location: SectionReader.Location,
        in input: Span<UInt8>
    ) throws(HTTPRequestError) -> HTTPRequestHead? {
        defer { section.reset() }
        let isEmptyLine: Bool
        switch location {
        case .input(let range): isEmptyLine = range.count == 2
        case .buffer: isEmptyLine = section.buffer.count == 2
        }
        guard !isEmptyLine else {
            try skipEmptyLine()
            return nil
        }
        switch location {
        case .input(let range): return try HTTPRequestHead(parsing: input.extracting(range))
        case .buffer: return try HTTPRequestHead(parsing: section.buffer.span)
        }
    }

    /// RFC 9112 §2.2: "a server that is expecting to receive and parse a request-line SHOULD ignore at
    /// least one empty line (CRLF) received prior to the request-line." We ignore exactly one.
    private mutating func skipEmptyLine() throws(HTTPRequestError) {
        if case .head(isAfterEmptyLine: true) = state { throw .emptyLines }
        state = .head(isAfterEmptyLine: true)
    }

    private mutating func nextBody(
        _ reader: BodyReader,
        _ input: Span<UInt8>,
        consumed: inout Int
    ) throws(HTTPRequestError) -> HTTPRequestEvent? {
        var reader = reader
        do throws(HTTPMessageError) {
            let step = try reader.next(
                input,
                consumed: &consumed,
                section: &section,
                limits: limits
            )
            state = .body(reader)
            switch step {
            case nil: return nil
            case .bytes(let range): return .body(range)
            case .end:
                state = .head(isAfterEmptyLine: false)
                return .end
            }
        } catch {
            throw .message(error)
        }
    }

    private mutating func readSection(
        _ input: Span<UInt8>,
        consumed: inout Int
    ) throws(HTTPRequestError) -> SectionReader.Location? {
        let rest = input.extracting(consumed..<input.count)
        do throws(HTTPMessageError) {
            let location = try section.read(
                input,
                consumed: &consumed,
                kind: .head,
                limits: limits
            )
            // The bytes read are in the buffer, unless the input contains the whole section.
            asksForHEAD = beginsWithHEAD(section.buffer.isEmpty ? rest : rest.extracting(0..<0))
            return location
        } catch {
            asksForHEAD = beginsWithHEAD(rest)
            throw .message(error)
        }
    }

    /// - Parameter rest: the part of the section that is not in the buffer.
    private func beginsWithHEAD(_ rest: Span<UInt8>) -> Bool {
        let mark: StaticString = "HEAD "
        let buffered = section.buffer.count
        guard buffered + rest.count >= mark.utf8CodeUnitCount else { return false }
        return (0..<mark.utf8CodeUnitCount).allSatisfy { index in
            let byte = index < buffered ? section.buffer[index] : rest[index - buffered]
            return byte == mark.utf8Start[index]
        }
    }

    /// RFC 9112 §6.3: "If this is a request message and none of the above are true, then the message
    /// body length is zero (no message body is present)."
    private func bodyReader(_ head: HTTPRequestHead) throws(HTTPRequestError) -> BodyReader {
        do throws(HTTPMessageError) {
            let reader = try head.headers.bodyReader(
                version: head.version,
                limits: limits,
                unfolds: false
            )
            return reader ?? .length(0)
        } catch {
            throw .message(error)
        }
    }
}

/// The next part that `HTTPRequestParser` found.
package enum HTTPRequestEvent: Sendable, Equatable {
    case head(HTTPRequestHead)
    /// A part of the content, never empty, as a range of the input that `next` was called with.
    case body(Range<Int>)
    /// The request is whole. Comes after every head, with or without content.
    case end
}
