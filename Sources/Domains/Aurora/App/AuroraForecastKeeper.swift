import Aurora
import DomainKit

/// Stores forecasts with the scores that came, and keeps the figures of their skill for the metrics.
package final class AuroraForecastKeeper: Sendable {
    /// Two months of a place are at most 7200 rows.
    package static let kept = Duration.seconds(60 * 86_400)

    private let store: HubStore
    private let bounds: LevelBounds
    private let logger: Logger
    private let journal = Locked(ForecastJournal())
    private let figures = Locked(AuroraFigures())

    package init(store: HubStore, bounds: LevelBounds, registry: MetricsRegistry, logger: Logger) {
        self.store = store
        self.bounds = bounds
        self.logger = logger
        registry.add { [figures] text in text.write(figures.withLock { $0 }) }
    }

    /// Computes the figures from the stored rows.
    package func restore() async throws {
        let figures = try await store.readAurora { [bounds] in
            AuroraFigures(skills: try $0.skills(bounds), reliability: try $0.reliability(bounds))
        }
        self.figures.withLock { $0 = figures }
    }

    /// Notes the derivation of a place; at the beginning of an hour, stores the forecasts and the
    /// outcome.
    ///
    /// - Parameter outlook: of the same moment.
    package func note(_ derivation: Derivation, outlook: () -> Outlook?) async {
        guard let entry = journal.withLock({ $0.take(derivation) }) else { return }
        let forecasts = entry.isBeginning ? outlook()?.keptForecasts ?? [] : []
        guard !forecasts.isEmpty || entry.outcome != nil else { return }
        do {
            try await store.commitForecasts(forecasts, entry.outcome)
            if entry.outcome != nil { try await restore() }
        } catch {
            logger.error("aurora: forecasts not stored", metadata: ["err": "\(error)"])
        }
    }

    package static func trim(_ store: HubStore, now: Timestamp) async throws {
        try await store.trimForecasts(before: now - kept)
    }
}

/// The figures of the stored forecasts.
package struct AuroraFigures: Equatable, Sendable {
    package var skills: [AuroraSkill] = []
    package var reliability: [AuroraReliability] = []
}
