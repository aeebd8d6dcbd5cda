import Configuration
import Duties
import Expectations
import HubTesting
import Service

@testable import RadarApp

@Suite("Metrics of radars", .timeLimit(.minutes(10)))
struct RadarMetricsTests {
    private func rule(_ topics: String, when: String) throws -> AlertRule {
        try AlertRule(
            name: "some",
            topics: topics,
            when: AlertExpression(when),
            severity: .warning
        )
    }

    @Test func lagOfPollsIsInSeconds() throws {
        var text = MetricsText()
        text.writeRadarLag(.milliseconds(7500))
        try expectEqual(Exposition(text.text).value("hub_poll_lag_seconds"), 7.5)
    }

    @Test func opinionAndPollOfARadarAreDerivations() async throws {
        try await RadarHub.run { hub in
            let metrics = DomainMetrics()
            let rule = try rule("radar:*", when: #"position == "against""#)
            let book = AlertBook(
                configured: [(Configuration.Alert(), rule)],
                namespaces: NamespaceRules([])
            )
            let service = try await hub.service(
                [],
                alerts: DomainAlerts(
                    RadarAlertSubjects(),
                    book: book,
                    alerts: [],
                    fields: [],
                    logger: silentLogger
                ),
                metrics: metrics
            )
            func told() async throws -> Exposition { try await metrics.registry.exposition() }
            let id = try await service.createRadar().id
            for author in ["Kari", "Ola", "Per"] {
                _ = try await service.push("against", author: author, to: id)
            }
            try await expectEqual(told().value("hub_derive_seconds_count", ["domain": "radar"]), 3)
            try await expectEqual(told().alerts(of: "radar"), [1, 1, 0, 0])
            _ = try await service.poll(id, isScheduled: false)
            try await expectEqual(told().value("hub_derive_seconds_count", ["domain": "radar"]), 4)
            // What a radar has raised ends with it.
            try await service.delete(id)
            try await expectEqual(told().alerts(of: "radar"), [0, 1, 0, 1])
        }
    }
}
