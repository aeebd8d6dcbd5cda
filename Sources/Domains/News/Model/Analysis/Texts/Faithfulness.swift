/// Checks a generated text against its inputs, before it is published.
///
/// It finds invented figures and companies, and advice to trade. It does not find a false statement
/// that has none of them.
package struct Faithfulness: Equatable, Sendable {
    /// Why a text may not be shown.
    package enum Fault: Hashable, Sendable {
        /// A number that no input has.
        case number(String)
        /// A company that no input names.
        case ticker(Ticker)
        /// Advice to buy or sell.
        case advice(String)
        case empty
    }

    /// In the order of the text; empty for a text that may be shown.
    package let faults: [Fault]

    package var isFaithful: Bool { faults.isEmpty }

    /// - Parameters:
    ///   - text: The generated text, all its fields joined by line breaks.
    ///   - inputs: Everything that the generator was given about the story and the reader.
    ///   - tickers: The companies that it was given by their symbols.
    package init(
        of text: String,
        inputs: [String],
        tickers: Set<Ticker> = [],
        extractor: TickerExtractor
    ) {
        let words = TextWord.words(of: text)
        guard !words.isEmpty else {
            faults = [.empty]
            return
        }
        let known = Set(inputs.flatMap { NumberValue.numbers(in: $0) })
        var faults: [Fault] = []
        for number in NumberValue.numbers(in: text) where !known.contains(number) {
            faults.append(.number(number.description))
        }
        let given = tickers.union(
            inputs.flatMap { extractor.mentions(title: "", text: $0).map(\.ticker) }
        )
        // A symbol that occurs in an input is given, even if nothing marks it as one.
        let symbols = Set(
            inputs.flatMap { TextWord.words(of: $0).filter(\.isUppercase).map(\.original) }
        )
        for mention in extractor.mentions(title: "", text: text)
        where !given.contains(mention.ticker) && !symbols.contains(mention.ticker.text[...]) {
            faults.append(.ticker(mention.ticker))
        }
        if let advice = TradingAdvice.find(in: words) { faults.append(.advice(advice)) }
        self.faults = faults
    }
}

extension NumberValue: CustomStringConvertible {
    /// `12e8` for 1.2 billion, and with `%` after a percentage.
    var description: String {
        digits + (exponent == 0 ? "" : "e\(exponent)") + (isPercentage ? "%" : "")
    }
}
