/// A source of opinions on a topic: makes the request, and reads its answer.
///
/// A source sends nothing. For each topic: `localStances` first; if that is nil, have
/// `SourceMachine` admit the request, send it, and give the response to `stances`. Do not follow
/// redirects, and do not read a body over `ProviderLimits.answerBytesMax`.
package protocol OpinionSource: Sendable {
    /// As configured, one of its kind.
    var name: String { get }
    /// The provider whose opinions are not independent of each other.
    var provider: String { get }
    /// As configured; the opinions have the name that the provider answers with.
    var model: String { get }
    /// The version of the source's question; changes with the question.
    var promptVersion: String { get }
    /// The weight of its opinions.
    var trust: Double { get }
    /// The maximum cost of one request, reserved before it is sent; 0 for sources without tokens.
    var tokensMax: Int { get }

    /// Nil for a source that answers by itself.
    func stanceRequest(topic: String) -> ProviderRequest?
    func stances(from response: ProviderResponse) -> ProviderAnswer<StanceSamples>
    /// Nil for a source that does not interpret topics.
    func interpretationRequest(topic: String) -> ProviderRequest?
    func interpretation(from response: ProviderResponse) -> ProviderAnswer<Interpretation>
    /// The properties that must stay the same for opinions to be a series, in addition to the
    /// question.
    func seriesModel(of sample: StanceSample) -> String
    /// The period after which a source that needs no request has another opinion.
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
