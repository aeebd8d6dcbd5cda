/// The texts of a JSON document within their limits.
extension FeedLimits {
    /// A title, a name, an identifier or a category. JSON may have control characters in it, of
    /// which PostgreSQL stores not all.
    func line(_ text: String) -> String {
        let isControl: (UInt8) -> Bool = { $0 < 0x20 || $0 == 0x7F }
        guard text.utf8.contains(where: isControl) else { return cut(text, to: lineLengthMax) }
        let bytes = text.utf8.map { isControl($0) ? 0x20 : $0 }
        return cut(String(decoding: bytes, as: UTF8.self), to: lineLengthMax)
    }

    /// A summary or a content.
    func body(_ text: String) -> String { cut(text, to: textLengthMax) }

    /// The absolute address of a reference; nil for one that is too long or not of the web.
    func address(_ text: String?, base: String?) -> String? {
        text.flatMap { WebURL.resolve($0, base: base) }
            .flatMap { $0.utf8.count <= urlLengthMax ? $0 : nil }
    }

    private func cut(_ text: String, to lengthMax: Int) -> String {
        let text = trimmed(text)
        guard text.utf8.count > lengthMax else { return text }
        return String(decoding: wholeScalars(text.utf8.prefix(lengthMax)), as: UTF8.self)
    }
}

extension [FeedItem] {
    /// Leaves the newest `countMax` items, in the order of the document.
    mutating func keepNewest(_ countMax: Int) {
        guard count > countMax else { return }
        let dated = enumerated().map { (index, item) in
            (index: index, date: (item.published ?? item.updated)?.milliseconds ?? .min)
        }
        let newest = dated.sorted { ($1.date, $0.index) < ($0.date, $1.index) }
            .prefix(countMax).map(\.index).sorted()
        self = newest.map { self[$0] }
    }
}
