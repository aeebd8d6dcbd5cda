import Expectations
import Service

@Suite("APIs for models", .timeLimit(.minutes(10)))
struct ModelProviderTests {
    @Test func modelIsAskedAtTheURLOfItsProvider() throws {
        let prompt = ToolPrompt(
            version: "1",
            system: "",
            question: "?",
            outsideBytes: 0,
            tool: ToolPrompt.Tool(name: "t", description: "", schema: "{}"),
            outputTokensMax: 1
        )
        let urls = try ModelProvider.allCases.map { provider in
            let model = provider.model("m", key: ProviderKey("k"), url: provider.url)
            return try require(model).request(prompt).url
        }
        expectEqual(
            urls,
            [
                "https://api.anthropic.com/v1/messages",
                "https://api.openai.com/v1/chat/completions",
            ]
        )
    }

    @Test func onlyChatCompletionsOfThisMachineNeedNoKey() {
        expectNil(ModelProvider.anthropic.model("m", key: nil, url: "http://127.0.0.1:1"))
        expect(ModelProvider.openai.model("m", key: nil, url: "http://127.0.0.1:1") != nil)
        expect(ModelProvider.anthropic.needsKey(asksThisMachine: true))
        expect(!ModelProvider.openai.needsKey(asksThisMachine: true))
        expect(ModelProvider.openai.needsKey(asksThisMachine: false))
    }
}
