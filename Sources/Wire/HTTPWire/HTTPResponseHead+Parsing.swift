extension HTTPResponseHead {
    /// Reads a whole head, to the end of its empty line. `SectionReader` has checked the line ends.
    init(parsing section: Span<UInt8>) throws(HTTPResponseParserError) {
        let lineEnd = lineEnd(section, from: 0)
        let versionEnd = 8
        let statusEnd = versionEnd + 4
        guard lineEnd >= statusEnd else { throw .statusLineMalformed }
        let version: HTTPVersion
        switch HTTPVersion.read(section, 0..<versionEnd) {
        case .supported(let supported): version = supported
        case .unsupported(let major, let minor):
            throw .versionUnsupported(major: major, minor: minor)
        case .malformed: throw .statusLineMalformed
        }
        guard section[versionEnd] == .space,
            let status = readStatus(section, versionEnd + 1..<statusEnd)
        else { throw .statusLineMalformed }
        // RFC 9112 §4: "A server MUST send the space that separates the status-code from the
        // reason-phrase even when the reason-phrase is absent". Some do not, and nothing hangs on it.
        guard lineEnd == statusEnd || section[statusEnd] == .space
        else { throw .statusLineMalformed }
        let reason = fieldText(section.extracting(min(statusEnd + 1, lineEnd)..<lineEnd))
        do throws(HTTPMessageError) {
            let headers = try HTTPHeaders(parsing: section, from: lineEnd + 2, unfolds: true)
            self.init(status: status, reason: reason, version: version, headers: headers)
        } catch {
            throw .message(error)
        }
    }
}

/// Three digits, the first of them not 0.
private func readStatus(_ section: Span<UInt8>, _ range: Range<Int>) -> Int? {
    var status = 0
    for index in range {
        guard section[index].isDigit else { return nil }
        status = status * 10 + Int(section[index] - UInt8(ascii: "0"))
    }
    return status >= 100 ? status : nil
}
