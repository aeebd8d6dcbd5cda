/// Articles with labels in the format of the UCI News Aggregator data set, for `StoryEvaluation`.
///
/// The fields are ID, title, URL, publisher, category, story, host name and milliseconds since
/// 1970. They are separated by tabs without quotes, as in the original, or by commas with quotes.
package struct StoryFile: Equatable, Sendable {
    package struct Row: Equatable, Sendable {
        package var article: StoryInput
        /// The story, as a person has named it.
        package var label: String
    }

    package var rows: [Row] = []
    /// Lines that are not articles; a header is not counted.
    package var skippedCount = 0

    package init(_ bytes: [UInt8]) {
        var isFirst = true
        for fields in StoryFile.records(bytes) {
            defer { isFirst = false }
            if let row = Row(fields) {
                rows.append(row)
            } else if !isFirst || fields.first != "ID" {
                skippedCount += 1
            }
        }
    }

    /// About half of the labels, chosen by their bytes: those with an odd number of odd bytes to
    /// choose parameters on, the others to measure with.
    package func half(odd: Bool) -> [Row] {
        rows.filter { row in row.label.utf8.reduce(0) { $0 ^ ($1 & 1) } == (odd ? 1 : 0) }
    }

    private static func records(_ bytes: [UInt8]) -> [[String]] {
        let newline = UInt8(ascii: "\n")
        let firstLine = bytes.prefix { $0 != newline }
        if firstLine.contains(UInt8(ascii: "\t")) {
            return bytes.split(separator: newline).map { line in
                let end = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
                return end.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
                    .map { String(decoding: $0, as: UTF8.self) }
            }
        }
        return quotedRecords(bytes)
    }

    /// RFC 4180. A quoted field may contain commas, line ends and doubled quotes.
    private static func quotedRecords(_ bytes: [UInt8]) -> [[String]] {
        var records: [[String]] = []
        var fields: [String] = []
        var field: [UInt8] = []
        var (isQuoted, mayBeEnd) = (false, false)
        func endField() {
            fields.append(String(decoding: field, as: UTF8.self))
            field = []
            (isQuoted, mayBeEnd) = (false, false)
        }
        func endRecord() {
            if fields.isEmpty, field.isEmpty { return }
            endField()
            records.append(fields)
            fields = []
        }
        for byte in bytes {
            if isQuoted, !mayBeEnd {
                if byte == UInt8(ascii: "\"") { mayBeEnd = true } else { field.append(byte) }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""):
                if mayBeEnd { field.append(byte) }
                (isQuoted, mayBeEnd) = (true, false)
            case UInt8(ascii: ","): endField()
            case UInt8(ascii: "\n"): endRecord()
            case UInt8(ascii: "\r"): continue
            default: field.append(byte)
            }
        }
        endRecord()
        return records
    }
}

extension StoryFile.Row {
    /// Nil for fields that are not an article.
    fileprivate init?(_ fields: [String]) {
        guard fields.count == 8, let id = Int(fields[0]), let milliseconds = Int64(fields[7]),
            !fields[5].isEmpty
        else { return nil }
        article = StoryInput(
            articleID: id,
            title: fields[1],
            owner: fields[3],
            publishedAt: Timestamp(milliseconds: milliseconds)
        )
        label = fields[5]
    }
}
