/// An API for language models that the hub can use, as named in the configuration.
package enum ModelProvider: String, CaseIterable, Sendable {
    /// Anthropic's Messages.
    case anthropic
    /// Chat completions, as offered by OpenAI and many others.
    case openai

    /// The default URL.
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

    /// Returns a model behind the API; nil if a required key is missing.
    ///
    /// - Parameter url: a URL in the form of `url`.
    package func model(_ name: String, key: ProviderKey?, url: String) -> (any ToolModel)? {
        switch self {
        case .anthropic: key.map { AnthropicModel(name, key: $0, url: url) }
        case .openai: OpenAIModel(name, key: key, url: url)
        }
    }
}
