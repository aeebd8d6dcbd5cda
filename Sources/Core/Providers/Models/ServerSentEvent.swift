/// One event of a `text/event-stream` (HTML Living Standard §9.2). Its type is not kept: the
/// providers repeat it in the data.
package struct ServerSentEvent: Equatable {
    /// The lines of its `data` fields, joined by line feeds.
    package var data: [UInt8]

    /// The events of a whole body. One whose blank line is missing is dropped, as §9.2.6 demands:
    /// its data may have been cut.
    package static func events(of body: ArraySlice<UInt8>) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        var data: [UInt8]?
        forEachLine(of: body) { line in
            if line.isEmpty {
                if let data { events.append(ServerSentEvent(data: data)) }
                data = nil
            } else if let value = value(of: line) {
                if data != nil { data?.append(0x0A) } else { data = [] }
                data?.append(contentsOf: value)
            }
        }
        return events
    }

    /// The value of a line `data: …`; nil for other fields and for comments.
    private static func value(of line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let colon = line.firstIndex(of: UInt8(ascii: ":"))
        guard line[..<(colon ?? line.endIndex)].elementsEqual("data".utf8) else { return nil }
        guard let colon else { return [] }
        let value = line[(colon + 1)...]
        return value.first == 0x20 ? value.dropFirst() : value
    }

    /// Lines end with LF, CR or both; bytes after the last end are not a line.
    private static func forEachLine(
        of body: ArraySlice<UInt8>,
        _ handle: (ArraySlice<UInt8>) -> Void
    ) {
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        var start = body.startIndex
        if body.starts(with: byteOrderMark) { start += byteOrderMark.count }
        var index = start
        while index < body.endIndex {
            let byte = body[index]
            guard byte == 0x0A || byte == 0x0D else {
                index += 1
                continue
            }
            handle(body[start..<index])
            index += 1
            if byte == 0x0D, index < body.endIndex, body[index] == 0x0A { index += 1 }
            start = index
        }
    }
}
