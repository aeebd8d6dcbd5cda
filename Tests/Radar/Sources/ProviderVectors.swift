import Expectations
import Foundation

@testable import Radar

/// One exchange of protocol/vectors/ai: an answer of a provider, and what is to be made of it.
struct ProviderVector: Decodable, Sendable, CustomTestStringConvertible {
    let about: String
    let api: String
    let asks: String
    let status: Int
    let headers: [String: String]
    let body: String
    let outcome: Outcome

    struct Outcome: Decodable, Sendable {
        let kind: String
        let reason: String?
        let usage: Usage?
        let opinion: OpinionFields?
        let interpretation: InterpretationFields?
        /// Seconds.
        let after: Double?
        let overload: Bool?
    }

    struct Usage: Decodable, Sendable {
        let input: Int
        let output: Int
    }

    struct OpinionFields: Decodable, Sendable {
        let stance: String
        let confidence: Double
        let content: String
        let reasoning: String?
        let model: String
    }

    struct InterpretationFields: Decodable, Sendable {
        let text: String
        let category: String
        let subCategory: String?
        let tags: [String]
        let sentiment: String
    }

    /// The name of its file, without `.json`.
    var name = ""

    private enum CodingKeys: CodingKey {
        case about, api, asks, status, headers, body, outcome
    }

    var testDescription: String { name }

    static let all: [ProviderVector] = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "protocol/vectors/ai")
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
                let data = try Data(contentsOf: folder.appending(path: $0))
                var vector = try JSONDecoder().decode(ProviderVector.self, from: data)
                vector.name = String($0.dropLast(".json".count))
                return vector
            }
        } catch {
            preconditionFailure("\(folder.path): \(error)")
        }
    }()

    static func named(_ name: String) -> ProviderVector {
        guard let vector = all.first(where: { $0.name == name }) else {
            preconditionFailure("no vector \(name)")
        }
        return vector
    }

    var response: ProviderResponse { response(body: Array(body.utf8)) }

    func response(body: [UInt8]) -> ProviderResponse {
        ProviderResponse(
            status: status,
            headers: headers.map { HeaderField($0.key, $0.value) },
            body: body
        )
    }

    var source: any OpinionSource { api == "anthropic" ? anthropic : openAI }

    /// What an answer is when its value does not matter.
    func answer(to response: ProviderResponse) -> AnswerKind {
        asks == "stance"
            ? AnswerKind(source.stances(from: response))
            : AnswerKind(source.interpretation(from: response))
    }
}

enum AnswerKind: Equatable {
    case value(usage: TokenUsage?)
    case none(NoAnswer, usage: TokenUsage?)
    case failure(ProviderFailure)

    init<Value>(_ answer: ProviderAnswer<Value>) {
        switch answer {
        case .value(_, let usage): self = .value(usage: usage)
        case .none(let reason, let usage): self = .none(reason, usage: usage)
        case .failure(let failure): self = .failure(failure)
        }
    }

    var isValue: Bool {
        if case .value = self { true } else { false }
    }
}

/// Of both providers; no answer or description may have it.
let vectorKey = "sk-vector-key"

let anthropic = ModelSource(
    name: "claude",
    model: AnthropicModel("claude-sonnet-4-5", key: ProviderKey(vectorKey))
)

let openAI = ModelSource(name: "gpt", model: OpenAIModel("gpt-4o", key: ProviderKey(vectorKey)))

func response(
    _ status: Int = 200,
    _ headers: [String: String] = [:],
    _ body: String = ""
) -> ProviderResponse {
    ProviderResponse(
        status: status,
        headers: headers.map { HeaderField($0.key, $0.value) },
        body: Array(body.utf8)
    )
}
