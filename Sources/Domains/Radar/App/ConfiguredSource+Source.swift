import DomainKit
import Radar

/// The source that a configuration stands for.
extension ConfiguredSource {
    package var source: any OpinionSource {
        let key = key.map { ProviderKey($0.revealed) }
        let url = settings.effectiveURL ?? ""
        switch settings.kind {
        case .anthropic, .openai:
            guard let name = settings.model,
                let model = settings.kind.modelProvider?.model(name, key: key, url: url)
            else { preconditionFailure("the configuration was checked: \(settings.name)") }
            return source(model)
        case .json:
            guard let mapping = settings.mapping else {
                preconditionFailure("the configuration was checked: \(settings.name)")
            }
            return JSONSource(
                name: settings.name,
                provider: settings.effectiveVendor,
                model: settings.model,
                key: key,
                url: url,
                mapping: JSONMapping(mapping),
                trust: settings.trust
            )
        case .sample:
            return SampleSource(
                name: settings.name,
                trust: settings.trust,
                period: settings.samplePeriod ?? .seconds(86_400)
            )
        }
    }

    private func source(_ model: any ToolModel) -> ModelSource {
        ModelSource(
            name: settings.name,
            provider: settings.effectiveVendor,
            model: model,
            trust: settings.trust
        )
    }

    /// - Parameter userSharePercent: `radar.user_share_percent`, which is the same for all sources.
    package func policy(userSharePercent: Int) -> SourcePolicy {
        SourcePolicy(
            concurrencyMax: settings.concurrency,
            dailyTokensMax: settings.dailyTokens,
            dailyRequestsMax: settings.dailyRequests,
            userSharePercent: userSharePercent
        )
    }
}

extension JSONMapping {
    fileprivate init(_ mapping: RadarSection.Mapping) {
        self.init(
            items: mapping.items ?? "",
            stance: mapping.stance,
            content: mapping.content,
            id: mapping.id,
            confidence: mapping.confidence,
            author: mapping.author,
            model: mapping.model,
            reasoning: mapping.reasoning,
            forWords: mapping.forWords,
            againstWords: mapping.againstWords,
            neutralWords: mapping.neutralWords
        )
    }
}
