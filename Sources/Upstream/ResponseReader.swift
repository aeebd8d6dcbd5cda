/// Reads the responses on one connection, one at a time, within the limits of each.
///
/// Call `expect` for each request; pass the input and call `next` until it returns nil. An error is
/// final, and so is `enough`: close the connection.
struct ResponseReader: ~Copyable {
    /// The expected response and its limits.
    struct Wanted: Sendable {
        var method: String
        /// The maximum length of the content, after decompression.
        var bytesMax: Int
        var decompresses = false
        var wantsMore: (@Sendable ([UInt8]) -> Bool)?
        /// The content is dropped. Content over the limit is not an error, but ends the connection.
        var drops = false
        /// The number of bytes of dropped content that are kept.
        var keepsMax = 0
    }

    enum Step: Equatable {
        /// The server waits for the content of the request (RFC 9110 §15.2.1).
        case goOn
        /// The head has arrived: `head`. Content may follow.
        case head
        /// The response is complete.
        case end
        /// No further content is needed, although more may arrive.
        case enough
    }

    private var parser = HTTPResponseParser(limits: ResponseReader.limits)
    private var wanted = Wanted(method: "GET", bytesMax: 0)
    private var inflater: BodyInflater?
    private var droppedCount = 0
    private(set) var head: HTTPResponseHead?
    private(set) var body: [UInt8] = []
    /// Whether the connection may be reused after the response is complete.
    private(set) var isReusable = true

    /// Large enough for servers that set a dozen cookies. The limit of the content applies here,
    /// after decompression.
    private static let limits = HTTPLimits(
        startLineLengthMax: 8 << 10,
        headBytesMax: 64 << 10,
        headerCountMax: 256,
        bodyBytesMax: .max
    )

    mutating func expect(_ wanted: Wanted) {
        self.wanted = wanted
        inflater = nil
        droppedCount = 0
        head = nil
        body = []
        parser.expectResponse(to: wanted.method)
    }

    /// Takes the content received so far.
    mutating func takeBody() -> [UInt8] {
        defer { body = [] }
        return body
    }

    /// Returns the next step from the bytes of `input` from `consumed` on; nil when all are
    /// consumed and more are needed.
    mutating func next(
        _ input: Span<UInt8>,
        consumed: inout Int
    ) throws(UpstreamError) -> Step? {
        while let event = try parse(input, &consumed) {
            switch event {
            case .informational(let head):
                if head.status == 100 { return .goOn }
            case .head(let head):
                try begin(head)
                return .head
            case .body(let range):
                guard try take(input.extracting(range)) else { return .enough }
            case .end:
                try finish()
                return .end
            }
        }
        return nil
    }

    /// Handles the end of the stream: returns `end` if that ends the content, nil if no response is
    /// expected.
    mutating func endOfStream() throws(UpstreamError) -> Step? {
        isReusable = false
        let event: HTTPResponseEvent?
        do throws(HTTPResponseParserError) {
            event = try parser.endOfStream()
        } catch {
            guard error == .streamEndedEarly else { throw .malformed("\(error)") }
            let place = head == nil ? "before an answer" : "within the content"
            throw .connectionEnded(place)
        }
        guard event == .end else { return nil }
        try finish()
        return .end
    }

    private mutating func parse(
        _ input: Span<UInt8>,
        _ consumed: inout Int
    ) throws(UpstreamError) -> HTTPResponseEvent? {
        do throws(HTTPResponseParserError) {
            return try parser.next(input, consumed: &consumed)
        } catch {
            throw .malformed("\(error)")
        }
    }

    private mutating func begin(_ head: HTTPResponseHead) throws(UpstreamError) {
        // RFC 9110 §15.2.2: only if the client has requested it with Upgrade. No further response
        // can be read.
        guard head.status != 101 else { throw .malformed("a protocol that was not asked for") }
        self.head = head
        if !head.keepsAlive { isReusable = false }
        guard !wanted.drops, wanted.method != "HEAD", head.status != 204, head.status != 304 else {
            return
        }
        if wanted.decompresses { try undoCoding(of: head) }
        let announced = head.headers.first("Content-Length").flatMap { Int($0) }
        guard inflater == nil, let length = announced else { return }
        guard length <= wanted.bytesMax else { throw .bodyTooLarge(limit: wanted.bytesMax) }
        // A server may announce content that it never sends.
        body.reserveCapacity(min(length, 1 << 20))
    }

    private mutating func undoCoding(of head: HTTPResponseHead) throws(UpstreamError) {
        do throws(ContentCodingError) {
            let coding = try ContentCoding.of(fields: head.headers.all("Content-Encoding"))
            if let coding { inflater = BodyInflater(coding: coding) }
        } catch {
            throw .malformed("\(error)")
        }
    }

    /// Returns false when no further content is needed.
    private mutating func take(_ piece: Span<UInt8>) throws(UpstreamError) -> Bool {
        if wanted.drops {
            let kept = piece.extracting(
                0..<min(piece.count, max(0, wanted.keepsMax - droppedCount))
            )
            kept.withUnsafeBufferPointer { body.append(contentsOf: $0) }
            droppedCount += piece.count
            return droppedCount <= wanted.bytesMax
        }
        if inflater == nil {
            guard body.count + piece.count <= wanted.bytesMax else {
                throw .bodyTooLarge(limit: wanted.bytesMax)
            }
            piece.withUnsafeBufferPointer { body.append(contentsOf: $0) }
        } else {
            do throws(BodyInflaterError) {
                try inflater!.inflate(piece, into: &body, lengthMax: wanted.bytesMax)
            } catch {
                throw UpstreamError(error)
            }
        }
        return wanted.wantsMore?(body) ?? true
    }

    private mutating func finish() throws(UpstreamError) {
        // An idle connection holds no memory of zlib, and no data of the last request.
        defer {
            inflater = nil
            wanted.wantsMore = nil
        }
        guard inflater != nil else { return }
        do throws(BodyInflaterError) {
            try inflater!.finish()
        } catch {
            throw UpstreamError(error)
        }
    }
}

extension UpstreamError {
    fileprivate init(_ error: BodyInflaterError) {
        self =
            if case .tooLarge(let limit) = error {
                .bodyTooLarge(limit: limit)
            } else {
                .malformed("\(error)")
            }
    }
}
