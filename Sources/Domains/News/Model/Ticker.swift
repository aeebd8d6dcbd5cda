/// The symbol of a share: one to five ASCII letters and digits, in upper case.
package struct Ticker: Hashable, Comparable, Sendable, CustomStringConvertible {
    package static let lengthMax = 5

    package let text: String

    /// Nil for text that is not a symbol. Surrounding spaces and case are ignored.
    package init?(_ text: some StringProtocol) {
        let spaces: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let symbol = text.drop(while: spaces).reversed().drop(while: spaces).reversed()
        guard (1...Ticker.lengthMax).contains(symbol.count),
            symbol.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) })
        else { return nil }
        self.text = String(symbol).uppercased()
    }

    package var description: String { text }

    package static func < (one: Ticker, other: Ticker) -> Bool { one.text < other.text }
}
