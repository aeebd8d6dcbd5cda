/// The symbols of companies that a text marks, and the text without them: `Apple (AAPL)`,
/// `(NYSE: GM, F)`, `$TSLA`, `NASDAQ:AAPL`.
///
/// A symbol repeats the name of a company, and is rarer than all words about what happened to it.
/// So it must not decide which reports are of one event; but reports with other symbols are of
/// other events.
struct MarkedSymbols: Equatable {
    private(set) var symbols: Set<String> = []
    private(set) var text: String

    init(_ text: String) {
        self.text = text
        // Most texts have none of the marks.
        guard text.utf8.contains(where: { MarkedSymbols.marks.contains($0) }) else { return }
        var result: [UInt8] = []
        let bytes = Array(text.utf8)
        var rest = bytes[...]
        while let byte = rest.first {
            if let (found, end) = MarkedSymbols.mark(rest, behind: bytes[..<rest.startIndex]) {
                symbols.formUnion(found)
                result.append(0x20)
                rest = rest[end...]
            } else {
                result.append(byte)
                rest.removeFirst()
            }
        }
        if !symbols.isEmpty { self.text = String(decoding: result, as: UTF8.self) }
    }

    /// Whether both texts have symbols, and none in common.
    static func areOthers(_ one: Set<String>, _ other: Set<String>) -> Bool {
        !one.isEmpty && !other.isEmpty && one.isDisjoint(with: other)
    }

    private static let marks = Array("$([:".utf8)
    private static let markLengthMax = 60

    /// A mark that begins here, and its end.
    private static func mark(
        _ rest: ArraySlice<UInt8>,
        behind start: ArraySlice<UInt8>
    ) -> (Set<String>, end: Int)? {
        switch rest.first {
        case UInt8(ascii: "$"):
            let letters = rest.dropFirst().prefix { isUppercase($0) }
            let symbol = String(decoding: letters, as: UTF8.self)
            guard (1...Ticker.lengthMax).contains(symbol.utf8.count),
                !SymbolPatterns.currencies.contains(symbol)
            else { return nil }
            return ([symbol], letters.endIndex)
        case UInt8(ascii: "("): return bracketed(rest, closing: UInt8(ascii: ")"))
        case UInt8(ascii: "["): return bracketed(rest, closing: UInt8(ascii: "]"))
        default: return afterExchange(rest, behind: start)
        }
    }

    private static func bracketed(
        _ rest: ArraySlice<UInt8>,
        closing: UInt8
    ) -> (Set<String>, end: Int)? {
        let inside = rest.dropFirst().prefix(markLengthMax).prefix { $0 != closing }
        guard inside.endIndex < rest.endIndex, rest[inside.endIndex] == closing else { return nil }
        let text = String(decoding: inside, as: UTF8.self)
        let parts = text.split(separator: ":", maxSplits: 1)
        let names = (parts.last ?? "").split { ", ;".contains($0) }
        guard !names.isEmpty else { return nil }
        if parts.count == 2 {
            let exchange = parts[0].filter { $0 != " " }.lowercased()
            guard SymbolPatterns.exchanges.contains(exchange) else { return nil }
        } else {
            guard names.allSatisfy(isKnown) else { return nil }
        }
        return (Set(names.map { $0.uppercased() }), inside.endIndex + 1)
    }

    /// A symbol without an exchange may be an abbreviation: only those of the table count.
    private static func isKnown(_ name: Substring) -> Bool {
        name.utf8.allSatisfy(isUppercase) && name.utf8.count >= 2
            && !BareSymbols.abbreviations.contains(name.lowercased())
            && Ticker(name).map(CompanyTable.builtIn.symbols.contains) == true
    }

    /// `NASDAQ:AAPL`
    private static func afterExchange(
        _ rest: ArraySlice<UInt8>,
        behind start: ArraySlice<UInt8>
    ) -> (Set<String>, end: Int)? {
        let name = rest.prefix(markLengthMax).prefix { (0x61...0x7A).contains($0 | 0x20) }
        guard name.endIndex < rest.endIndex, rest[name.endIndex] == UInt8(ascii: ":"),
            SymbolPatterns.exchanges.contains(String(decoding: name, as: UTF8.self).lowercased()),
            !isOfWord(String(decoding: start.suffix(4), as: UTF8.self).unicodeScalars.last)
        else { return nil }
        var symbol = rest[(name.endIndex + 1)...].drop { $0 == 0x20 }
            .prefix { isUppercase($0) || $0 == UInt8(ascii: ".") }
        // The end of a sentence.
        while symbol.last == UInt8(ascii: ".") { symbol.removeLast() }
        let next = String(decoding: rest[symbol.endIndex...].prefix(4), as: UTF8.self)
        guard (1...Ticker.lengthMax).contains(symbol.count), !isOfWord(next.unicodeScalars.first)
        else { return nil }
        return ([String(decoding: symbol, as: UTF8.self)], symbol.endIndex)
    }

    /// Whether a character next to a mark makes it a part of a word.
    private static func isOfWord(_ scalar: Unicode.Scalar?) -> Bool {
        scalar.map { $0.properties.isAlphabetic || $0.properties.numericType != nil } ?? false
    }

    private static func isUppercase(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }
}
