/// The interpretation for an investor of a text that a user has pasted.
///
/// It does not depend on the user, so that one text has one interpretation for all users.
package struct InterpretationTask: WritingTask {
    /// The limits of the fields, in characters.
    static let reasonLengthMax = 200
    static let actionLengthMax = 250
    static let noteLengthMax = 300
    static let reasonsMax = 3

    private let text: String
    private let digest: [UInt8]

    /// Nil for a text without visible characters.
    package init?(_ text: String) {
        guard let kept = OutsideText.kept(text, bytesMax: WritingPrompt.sourceBytesMax) else {
            return nil
        }
        self.text = kept
        digest = sha256(text.utf8)
    }

    // MARK: The question

    package static var kind: WritingKind { .interpretation }

    package var key: [UInt8] {
        sha256(Array(InterpretationTask.prompt.version.utf8) + digest)
    }

    package var subject: WritingSubject { .pastedText }

    package var prompt: ToolPrompt {
        InterpretationTask.prompt.about("Record what the text means for an investor.") { json in
            json.field("text", text)
        }
    }

    static let prompt = WritingPrompt(
        version: "interpretation-1",
        system: """
            You judge what a text means for a private investor who has pasted it.
            \(WritingPrompt.rules)
            Call record_interpretation once. The verdict is "aware" if the text has news that \
            investors should take note of, else "ignore". The action is something to read, to \
            follow or to understand, never a trade. The opportunity is "positive" or "negative" \
            only if the text itself gives a reason, which the note names. State your confidence \
            honestly, from 0 for a guess to 1 for certainty. Write in the language of the text.
            """,
        tool: ToolPrompt.Tool(
            name: "record_interpretation",
            description: "Records what the text means. To be called exactly once.",
            schema: """
                {"type":"object","properties":{\
                "verdict":{"type":"string","enum":["aware","ignore"]},\
                "why":{"type":"array","items":{"type":"string"},\
                "description":"One to three reasons for the verdict, each one short sentence."},\
                "action":{"type":"string","description":"What to read, follow or understand, in one short sentence."},\
                "horizon":{"type":["string","null"],"enum":["short","medium","long",null]},\
                "opportunity":{"type":"string","enum":["none","positive","negative"]},\
                "note":{"type":"string","description":"The reason for the opportunity; empty for none."},\
                "confidence":{"type":"number","description":"From 0 to 1."}\
                },"required":["verdict","why","action","horizon","opportunity","note","confidence"],\
                "additionalProperties":false}
                """
        ),
        outputTokensMax: 1024
    )

    // MARK: The answer

    package static func text(
        _ arguments: JSONObject
    ) -> Result<WrittenInterpretation, NoAnswer> {
        guard let verdict = arguments.string("verdict").flatMap(SignalJudgement.Verdict.init),
            let why = arguments.elements("why").flatMap(reasons),
            let action = arguments.line("action", actionLengthMax), !action.isEmpty,
            case .success(let horizon) = horizon(arguments),
            let opportunity = arguments.string("opportunity").flatMap(Opportunity.Kind.init),
            let note = arguments.line("note", noteLengthMax),
            // An opportunity has a reason.
            opportunity == .none || !note.isEmpty,
            let confidence = arguments.number("confidence"), (0...1).contains(confidence)
        else { return .failure(.garbage) }
        let interpretation = WrittenInterpretation(
            verdict: verdict,
            why: why,
            action: action,
            horizon: horizon,
            opportunity: opportunity,
            opportunityNote: opportunity == .none ? "" : note,
            confidence: Int((confidence * 100).rounded())
        )
        return .success(interpretation)
    }

    private static func horizon(_ arguments: JSONObject) -> Result<Horizon?, NoAnswer> {
        if arguments.isNull("horizon") { return .success(nil) }
        guard let horizon = arguments.string("horizon").flatMap(Horizon.init(rawValue:)) else {
            return .failure(.garbage)
        }
        return .success(horizon)
    }

    /// The first `reasonsMax`; nil for a list without a text, or with something else than texts.
    private static func reasons(_ elements: [ArraySlice<UInt8>]) -> [String]? {
        var reasons: [String] = []
        for element in elements {
            guard let text = JSONReader.shownText(element) else { return nil }
            guard let line = OutsideText.keptName(text, lengthMax: reasonLengthMax + 1) else {
                continue
            }
            reasons.append(line)
        }
        return reasons.isEmpty ? nil : Array(reasons.prefix(reasonsMax))
    }

    package static func write(_ text: WrittenInterpretation, to json: inout JSONWriter) {
        json.field("verdict", text.verdict.rawValue)
        json.textArray("why", text.why)
        json.field("action", text.action)
        json.field("horizon", text.horizon?.rawValue)
        json.field("opportunity", text.opportunity.rawValue)
        json.field("note", text.opportunityNote)
        json.field("confidence", Double(text.confidence) / 100)
    }

    package func fault(
        in text: WrittenInterpretation,
        extractor: TickerExtractor
    ) -> WritingFault? {
        guard text.why.allSatisfy({ $0.count <= InterpretationTask.reasonLengthMax }),
            text.action.count <= InterpretationTask.actionLengthMax,
            text.opportunityNote.count <= InterpretationTask.noteLengthMax
        else { return .tooLong }
        return WritingFault.find(
            in: text.why + [text.action, text.opportunityNote],
            inputs: [self.text],
            extractor: extractor
        )
    }
}
