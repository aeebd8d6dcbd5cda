import Aurora
import Duties
import Expectations
import Foundation
import HubTesting

@testable import AuroraApp

@Suite("Stored forecasts, their outcomes and their metrics", .timeLimit(.minutes(10)))
struct AuroraForecastKeeperTests {
    private static let target = Timestamp(iso8601: "2024-12-09T21:00:00Z")!

    private func forecast(
        lead: Int = 3,
        place: String = "tromso",
        target: Timestamp = target,
        good: Double = 0.8
    ) -> StoredForecast {
        StoredForecast(
            place: place,
            target: target,
            lead: lead,
            score: 60,
            moderate: 0.9,
            good: good,
            persistence: 40
        )
    }

    private func outcome(_ score: Double, target: Timestamp = target) -> ForecastOutcome {
        ForecastOutcome(place: "tromso", target: target, score: score)
    }

    private func skills(_ store: HubStore) async throws -> [AuroraSkill] {
        try await store.readAurora { try $0.skills(.standard) }
    }

    @Test func skillIsThatOfTheForecastsWithAnOutcome() async throws {
        try await withTemporaryStore(migrations: AuroraTables.migrations) { store in
            try await store.commitForecasts([forecast(), forecast(lead: 12, good: 0.5)], nil)
            try await expectEqual(skills(store), [])
            try await store.commitForecasts([], outcome(55))
            let good = try await skills(store).filter { $0.level == .good }
            expectEqual(good.map(\.lead), [3, 12])
            expectEqual(good.map(\.skill.count), [1, 1])
            expectEqual(good.map(\.skill.events), [1, 1])
            expect(abs(good[0].skill.squaredError - 0.04) < 1e-9)
            expect(abs(good[1].skill.squaredError - 0.25) < 1e-9)
            expectEqual(good[0].skill.persistenceSquaredError, 1, "40 is below 50")
            let moderate = try await require(skills(store).first { $0.level == .moderate })
            expectEqual(moderate.skill.persistenceSquaredError, 0)
        }
    }

    @Test func firstForecastOfAnHourStays() async throws {
        try await withTemporaryStore(migrations: AuroraTables.migrations) { store in
            try await store.commitForecasts([forecast(good: 0.8)], nil)
            try await store.commitForecasts([forecast(good: 0.1)], outcome(55))
            let good = try await require(skills(store).last)
            expect(abs(good.skill.squaredError - 0.04) < 1e-9)
        }
    }

    @Test func outcomeIsThatOfItsPlaceAndHour() async throws {
        try await withTemporaryStore(migrations: AuroraTables.migrations) { store in
            let later = AuroraForecastKeeperTests.target + .seconds(3600)
            try await store.commitForecasts(
                [forecast(), forecast(place: "alta"), forecast(target: later)],
                outcome(55)
            )
            try await expectEqual(skills(store).map(\.place), ["tromso", "tromso"])
            try await expect(skills(store).allSatisfy { $0.skill.count == 1 })
        }
    }

    @Test func reliabilityIsByFifths() async throws {
        try await withTemporaryStore(migrations: AuroraTables.migrations) { store throws in
            let target = AuroraForecastKeeperTests.target
            for (index, good) in [0, 0.19, 0.2, 1].enumerated() {
                let hour = target + .seconds(3600 * index)
                try await store.commitForecasts(
                    [forecast(target: hour, good: good)],
                    outcome(index == 3 ? 50 : 49, target: hour)
                )
            }
            let bins = try await store.readAurora { try $0.reliability(.standard) }
                .filter { $0.level == .good }
            expectEqual(bins.map(\.index), [0, 1, 4])
            expectEqual(bins.map(\.bin.count), [2, 1, 1])
            expectEqual(bins.map(\.bin.events), [0, 0, 1])
        }
    }

    @Test func oldForecastsAreDeleted() async throws {
        try await withTemporaryStore(migrations: AuroraTables.migrations) { store in
            try await store.commitForecasts([forecast()], outcome(55))
            let kept = AuroraForecastKeeperTests.target + AuroraForecastKeeper.kept
            try await AuroraForecastKeeper.trim(store, now: kept)
            try await expectEqual(skills(store).count, 2)
            try await AuroraForecastKeeper.trim(store, now: kept + .milliseconds(1))
            try await expect(skills(store).isEmpty)
        }
    }

    @Test func metricsHaveTheFiguresOfTheStore() async throws {
        try await withTemporaryStore(migrations: AuroraTables.migrations) { store in
            let metrics = DomainMetrics()
            let keeper = AuroraForecastKeeper(
                store: store,
                bounds: .standard,
                registry: metrics.registry,
                logger: silentLogger
            )
            let labels = ["place": "tromso", "lead_hours": "3", "level": "good"]
            let before = try await metrics.registry.exposition()
            expectNil(before.value("hub_aurora_forecast_brier_score", labels))
            let next = AuroraForecastKeeperTests.target + .seconds(3600)
            try await store.commitForecasts([forecast(), forecast(target: next)], outcome(55))
            try await store.commitForecasts([], outcome(30, target: next))
            try await keeper.restore()
            let after = try await metrics.registry.exposition()
            expectEqual(after.value("hub_aurora_forecast_hours", labels), 2)
            expectEqual(after.value("hub_aurora_forecast_events", labels), 1)
            let brier = try require(after.value("hub_aurora_forecast_brier_score", labels))
            expect(abs(brier - 0.34) < 1e-9)
            var against = labels
            against["against"] = "climatology"
            let skill = try require(after.value("hub_aurora_forecast_skill", against))
            expect(abs(skill - (1 - 0.34 / 0.25)) < 1e-9)
        }
    }

    /// An hour is measured, the next one begins: its forecasts are stored, and the outcome of the one before.
    @Test func hubStoresWhatTheJournalSays() async throws {
        try await withTemporaryStore(migrations: AuroraTables.migrations) { store throws in
            let metrics = DomainMetrics()
            let keeper = AuroraForecastKeeper(
                store: store,
                bounds: .standard,
                registry: metrics.registry,
                logger: silentLogger
            )
            var pipeline = AuroraPipeline(places: [.tromso], rules: [])
            let first = try await require(DemoNights.inputs.value.first?.time)
            for input in try await DemoNights.inputs.value {
                // From 16:00 to 20:00.
                guard input.time <= first + .seconds(4 * 3600) else { break }
                _ = pipeline.take(input.payload, now: input.time) { "id" }
                guard input.payload == nil, let derivation = pipeline.derivations["tromso"] else {
                    continue
                }
                await keeper.note(derivation) { [pipeline] in pipeline.outlook(of: .tromso) }
            }
            let skills = try await skills(store)
            // The forecast of 16:00 for 19:00, whose hour was over at 20:00.
            expectEqual(skills.map(\.lead), [3, 3])
            expectEqual(skills.map(\.skill.count), [1, 1])
        }
    }
}
