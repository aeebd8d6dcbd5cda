/// A text that a model writes: the request to the model, and the reading and checking of its
/// answer.
///
/// The answer is the arguments of one forced tool. Models do not always conform to a schema, so
/// `text` checks types and ranges. `fault` then compares the text with the model's input.
package protocol WritingTask: Sendable {
    associatedtype Text: Sendable & Equatable

    static var kind: WritingKind { get }
    /// Identifies the text among all texts of all tasks: 32 bytes. Tasks with one key have one text.
    var key: [UInt8] { get }
    var subject: WritingSubject { get }
    var prompt: ToolPrompt { get }

    /// Reads a text from the arguments of the tool, or from the output of `write`.
    static func text(_ arguments: JSONObject) -> Result<Text, NoAnswer>

    /// Writes the fields of a text with the names of the tool's arguments.
    static func write(_ text: Text, to json: inout JSONWriter)

    /// Why a text must not be shown; nil for a text that may be shown.
    func fault(in text: Text, extractor: TickerExtractor) -> WritingFault?
}

/// The kinds of texts. Metrics have the raw values.
package enum WritingKind: String, CaseIterable, Sendable {
    case summary, explanation, interpretation
}

/// The subject of a text. A stored text is deleted with it.
package enum WritingSubject: Equatable, Sendable {
    case article(id: Int)
    case story(id: Int)
    /// Nothing that is stored.
    case pastedText
}

/// The result of asking a model for a text.
package enum Writing<Text: Sendable & Equatable>: Sendable, Equatable {
    /// - model: the name that the provider answered with.
    case written(Text, model: String)
    /// The text failed its checks.
    case dropped(WritingFault)
}

extension WritingTask {
    /// Reads and checks the answer to `prompt`.
    package func answer(
        _ response: ProviderResponse,
        from model: any ToolModel,
        extractor: TickerExtractor
    ) -> ProviderAnswer<Writing<Text>> {
        model.answer(response, calling: prompt.tool.name) { arguments, name in
            Self.text(arguments).map { text in
                if let fault = fault(in: text, extractor: extractor) { return .dropped(fault) }
                return .written(text, model: name)
            }
        }
    }

    /// A text as it is stored.
    package static func json(_ text: Text) -> [UInt8] {
        newsJSON { write(text, to: &$0) }
    }

    /// A stored text; nil for other bytes.
    package static func text(stored bytes: [UInt8]) -> Text? {
        guard let arguments = JSONObject(body: bytes) else { return nil }
        return try? text(arguments).get()
    }
}
