/// Why a text of a model is dropped. Log entries have the raw values.
package enum WritingFault: String, Error, CaseIterable, Sendable {
    /// A field is longer than asked for, or the text is longer than its source.
    case tooLong
    /// A URL. Texts never have one, so it can only come from a source that tries to attract
    /// visitors.
    case link
    /// The text is about the request and not about its subject: the model has followed a source.
    case instruction
    /// A number that no input has.
    case number
    /// A company that no input names.
    case ticker
    /// Advice to buy or sell.
    case advice
    case empty
}

extension WritingFault {
    /// The first fault of a text; nil for a text that may be shown.
    ///
    /// - Parameters:
    ///   - fields: of the text.
    ///   - inputs: everything that the model was given from outside.
    ///   - tickers: the companies that it was given by their symbols.
    static func find(
        in fields: [String],
        inputs: [String],
        tickers: Set<Ticker> = [],
        extractor: TickerExtractor
    ) -> WritingFault? {
        let text = fields.joined(separator: "\n")
        let lowercase = text.lowercased()
        if linkMarks.contains(where: lowercase.contains) { return .link }
        if instructionMarks.contains(where: lowercase.contains) { return .instruction }
        let faults = Faithfulness(
            of: text,
            inputs: inputs,
            tickers: tickers,
            extractor: extractor
        ).faults
        return faults.first.map(WritingFault.init)
    }

    private init(_ fault: Faithfulness.Fault) {
        self =
            switch fault {
            case .number: .number
            case .ticker: .ticker
            case .advice: .advice
            case .empty: .empty
            }
    }

    private static let linkMarks = ["://", "www.", "mailto:", "<a ", "]("]

    /// Words of requests, in lower case. An article about requests to models also has them; its
    /// readers get the original.
    private static let instructionMarks = [
        "system prompt", "previous instructions", "your instructions", "my instructions",
        "these instructions", "as an ai ", "as a language model", "i cannot provide",
        "i can't provide", "i'm unable to", "i am unable to", "record_",
    ]
}
