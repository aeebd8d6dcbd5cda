import Providers

/// Something that can be asked for opinions on a topic: what it is asked, and what its answer says.
///
/// A source sends nothing. For each topic: `localStances` first; where that is nil, have
/// `SourceMachine` admit the request, send it, and give the response to `stances`. Redirects are not
/// to be followed, and a body over `ProviderLimits.answerBytesMax` is not to be read.
package protocol OpinionSource: Sendable {
    /// As configured, one of its kind.
    var name: String { get }
    /// Whose opinions are not independent of each other.
    var provider: String { get }
    /// As configured; the opinions have the name that the provider answers with.
    var model: String { get }
    /// Changes with what the source is asked.
    var promptVersion: String { get }
    /// The weight of its opinions.
    var trust: Double { get }
    /// What one request may cost at most, to be reserved before it is sent; 0 for what has no tokens.
    var tokensMax: Int { get }

    /// Nil for a source that answers by itself.
    func stanceRequest(topic: String) -> ProviderRequest?
    func stances(from response: ProviderResponse) -> ProviderAnswer<StanceSamples>
    /// Nil for a source that does not interpret topics.
    func interpretationRequest(topic: String) -> ProviderRequest?
    func interpretation(from response: ProviderResponse) -> ProviderAnswer<Interpretation>
    /// What has to stay the same for opinions to be a series, beside the question.
    func seriesModel(of sample: StanceSample) -> String
    /// How often a source that needs no request has another opinion.
    var localPeriod: Duration { get }
    /// The opinions of a source that needs no request; `period` is counted since 1970-01-01, UTC.
    func localStances(topic: String, period: Int) -> [StanceSample]?
}

extension OpinionSource {
    package func seriesModel(of sample: StanceSample) -> String { sample.model }

    package func interpretationRequest(topic: String) -> ProviderRequest? { nil }

    package func interpretation(
        from response: ProviderResponse
    ) -> ProviderAnswer<Interpretation> {
        .failure(.permanent(reason: "\(name) does not interpret topics"))
    }

    package var localPeriod: Duration { .seconds(86_400) }

    package func localStances(topic: String, period: Int) -> [StanceSample]? { nil }
}
