/// Symbols that a text marks as such: `(NASDAQ: X)`, `NYSE:BRK.B`, `$X`.
enum SymbolPatterns {
    /// In the order of the text. Symbols of exchanges outside the United States are other
    /// companies, and left out.
    static func symbols(in text: some StringProtocol) -> [Ticker] {
        let bytes = Array(text.utf8)
        var found: [Ticker] = []
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: ":") where isExchange(before: index, in: bytes):
                found += list(after: index, in: bytes)
            case UInt8(ascii: "$") where index == 0 || !isLetterOrDigit(bytes[index - 1]):
                if let ticker = cashtag(after: index, in: bytes) { found.append(ticker) }
            default: break
            }
        }
        return found
    }

    static let exchanges = Set(SymbolWords.table.words("exchanges"))
    private static let exchangeLengthMax = 14

    /// Whether the letters before a colon, with one space among them as in `NYSE MKT`, are an
    /// exchange.
    private static func isExchange(before colon: Int, in bytes: [UInt8]) -> Bool {
        var name: [UInt8] = []
        var index = colon - 1
        while index >= 0, bytes[index] == 0x20 { index -= 1 }
        while index >= 0, name.count < exchangeLengthMax {
            guard isLetter(bytes[index]) else { break }
            name.append(bytes[index] | 0x20)
            index -= 1
            let isWordStart = index < 0 || !isLetter(bytes[index])
            guard isWordStart else { continue }
            if exchanges.contains(String(decoding: name.reversed(), as: UTF8.self)) { return true }
            guard index >= 0, bytes[index] == 0x20 else { return false }
            index -= 1
        }
        return false
    }

    /// One symbol, or several with commas between them: `(NYSE: GM, F)`.
    private static func list(after colon: Int, in bytes: [UInt8]) -> [Ticker] {
        var found: [Ticker] = []
        var index = colon + 1
        while index < bytes.count, bytes[index] == 0x20 { index += 1 }
        while let (ticker, end) = symbol(at: index, in: bytes, isUppercase: !found.isEmpty) {
            found.append(ticker)
            index = end
            guard index < bytes.count, bytes[index] == UInt8(ascii: ",") else { break }
            index += 1
            while index < bytes.count, bytes[index] == 0x20 { index += 1 }
        }
        return found
    }

    /// Currencies and amounts with `$`: Australian dollars, `$M`, `$US`.
    static let currencies = Set(SymbolWords.table.words("currencies"))

    private static func cashtag(after dollar: Int, in bytes: [UInt8]) -> Ticker? {
        guard let (ticker, _) = symbol(at: dollar + 1, in: bytes, isUppercase: true),
            !currencies.contains(ticker.text)
        else { return nil }
        return ticker
    }

    /// A symbol that begins at an index, and where it ends. The class of a share is part of it:
    /// `BRK.B` is `BRKB`.
    private static func symbol(
        at start: Int,
        in bytes: [UInt8],
        isUppercase: Bool
    ) -> (Ticker, end: Int)? {
        var end = start
        while end < bytes.count, isLetterOrDigit(bytes[end]) { end += 1 }
        var text = bytes[start..<end]
        guard let first = text.first, isLetter(first) else { return nil }
        if end + 1 < bytes.count, ".-/".utf8.contains(bytes[end]),
            isUppercaseLetter(bytes[end + 1]),
            end + 2 == bytes.count || !isLetterOrDigit(bytes[end + 2])
        {
            text.append(bytes[end + 1])
            end += 2
        }
        if isUppercase, !text.allSatisfy({ isUppercaseLetter($0) }) { return nil }
        guard let ticker = Ticker(String(decoding: text, as: UTF8.self)) else { return nil }
        return (ticker, end)
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
    private static func isUppercaseLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }
    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        isLetter(byte) || (0x30...0x39).contains(byte)
    }
}
