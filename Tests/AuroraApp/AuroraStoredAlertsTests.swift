import Aurora
import Expectations
import HubTesting
import LoopTesting
import Store

@testable import AuroraApp

@Suite("Aurora: alert rows of earlier versions", .timeLimit(.minutes(10)))
struct AuroraStoredAlertsTests {
    private let now = Timestamp(iso8601: "2024-12-09T17:10:00Z")!

    private func row(_ subject: String, _ state: String) -> AlertRow {
        AlertRow(rule: "clear-sky", subject: subject, state: Array(state.utf8))
    }

    /// The bytes are part of the file format.
    @Test func rowsOfReleasedVersionsAreTakenBackAndWritten() throws {
        let rule = try AlertRule(
            name: "clear-sky",
            topics: "aurora:*",
            when: AlertExpression("score >= 50"),
            severity: .info
        )
        var pipeline = AuroraPipeline(places: [.tromso], rules: [rule])
        let raised = #"{"raised":{"alert":{"id":"a","severity":"info","since":1733763600000}}}"#
        // Rows of other domains are beside it.
        let rows = ["tromso", "radar:r1", "topic:orders:1"].map { row($0, raised) }
        expectEqual(pipeline.restore(state: [], alerts: rows), [])
        let dark = [UInt8](repeating: 0, count: Ovation.valueCount)
        let grid = try require(Ovation(observation: now, forecast: now, values: dark))
        let output = pipeline.take(.ovation(grid), now: now) { "n" }
        let cleared = try require(
            output.events.first { $0.topic == auroraAlertsTopic(.tromso) }?.event
        )
        expectEqual(cleared.type, "aurora.alert.cleared")
        expectEqual(cleared.dataText("alert_id"), "a")
        expectEqual(output.alerts, [row("tromso", #"{"idle":{}}"#)])
    }
}
