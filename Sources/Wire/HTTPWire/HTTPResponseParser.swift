/// Reads the responses on one connection, the client's side of RFC 9112.
///
/// **Use.** Say `expectResponse(to:)` for each request before its response can arrive, one at a time.
/// Hand over every input from the stream with `consumed` at 0 and call `next` until it returns nil. When
/// the stream has ended, call `endOfStream`. An error is final: close. Each response gives any number
/// of `.informational`, then `.head`, any number of `.body`, and `.end`. After the `.end` of a response
/// that changes the protocol nothing more is read: the new protocol begins at `consumed`.
///
/// **States.** Idle, head, body, switched, failed. The inputs are a request sent, bytes, end of stream.
///
/// **Memory.** As in `HTTPRequestParser`.
///
/// **Not here.** Time limits, redirects, matching of pipelined requests. Trailer fields are dropped.
///
/// RFC 9112 §2 (messages), §4 (status line), §5 (fields), §6 (body), §7 (chunked).
package struct HTTPResponseParser: ~Copyable {
    /// The properties of the response that follow from the request's method (RFC 9112 §6.3).
    private enum Request {
        case head
        case connect
        case other
    }

    private enum State {
        /// No request is out. To head.
        case idle
        /// Waiting for a head, or in one. To body, to switched, to failed.
        case head(Request, informationalCount: Int)
        /// To idle, to failed.
        case body(BodyReader)
        /// The head of a response that changes the protocol has been reported. To switched.
        case switching
        /// The bytes belong to another protocol. Stays.
        case switched
        /// Stays.
        case failed(HTTPResponseParserError)
    }

    private let limits: HTTPLimits
    private var state = State.idle
    /// The head or trailer section that is being read.
    private var section = SectionReader()

    package init(limits: HTTPLimits = HTTPLimits()) {
        self.limits = limits
    }

    /// True when no response is expected: a request may be sent, or the connection closed.
    package var isIdle: Bool {
        switch state {
        case .idle: true
        case .head, .body, .switching, .switched, .failed: false
        }
    }

    /// Tells the method of the request whose response comes next. Traps unless `isIdle`.
    package mutating func expectResponse(to method: String) {
        precondition(isIdle, "a response is still expected")
        let request: Request =
            switch method {
            case "HEAD": .head
            case "CONNECT": .connect
            default: .other
            }
        state = .head(request, informationalCount: 0)
    }

    /// Takes bytes of `input` from `consumed` on and returns the next event; nil when all of the input
    /// is consumed and more is needed, and after a change of protocol.
    ///
    /// Throws when the server broke the protocol or passed a limit, and then the same error at every
    /// further call.
    package mutating func next(
        _ input: Span<UInt8>,
        consumed: inout Int
    ) throws(HTTPResponseParserError) -> HTTPResponseEvent? {
        precondition(consumed >= 0)
        precondition(consumed <= input.count)
        do throws(HTTPResponseParserError) {
            switch state {
            case .idle:
                guard consumed == input.count else { throw .responseUnexpected }
                return nil
            case .head(let request, let informationalCount):
                guard let head = try nextHead(input, consumed: &consumed) else { return nil }
                return try event(for: head, to: request, after: informationalCount)
            case .body(let reader): return try nextBody(reader, input, consumed: &consumed)
            case .switching:
                state = .switched
                return .end
            case .switched: return nil
            case .failed(let error): throw error
            }
        } catch {
            throw failed(error)
        }
    }

    /// The stream has ended: `.end` when that ends the content of a response, nil when no response is
    /// expected. Throws when one is, whole or in part.
    package mutating func endOfStream() throws(HTTPResponseParserError) -> HTTPResponseEvent? {
        switch state {
        case .idle, .switched: return nil
        case .body(.untilEndOfStream), .body(.length(0)):
            state = .idle
            return .end
        case .switching:
            state = .switched
            return .end
        case .head, .body: throw failed(.streamEndedEarly)
        case .failed(let error): throw error
        }
    }

    private mutating func failed(_ error: HTTPResponseParserError) -> HTTPResponseParserError {
        section.reset()
        state = .failed(error)
        return error
    }

    private mutating func nextHead(
        _ input: Span<UInt8>,
        consumed: inout Int
    ) throws(HTTPResponseParserError) -> HTTPResponseHead? {
        let location: SectionReader.Location?
        do throws(HTTPMessageError) {
            location = try section.read(input, consumed: &consumed, kind: .head, limits: limits)
        } catch {
            throw .message(error)
        }
        defer { if location != nil { section.reset() } }
        switch location {
        case nil: return nil
        case .input(let range): return try HTTPResponseHead(parsing: input.extracting(range))
        case .buffer: return try HTTPResponseHead(parsing: section.buffer.span)
        }
    }

    /// Determines the event after a head (RFC 9112 §6.3, in its order).
    private mutating func event(
        for head: HTTPResponseHead,
        to request: Request,
        after informationalCount: Int
    ) throws(HTTPResponseParserError) -> HTTPResponseEvent {
        switch (head.status, request) {
        case (101, _), (200...299, .connect): state = .switching
        case (100...199, _):
            guard informationalCount < limits.informationalResponseCountMax else {
                throw .tooManyInformationalResponses(max: limits.informationalResponseCountMax)
            }
            state = .head(request, informationalCount: informationalCount + 1)
            return .informational(head)
        case (_, .head), (204, _), (304, _): state = .body(.length(0))
        default: state = .body(try bodyReader(head))
        }
        return .head(head)
    }

    private func bodyReader(_ head: HTTPResponseHead) throws(HTTPResponseParserError) -> BodyReader
    {
        do throws(HTTPMessageError) {
            let reader = try head.headers.bodyReader(
                version: head.version,
                limits: limits,
                unfolds: true
            )
            return reader ?? .untilEndOfStream(limits.bodyBytesMax)
        } catch {
            throw .message(error)
        }
    }

    private mutating func nextBody(
        _ reader: BodyReader,
        _ input: Span<UInt8>,
        consumed: inout Int
    ) throws(HTTPResponseParserError) -> HTTPResponseEvent? {
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
                state = .idle
                return .end
            }
        } catch {
            throw .message(error)
        }
    }
}

/// The next part that `HTTPResponseParser` found.
package enum HTTPResponseEvent: Sendable, Equatable {
    /// A 1xx response that is not the last word, such as `100 Continue`.
    case informational(HTTPResponseHead)
    case head(HTTPResponseHead)
    /// A part of the content, never empty, as a range of the input that `next` was called with.
    case body(Range<Int>)
    /// The response is whole. Comes after every head, with or without content.
    case end
}
