extension HTTPHeaders {
    /// Enough for the head of a browser's request without growing.
    private static let usualCount = 16

    /// Reads the field lines of a section from the line at `start` to the empty line.
    ///
    /// `SectionReader` has checked the line ends: each CR in `section` ends a line, and the last line
    /// is empty.
    init(parsing section: Span<UInt8>, from start: Int) throws(HTTPMessageError) {
        var position = start
        guard section[position] != .carriageReturn else { return }
        reserveCapacity(HTTPHeaders.usualCount)
        while section[position] != .carriageReturn {
            let colon = try nameEnd(section, from: position)
            let lineEnd = lineEnd(section, from: colon)
            let value = trimmed(section, colon + 1..<lineEnd)
            append(
                fieldText(section.extracting(position..<colon)),
                fieldText(section.extracting(value))
            )
            position = lineEnd + 2
        }
    }
}

/// Where the line around `start` ends: the index of its CR.
func lineEnd(_ section: Span<UInt8>, from start: Int) -> Int {
    var position = start
    while section[position] != .carriageReturn { position += 1 }
    return position
}

/// The index of the colon behind the field name that starts at `start`.
private func nameEnd(_ section: Span<UInt8>, from start: Int) throws(HTTPMessageError) -> Int {
    // RFC 9112 §5.2: a server that receives an obs-fold "MUST either reject the message by sending a
    // 400 (Bad Request), … or replace each received obs-fold with one or more SP octets".
    guard !section[start].isWhitespace else { throw .lineFolding }
    var position = start
    while section[position].isTokenCharacter { position += 1 }
    switch section[position] {
    case UInt8(ascii: ":") where position == start: throw .fieldNameMissing
    case UInt8(ascii: ":"): return position
    case .carriageReturn: throw .colonMissing
    // RFC 9112 §5.1: "A server MUST reject, with a response status code of 400 (Bad Request), any
    // received request message that contains whitespace between a header field name and colon."
    case let byte: throw .fieldNameInvalid(byte)
    }
}

/// The part of `range` without the white space around it.
private func trimmed(_ section: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
    var start = range.lowerBound
    var end = range.upperBound
    while start < end, section[start].isWhitespace { start += 1 }
    while end > start, section[end - 1].isWhitespace { end -= 1 }
    return start..<end
}
