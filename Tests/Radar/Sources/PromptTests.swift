import Expectations

@testable import Radar

@Suite("Prompts", .timeLimit(.minutes(10)))
struct PromptTests {
    /// Of every version that ever was: who changes a text adds a row and takes a new version, since
    /// opinions asked for in other words are another series.
    private static let digests = [
        "stance-1": "1da9f89534d5e904",
        "interpretation-1": "5bf07bbc4cd3b08c",
    ]

    @Test(arguments: [Prompt.stance, Prompt.interpretation].map(\.version))
    func versionStandsForItsTexts(version: String) throws {
        let prompt = try require(
            [Prompt.stance, Prompt.interpretation].first { $0.version == version }
        )
        let digest = sha256(prompt.texts.joined(separator: "\u{0}").utf8).prefix(8)
            .map(hexadecimal).joined()
        expectEqual(digest, Self.digests[version], "the texts of \(version) have changed")
    }

    @Test func everyTextCountsForTheVersion() {
        let texts = Prompt.stance.texts
        expectEqual(Set(texts).count, 5)
        expect(texts.contains(Prompt.stance.system))
        expect(texts.contains { $0.contains(Prompt.stance.task) })
    }

    @Test(arguments: [Prompt.stance.tool.schema, Prompt.interpretation.tool.schema])
    func schemaIsJSONAndDemandsEveryField(schema: String) throws {
        let object = try require(JSONObject(Array(schema.utf8)[...]))
        let properties = try require(object["properties"])
        let names = try JSONReader.fields(of: properties).map(\.key)
        let required = try require(object.elements("required")).compactMap(JSONReader.string)
        expectEqual(names, required)
        expectEqual(
            object["additionalProperties"].map { String(decoding: $0, as: UTF8.self) },
            "false"
        )
    }

    @Test func schemaOffersTheStancesAndTheWayOut() throws {
        let schema = try require(JSONObject(Array(Prompt.stance.tool.schema.utf8)[...]))
        let words = try require(schema.object("properties")?.object("stance")?.elements("enum"))
        expectEqual(
            words.compactMap(JSONReader.string),
            Stance.allCases.map(\.rawValue) + [Prompt.noOpinionWord]
        )
    }

    @Test func schemaOffersTheCategoriesThatAreTaken() throws {
        let schema = try require(JSONObject(Array(Prompt.interpretation.tool.schema.utf8)[...]))
        let words = try require(schema.object("properties")?.object("category")?.elements("enum"))
        expectEqual(words.compactMap(JSONReader.string), Interpretation.categories)
    }

    /// A token has at least one byte, so the request's bytes are above what it costs by any tokenizer;
    /// the reservation may be lower only because our own texts are English.
    @Test func reservationIsAboveWhatTheLongestTopicCosts() throws {
        let topic = String(repeating: "語", count: RadarLimits.topicLengthMax)
        let request = try require(anthropic.stanceRequest(topic: topic))
        let bytesPerToken = 3
        let estimate = request.body.count / bytesPerToken + Prompt.outputTokensMax
        expect(anthropic.tokensMax >= estimate)
        expect(anthropic.tokensMax < 2 * estimate, "not far above it either")
        expectEqual(openAI.tokensMax, anthropic.tokensMax)
    }
}
