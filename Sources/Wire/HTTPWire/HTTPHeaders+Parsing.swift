extension HTTPHeaders {
    /// Enough for the head of a browser's request without growing.
    private static let usualCount = 16

    /// Reads the field lines of a section from the line at `start` to the empty line.
    ///
    /// `SectionReader` has checked the line ends: each CR in `section` ends a line, and the last line
    /// is empty.
    ///
    /// - Parameter unfolds: whether a line that begins with white space continues the value of the
    ///   field before it, as in the messages of servers; in those of clients it is an error.
    init(
        parsing section: Span<UInt8>,
        from start: Int,
        unfolds: Bool
    ) throws(HTTPMessageError) {
        var position = start
        guard section[position] != .carriageReturn else { return }
        reserveCapacity(HTTPHeaders.usualCount)
        while section[position] != .carriageReturn {
            let colon = try nameEnd(section, from: position)
            let lineEnd = lineEnd(section, from: colon)
            let value = trimmed(section, colon + 1..<lineEnd)
            var text = fieldText(section.extracting(value))
            let name = fieldText(section.extracting(position..<colon))
            position = lineEnd + 2
            if unfolds, section[position].isWhitespace {
                text = unfolded(text, section, position: &position)
            }
            append(name, text)
        }
    }
}

/// A value with those of the lines that continue it, and `position` behind them.
///
/// RFC 9112 §5.2: "A user agent that receives an obs-fold in a response message that is not within a
/// "message/http" container MUST replace each received obs-fold with one or more SP octets prior to
/// interpreting the field value."
private func unfolded(_ first: String, _ section: Span<UInt8>, position: inout Int) -> String {
    var text = first
    while section[position].isWhitespace {
        let end = lineEnd(section, from: position)
        text += " " + fieldText(section.extracting(trimmed(section, position..<end)))
        position = end + 2
    }
    let value = text.utf8.drop { $0 == .space }
    let length = value.reversed().drop { $0 == .space }.count
    return String(Substring(value.prefix(length)))
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
