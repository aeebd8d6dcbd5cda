import Expectations

@testable import Radar

@Suite("protocol/vectors/ai", .timeLimit(.minutes(10)))
struct ProviderVectorTests {
    private static let bodies = ProviderVector.all.filter { $0.status == 200 }

    @Test func thereAreVectorsOfEveryOutcome() {
        let kinds = Set(ProviderVector.all.map(\.outcome.kind))
        expectEqual(kinds, ["value", "none", "retryable", "permanent", "disabled"])
        let reasons = Set(ProviderVector.all.compactMap(\.outcome.reason))
        expectEqual(reasons, Set(NoAnswer.allCases.map(\.rawValue)))
    }

    @Test(arguments: ProviderVector.all)
    func answerIsReadAsItsVectorSays(_ vector: ProviderVector) throws {
        let answer = vector.answer(to: vector.response)
        switch vector.outcome.kind {
        case "value":
            expectEqual(answer, .value(usage: vector.usage))
        case "none":
            let reason = try require(vector.outcome.reason.flatMap(NoAnswer.init))
            expectEqual(answer, .none(reason, usage: vector.usage))
        case "retryable":
            guard case .failure(.retryable(_, let after, let isOverload)) = answer else {
                Issue.record("\(answer) is not retryable")
                return
            }
            expectEqual(after, vector.outcome.after.map { .seconds($0) })
            expectEqual(isOverload, vector.outcome.overload)
        case "permanent":
            guard case .failure(.permanent) = answer else {
                Issue.record("\(answer) is not permanent")
                return
            }
        default:
            guard case .failure(.disabled) = answer else {
                Issue.record("\(answer) does not disable")
                return
            }
        }
    }

    @Test(arguments: ProviderVector.all.filter { $0.outcome.opinion != nil })
    func opinionIsReadFieldByField(_ vector: ProviderVector) throws {
        let fields = try require(vector.outcome.opinion)
        guard case .value(let stances, _) = vector.source.stances(from: vector.response) else {
            Issue.record("no opinion in \(vector.name)")
            return
        }
        let expected = StanceSample(
            author: vector.source.name,
            model: fields.model,
            content: fields.content,
            stance: try require(Stance(rawValue: fields.stance)),
            confidence: fields.confidence,
            reasoning: fields.reasoning
        )
        expectEqual(stances, StanceSamples([expected]))
    }

    @Test(arguments: ProviderVector.all.filter { $0.asks == "interpretation" })
    func interpretationIsReadFieldByField(_ vector: ProviderVector) throws {
        let fields = try require(vector.outcome.interpretation)
        let source = vector.source
        guard case .value(let value, _) = source.interpretation(from: vector.response) else {
            Issue.record("no interpretation in \(vector.name)")
            return
        }
        expectEqual(
            value,
            Interpretation(
                text: fields.text,
                category: fields.category,
                subCategory: fields.subCategory,
                tags: fields.tags,
                sentiment: try require(.init(rawValue: fields.sentiment)),
                source: source.name
            )
        )
    }

    /// The last bytes of some bodies are line ends or a stream's blank line, which say nothing.
    @Test(arguments: bodies)
    func answerThatIsCutAnywhereHoldsNothing(_ vector: ProviderVector) {
        let body = Array(vector.body.utf8)
        for length in body.indices {
            let answer = vector.answer(to: vector.response(body: Array(body[..<length])))
            expect(!answer.isValue, "cut to \(length) of \(body.count) bytes")
        }
    }

    @Test(arguments: bodies)
    func answerThatIsNotUTF8HoldsNothing(_ vector: ProviderVector) {
        let body = Array(vector.body.utf8)
        for index in stride(from: 0, to: body.count, by: 7) {
            var broken = body
            broken[index] = 0xFF
            let answer = vector.answer(to: vector.response(body: broken))
            expect(!answer.isValue, "byte \(index)")
        }
    }

    @Test(arguments: ProviderVector.all)
    func reasonsOfFailuresRepeatNothingOfTheMessage(_ vector: ProviderVector) {
        guard case .failure(let failure) = vector.answer(to: vector.response) else { return }
        expect(!failure.reason.contains(vectorKey))
        expect(failure.reason.utf8.count < 80, "\(failure.reason)")
    }

    @Test func answerOverTheLimitIsNotRead() {
        let vector = ProviderVector.named("anthropic-stance")
        let space = [UInt8](
            repeating: 0x20,
            count: ProviderLimits.answerBytesMax - vector.body.utf8.count
        )
        let whole = Array(vector.body.utf8) + space
        expect(vector.answer(to: vector.response(body: whole)).isValue)
        expectEqual(
            vector.answer(to: vector.response(body: whole + [0x20])),
            .none(.garbage, usage: nil)
        )
    }
}

extension ProviderVector {
    fileprivate var usage: TokenUsage? {
        outcome.usage.map { TokenUsage(inputTokens: $0.input, outputTokens: $0.output) }
    }
}
