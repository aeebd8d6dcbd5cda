/// A model as a source of opinions.
package struct ModelSource: OpinionSource {
    package let name: String
    package let provider: String
    package let trust: Double
    private let asked: any ToolModel

    /// - Parameter provider: the name of the source, if nil.
    package init(
        name: String,
        provider: String? = nil,
        model: any ToolModel,
        trust: Double = 1
    ) {
        self.name = name
        self.provider = provider ?? name
        asked = model
        self.trust = trust
    }

    package var model: String { asked.name }
    package var promptVersion: String { Prompt.stance.version }
    package var tokensMax: Int { max(Prompt.stance.tokensMax, Prompt.interpretation.tokensMax) }

    package func stanceRequest(topic: String) -> ProviderRequest? {
        asked.request(Prompt.stance.about(topic))
    }

    package func interpretationRequest(topic: String) -> ProviderRequest? {
        asked.request(Prompt.interpretation.about(topic))
    }

    package func stances(from response: ProviderResponse) -> ProviderAnswer<StanceSamples> {
        asked.answer(response, calling: Prompt.stance.tool.name) { input, model in
            StanceSample.recorded(input, author: name, model: model).map { StanceSamples([$0]) }
        }
    }

    package func interpretation(
        from response: ProviderResponse
    ) -> ProviderAnswer<Interpretation> {
        asked.answer(response, calling: Prompt.interpretation.tool.name) { input, _ in
            Interpretation.recorded(input, source: name)
        }
    }
}
