import DomainKit
import Radar

/// A source of opinions, with the runner that asks it.
package struct AskedSource: Sendable {
    package let source: any OpinionSource
    /// Sends the requests of the source.
    let client: ProviderClient
    private let runner: SourceRunner
    private let logger: Logger

    /// - Throws: `StoreError` when the day's spending cannot be read.
    package init(
        source: any OpinionSource,
        policy: SourcePolicy,
        timeout: Duration,
        client: ProviderClient,
        store: HubStore,
        clock: HubClock,
        board: HealthBoard,
        logger: Logger
    ) async throws {
        self.source = source
        self.client = client
        self.logger = logger
        runner = try await SourceRunner(
            source: source.name,
            domain: RadarSection.key,
            policy: policy,
            timeout: timeout,
            client: client,
            spending: RadarSpending(store: store),
            clock: clock,
            board: board,
            logger: logger
        )
    }

    /// Returns the rest of the source's day for a user; nil for a source that needs no requests.
    func budget(of user: String) -> UserBudget? {
        guard source.localStances(topic: "", period: 0) == nil else { return nil }
        return runner.budget(of: Array(user.utf8), tokensMax: source.tokensMax)
    }

    /// Sends a request of the source when there is a place for it.
    ///
    /// - Parameter user: whose share of the day pays for it.
    func ask<Value: Sendable & Equatable>(
        _ request: ProviderRequest,
        for user: String,
        decode: @Sendable @escaping (ProviderResponse) -> ProviderAnswer<Value>
    ) async -> SourceRunner.Reply<Value> {
        let reply = await runner.ask(
            request,
            tokensMax: source.tokensMax,
            for: Array(user.utf8),
            decode: decode
        )
        if case .none(let reason, _) = reply {
            logger.info(
                "radar: answer without an opinion",
                metadata: ["source": "\(source.name)", "reason": "\(reason.rawValue)"],
                source: LogSource.peer
            )
        }
        return reply
    }
}
