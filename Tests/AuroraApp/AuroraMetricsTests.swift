import Aurora
import Configuration
import Duties
import Expectations
import Foundation
import HubTesting
import Repository
import Service

@testable import AuroraApp

@Suite("Metrics of the aurora domain", .timeLimit(.minutes(10)))
struct AuroraMetricsTests {
    private func rule(_ topics: String, when: String) throws -> AlertRule {
        try AlertRule(
            name: "some",
            topics: topics,
            when: AlertExpression(when),
            severity: .warning
        )
    }

    // MARK: The aurora

    private let clock = HubClock(
        .recording(
            start: Timestamp(iso8601: "2024-12-09T17:10:00Z")!,
            speed: 1,
            anchor: HubClock.wall
        )
    )

    private func aurora(
        _ store: HubStore,
        _ metrics: DomainMetrics,
        rules: @escaping @Sendable () -> [AlertRule]
    ) -> AuroraService {
        AuroraService(
            pipeline: AuroraPipeline(places: [.tromso]) { _ in rules() },
            store: store,
            clock: clock,
            outbox: OutboxRouter(endpoints: [], wake: {}),
            metrics: metrics,
            logger: silentLogger
        )
    }

    private func applyOvation(to service: AuroraService) async throws {
        let path = "recordings/spaceweather/ovation_aurora_latest.2024-12-09-active.json"
        try await service.apply(
            .ovation,
            place: "",
            feed: "swpc.ovation",
            body: Array(try Data(contentsOf: URL(fileURLWithPath: "\(repositoryRoot)/\(path)"))),
            validators: FeedValidators()
        )
    }

    @Test func everyInputOfTheAuroraIsADerivation() async throws {
        try await withTemporaryStore { store in
            let metrics = DomainMetrics()
            let rules = Locked([try rule("aurora:*", when: "score >= 0")])
            let service = aurora(store, metrics) { rules.withLock { $0 } }
            let before = try await metrics.registry.exposition()
            expectEqual(before.alerts(of: "aurora"), [0, 0, 0, 0], "there before the first alert")
            try await applyOvation(to: service)
            let told = try await metrics.registry.exposition()
            expectEqual(told.value("hub_derive_seconds_count", ["domain": "aurora"]), 1)
            try expect(require(told.value("hub_derive_seconds_sum", ["domain": "aurora"])) > 0)
            expectEqual(told.alerts(of: "aurora"), [1, 1, 0, 0])
            rules.withLock { $0 = [] }
            try await applyOvation(to: service)
            let over = try await metrics.registry.exposition()
            expectEqual(over.value("hub_derive_seconds_count", ["domain": "aurora"]), 2)
            expectEqual(over.alerts(of: "aurora"), [0, 1, 0, 1])
        }
    }

    @Test func alertThatWasNotCommittedIsNotCounted() async throws {
        try await withTemporaryStore { store throws in
            let metrics = DomainMetrics()
            let rule = try rule("aurora:*", when: "score >= 0")
            let service = aurora(store, metrics) { [rule] }
            try await store.close()
            await #expect(throws: StoreError.self) { try await applyOvation(to: service) }
            try await expectEqual(metrics.registry.exposition().alerts(of: "aurora"), [0, 0, 0, 0])
        }
    }
}
