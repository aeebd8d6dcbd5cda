/// Finds the end of a section: the lines of a head or of a trailer section, up to and including the
/// first empty line.
///
/// Every byte is inspected once, when it arrives, so that an error or a limit is detected at the
/// same byte however the input is split. A section that is whole in one input is not copied; only a
/// split one is. Between sections no memory is held.
///
/// It checks the rules for any line: CRLF at its end and nowhere else, no control characters, the
/// limits. The callers parse the content of the lines.
struct SectionReader {
    enum Kind {
        /// A start line and fields.
        case head
        /// Only fields.
        case trailers
    }

    enum Location {
        /// Bytes of the input that was just read.
        case input(Range<Int>)
        /// All bytes of `buffer`; the caller calls `reset` after it has used them.
        case buffer
    }

    /// The beginning of a section whose end has not arrived.
    private(set) var buffer: [UInt8] = []
    private var sectionLength = 0
    private var lineLength = 0
    private var lineCount = 0
    private var isAfterCarriageReturn = false

    /// True when no byte of a section has been read.
    var isEmpty: Bool { sectionLength == 0 }

    /// Forgets the section and gives its memory back.
    mutating func reset() {
        self = SectionReader()
    }

    /// Reads `input` from `consumed` on; nil when the section goes on behind its end.
    mutating func read(
        _ input: Span<UInt8>,
        consumed: inout Int,
        kind: Kind,
        limits: HTTPLimits
    ) throws(HTTPMessageError) -> Location? {
        let start = consumed
        let isWhole = try scan(input, position: &consumed, kind: kind, limits: limits)
        if isWhole, buffer.isEmpty {
            reset()
            return .input(start..<consumed)
        }
        // Growing by doubling is right for a head that trickles in; the limit bounds it.
        for index in start..<consumed { buffer.append(input[index]) }
        return isWhole ? .buffer : nil
    }

    /// Moves `position` behind the section, or to the end of `input`; true when the section is whole.
    private mutating func scan(
        _ input: Span<UInt8>,
        position: inout Int,
        kind: Kind,
        limits: HTTPLimits
    ) throws(HTTPMessageError) -> Bool {
        while position < input.count {
            skipText(input, position: &position, kind: kind, limits: limits)
            guard position < input.count else { return false }
            let isEnd = try take(input[position], kind: kind, limits: limits)
            position += 1
            if isEnd { return true }
        }
        return false
    }

    /// Processes, like `take`, each ordinary character that follows another in its line and passes
    /// no limit: the loop that nearly all bytes go through.
    private mutating func skipText(
        _ input: Span<UInt8>,
        position: inout Int,
        kind: Kind,
        limits: HTTPLimits
    ) {
        guard lineLength > 0, !isAfterCarriageReturn else { return }
        let allowance = min(
            kind.lengthMax(limits) - sectionLength,
            lineLengthMax(kind: kind, limits: limits) - lineLength
        )
        let start = position
        let end = position + min(allowance, input.count - position)
        while position < end, !input[position].isControl { position += 1 }
        sectionLength += position - start
        lineLength += position - start
    }

    /// Counts and checks one byte; true when it ends the section.
    private mutating func take(
        _ byte: UInt8,
        kind: Kind,
        limits: HTTPLimits
    ) throws(HTTPMessageError) -> Bool {
        guard sectionLength < kind.lengthMax(limits) else { throw kind.tooLong(limits) }
        sectionLength += 1
        if isAfterCarriageReturn {
            // RFC 9112 §2.2: a recipient of a bare CR "MUST consider that element to be invalid or
            // replace each bare CR with SP", and it "MAY recognize a single LF as a line terminator". We
            // refuse both: readers that disagree about where a line ends disagree about where a
            // request does.
            guard byte == .lineFeed else { throw .bareCarriageReturn }
            return endLine()
        }
        if byte == .carriageReturn {
            isAfterCarriageReturn = true
            return false
        }
        guard !byte.isControl else {
            throw byte == .lineFeed ? .bareLineFeed : .controlCharacter(byte)
        }
        if lineLength == 0 { try checkFieldCount(kind: kind, limits: limits) }
        guard lineLength < lineLengthMax(kind: kind, limits: limits) else {
            throw .startLineTooLong(max: limits.startLineLengthMax)
        }
        lineLength += 1
        return false
    }

    /// True when the line that ends here was the empty one.
    private mutating func endLine() -> Bool {
        let isEmptyLine = lineLength == 0
        lineCount += 1
        lineLength = 0
        isAfterCarriageReturn = false
        return isEmptyLine
    }

    /// Called at the first byte of a line that is not empty.
    private func checkFieldCount(kind: Kind, limits: HTTPLimits) throws(HTTPMessageError) {
        let fieldsBefore = kind == .head ? lineCount - 1 : lineCount
        guard fieldsBefore < limits.headerCountMax else {
            throw .tooManyFields(max: limits.headerCountMax)
        }
    }

    /// Only the start line has a limit of its own; the section bounds the others.
    private func lineLengthMax(kind: Kind, limits: HTTPLimits) -> Int {
        kind == .head && lineCount == 0 ? limits.startLineLengthMax : kind.lengthMax(limits)
    }
}

extension SectionReader.Kind {
    fileprivate func lengthMax(_ limits: HTTPLimits) -> Int {
        switch self {
        case .head: limits.headBytesMax
        case .trailers: limits.trailerBytesMax
        }
    }

    fileprivate func tooLong(_ limits: HTTPLimits) -> HTTPMessageError {
        switch self {
        case .head: .headTooLong(max: limits.headBytesMax)
        case .trailers: .trailersTooLong(max: limits.trailerBytesMax)
        }
    }
}
