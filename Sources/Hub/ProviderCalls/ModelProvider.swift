import Providers

/// An API for models that the hub can ask, as the configuration names it.
package enum ModelProvider: String, CaseIterable, Sendable {
    /// Anthropic's Messages.
    case anthropic
    /// Chat completions, as OpenAI and many others serve them.
    case openai

    /// Where it is asked, unless another URL is configured.
    package var url: String {
        switch self {
        case .anthropic: AnthropicModel.defaultURL
        case .openai: OpenAIModel.defaultURL
        }
    }

    /// The environment variable with the key for `url`.
    package var keyVariable: String {
        switch self {
        case .anthropic: "VARDE_ANTHROPIC_API_KEY"
        case .openai: "VARDE_OPENAI_API_KEY"
        }
    }

    /// Whether a section needs a key: a model that runs on this machine may need none.
    package func needsKey(asksThisMachine: Bool) -> Bool {
        self == .anthropic || !asksThisMachine
    }

    /// A model behind the API; nil without a key that it needs.
    ///
    /// - Parameter url: in the form of `url`.
    package func model(_ name: String, key: ProviderKey?, url: String) -> (any ToolModel)? {
        switch self {
        case .anthropic: key.map { AnthropicModel(name, key: $0, url: url) }
        case .openai: OpenAIModel(name, key: key, url: url)
        }
    }
}
