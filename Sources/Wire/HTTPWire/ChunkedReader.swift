/// Removes the chunked transfer coding (RFC 9112 §7.1).
///
/// Chunk extensions are read, bounded and ignored; the trailer section is read, bounded, checked and
/// dropped.
struct ChunkedReader {
    private enum State {
        /// Around the data, byte by byte. To itself, data and trailers.
        case framing(Framing)
        /// To itself and framing.
        case data(remaining: Int)
        /// Behind the last chunk. The reader is not called again after the end of the section.
        case trailers
    }

    private enum Framing {
        /// In the digits of a chunk's size, nil before the first. To itself, padding, extension and
        /// sizeLineFeed.
        case size(Int?)
        /// In the white space before an extension's semicolon. To itself and extension.
        case padding(size: Int)
        /// Behind a semicolon. To itself and sizeLineFeed.
        case chunkExtension(size: Int)
        /// Behind the CR of the size line. To data, or to trailers when the size is 0.
        case sizeLineFeed(size: Int)
        /// Behind the data. To dataLineFeed.
        case dataCarriageReturn
        /// To size.
        case dataLineFeed
    }

    private var state = State.framing(.size(nil))
    /// Content bytes of all chunks whose size has been read.
    private var contentLength = 0
    /// Bytes of the size line that is being read.
    private var lineLength = 0
    /// Bytes behind the sizes of all chunks.
    private var extensionLength = 0
    private let unfolds: Bool

    /// - Parameter unfolds: see `HTTPHeaders.init(parsing:from:unfolds:)`.
    init(unfolds: Bool) {
        self.unfolds = unfolds
    }

    /// Reads `input` from `consumed` on; nil when it is all read and the content goes on.
    mutating func next(
        _ input: Span<UInt8>,
        consumed: inout Int,
        section: inout SectionReader,
        limits: HTTPLimits
    ) throws(HTTPMessageError) -> BodyReader.Step? {
        while true {
            switch state {
            case .framing(let framing):
                guard consumed < input.count else { return nil }
                let byte = input[consumed]
                consumed += 1
                state = try state(after: byte, in: framing, limits: limits)
            case .data(let remaining):
                guard let range = take(remaining, input, &consumed) else { return nil }
                let rest = remaining - range.count
                state = rest > 0 ? .data(remaining: rest) : .framing(.dataCarriageReturn)
                return .bytes(range)
            case .trailers:
                return try readTrailers(
                    input,
                    consumed: &consumed,
                    section: &section,
                    limits: limits
                )
            }
        }
    }

    private mutating func state(
        after byte: UInt8,
        in framing: Framing,
        limits: HTTPLimits
    ) throws(HTTPMessageError) -> State {
        switch framing {
        case .size(let size):
            return .framing(try framingInSize(size, after: byte, limits: limits))
        case .padding(let size):
            guard byte.isWhitespace || byte == UInt8(ascii: ";") else {
                throw .chunkSizeInvalid(byte)
            }
            try countExtension(limits: limits)
            return .framing(byte.isWhitespace ? framing : .chunkExtension(size: size))
        case .chunkExtension(let size):
            guard byte != .carriageReturn else { return .framing(.sizeLineFeed(size: size)) }
            // A reader that skips to the next LF instead is how chunked requests are smuggled.
            guard !byte.isControl else { throw .controlCharacter(byte) }
            try countExtension(limits: limits)
            return .framing(framing)
        case .sizeLineFeed(let size):
            guard byte == .lineFeed else { throw .bareCarriageReturn }
            return try state(afterSizeLine: size, limits: limits)
        case .dataCarriageReturn:
            guard byte == .carriageReturn else { throw .chunkNotTerminated(byte) }
            return .framing(.dataLineFeed)
        case .dataLineFeed:
            guard byte == .lineFeed else { throw .chunkNotTerminated(byte) }
            return .framing(.size(nil))
        }
    }

    private mutating func framingInSize(
        _ size: Int?,
        after byte: UInt8,
        limits: HTTPLimits
    ) throws(HTTPMessageError) -> Framing {
        if let digit = byte.hexadecimalValue {
            try countLine(limits: limits)
            // RFC 9112 §7.1: "recipients MUST anticipate potentially large hexadecimal numerals and
            // prevent parsing errors due to integer conversion overflows".
            let (shifted, overflows) = (size ?? 0).multipliedReportingOverflow(by: 16)
            guard !overflows else { throw .chunkSizeTooLarge }
            return .size(shifted + Int(digit))
        }
        guard let size else { throw .chunkSizeInvalid(byte) }
        guard byte != .carriageReturn else { return .sizeLineFeed(size: size) }
        guard byte.isWhitespace || byte == UInt8(ascii: ";") else { throw .chunkSizeInvalid(byte) }
        try countExtension(limits: limits)
        return byte.isWhitespace ? .padding(size: size) : .chunkExtension(size: size)
    }

    private mutating func state(
        afterSizeLine size: Int,
        limits: HTTPLimits
    ) throws(HTTPMessageError) -> State {
        lineLength = 0
        guard size > 0 else { return .trailers }
        guard size <= limits.bodyBytesMax - contentLength else {
            let (length, overflows) = contentLength.addingReportingOverflow(size)
            throw .contentTooLong(length: overflows ? .max : length, max: limits.bodyBytesMax)
        }
        contentLength += size
        return .data(remaining: size)
    }

    private mutating func countLine(limits: HTTPLimits) throws(HTTPMessageError) {
        lineLength += 1
        guard lineLength <= limits.chunkLineLengthMax else {
            throw .chunkLineTooLong(max: limits.chunkLineLengthMax)
        }
    }

    /// RFC 9112 §7.1.1: "A server ought to limit the total length of chunk extensions received in a
    /// request to an amount reasonable for the services provided".
    private mutating func countExtension(limits: HTTPLimits) throws(HTTPMessageError) {
        try countLine(limits: limits)
        extensionLength += 1
        guard extensionLength <= limits.chunkExtensionBytesMax else {
            throw .chunkExtensionsTooLong(max: limits.chunkExtensionBytesMax)
        }
    }

    private func readTrailers(
        _ input: Span<UInt8>,
        consumed: inout Int,
        section: inout SectionReader,
        limits: HTTPLimits
    ) throws(HTTPMessageError) -> BodyReader.Step? {
        let location = try section.read(
            input,
            consumed: &consumed,
            kind: .trailers,
            limits: limits
        )
        switch location {
        case nil: return nil
        case .input(let range):
            _ = try HTTPHeaders(parsing: input.extracting(range), from: 0, unfolds: unfolds)
        case .buffer:
            _ = try HTTPHeaders(parsing: section.buffer.span, from: 0, unfolds: unfolds)
            section.reset()
        }
        return .end
    }
}
