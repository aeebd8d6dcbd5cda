import Configuration
import Duties
import Expectations
import HubTesting
import LoopTesting
import Service

@testable import RadarApp

/// Radar events and the rules that look at them, without a store.
private struct RadarAlertRun {
    static let start = Timestamp(iso8601: "2026-01-02T10:00:00Z")!

    let book: AlertBook
    var alerts: DomainAlerts
    var rows: [String: AlertRow] = [:]
    var state: [String: StateRow] = [:]
    private var serial = 0

    init(
        rules: [AlertRule],
        radars: RadarDirectory = RadarDirectory(),
        alerts: [AlertRow] = [],
        fields: [StateRow] = []
    ) {
        book = AlertBook(
            configured: rules.map { (Configuration.Alert(), $0) },
            namespaces: NamespaceRules([.radar], radars: radars)
        )
        self.alerts = RadarAlertRun.alerts(book, alerts, fields)
    }

    private static func alerts(
        _ book: AlertBook,
        _ alerts: [AlertRow],
        _ fields: [StateRow]
    ) -> DomainAlerts {
        DomainAlerts(
            RadarAlertSubjects(),
            book: book,
            alerts: alerts,
            fields: fields,
            logger: silentLogger
        )
    }

    /// Takes events in and keeps what comes of them.
    mutating func take(_ data: String..., at seconds: Int = 0) -> DomainAlerts.Taken? {
        let now = RadarAlertRun.start + .seconds(seconds)
        let events = data.map {
            Event(
                id: "e",
                type: "radar.position.changed",
                source: "/radar",
                subject: "r1",
                time: now,
                data: Array($0.utf8)
            )
        }
        let taken = alerts.take(events, of: "r1", now: now) {
            serial += 1
            return "id-\(serial)"
        }
        if let taken { keep(taken) }
        return taken
    }

    mutating func keep(_ taken: DomainAlerts.Taken) {
        alerts.keep(taken)
        for row in taken.outcome.alerts { rows[row.rule] = row.state == nil ? nil : row }
        for row in taken.outcome.state { state[row.key] = row.value == nil ? nil : row }
    }

    mutating func restart() {
        alerts = RadarAlertRun.alerts(book, Array(rows.values), Array(state.values))
    }
}

@Suite("Alerts of radars", .timeLimit(.minutes(10)))
struct RadarAlertsTests {
    private func rule(
        _ when: String = "score <= -0.5",
        name: String = "against",
        topics: String = "radar:*",
        hold: Duration = .zero,
        owner: String? = nil
    ) throws -> AlertRule {
        try AlertRule(
            name: name,
            topics: topics,
            when: AlertExpression(when),
            hold: hold,
            severity: .warning,
            owner: owner
        )
    }

    private func types(_ taken: DomainAlerts.Taken?) -> [String] {
        taken?.outcome.events.map { "\($0.topic) \($0.event.type)" } ?? []
    }

    private let opposed = #"{"radarId":"r1","position":"against","score":-0.6}"#
    private let divided = #"{"radarId":"r1","position":"neutral","score":0.1}"#

    @Test func radarWithoutARuleHasNoBoardAndNoRows() throws {
        var run = RadarAlertRun(rules: [try rule(topics: "aurora:*")])
        expectNil(run.take(opposed))
        expectEqual(run.alerts.due(now: RadarAlertRun.start).ids, [])
    }

    @Test func positionRaisesAndClearsOneAlert() throws {
        var run = RadarAlertRun(rules: [try rule()])
        expectEqual(types(run.take(opposed)), ["radar:r1:alerts radar.alert.raised"])
        expectEqual(types(run.take(opposed, at: 1)), [])
        expectEqual(types(run.take(divided, at: 2)), ["radar:r1:alerts radar.alert.cleared"])
    }

    @Test func eventsTellOneAnotherApartByTheirFields() throws {
        var run = RadarAlertRun(
            rules: [try rule(#"score <= -0.5 and slope.direction == "falling""#)]
        )
        expectEqual(types(run.take(opposed)), [])
        let falling = #"{"slope":{"direction":"falling"}}"#
        expectEqual(types(run.take(falling, at: 1)), ["radar:r1:alerts radar.alert.raised"])
        expectEqual(
            types(run.take(#"{"slope":null}"#, at: 2)),
            ["radar:r1:alerts radar.alert.cleared"]
        )
    }

    @Test func eachEventOfAChangeIsLookedAt() throws {
        var run = RadarAlertRun(rules: [try rule()])
        let taken = run.take(opposed, divided)
        expectEqual(
            types(taken),
            [
                "radar:r1:alerts radar.alert.raised", "radar:r1:alerts radar.alert.cleared",
            ]
        )
        expectEqual(taken?.outcome.alerts.count, 1, "the last state is the one that is kept")
    }

    @Test func whatWasToldAndRaisedStandsOverARestart() throws {
        var run = RadarAlertRun(rules: [try rule(#"score <= -0.5 and position == "against""#)])
        _ = run.take(opposed)
        run.restart()
        expectEqual(run.alerts.due(now: RadarAlertRun.start).ids, ["r1"], "looked at once")
        expectEqual(types(run.take()), [])
        expectEqual(run.alerts.due(now: RadarAlertRun.start).ids, [])
        expectEqual(
            types(run.take(#"{"position":"neutral"}"#, at: 5)),
            [
                "radar:r1:alerts radar.alert.cleared"
            ]
        )
    }

    @Test func holdIsDueAtItsTime() throws {
        var run = RadarAlertRun(rules: [try rule(hold: .seconds(60))])
        expectEqual(types(run.take(opposed)), [])
        let due = RadarAlertRun.start + .seconds(60)
        expectEqual(run.alerts.due(now: RadarAlertRun.start).next, due)
        expectEqual(run.alerts.due(now: due).ids, ["r1"])
        expectEqual(types(run.take(at: 60)), ["radar:r1:alerts radar.alert.raised"])
    }

    @Test func ruleThatIsRemovedClearsItsAlertAndForgetsTheRadar() throws {
        var run = RadarAlertRun(rules: [try rule()])
        _ = run.take(opposed)
        run.book.remove(AlertRuleKey(name: "against"))
        expectEqual(run.alerts.due(now: RadarAlertRun.start).ids, ["r1"])
        expectEqual(types(run.take(at: 1)), ["radar:r1:alerts radar.alert.cleared"])
        expect(run.rows.isEmpty)
        expect(run.state.isEmpty)
        expectNil(run.take(opposed, at: 2))
    }

    @Test func radarThatIsDeletedTakesItsAlertsAlong() throws {
        var run = RadarAlertRun(rules: [try rule()])
        _ = run.take(opposed)
        let taken = try require(run.alerts.end("r1", now: RadarAlertRun.start) { "id" })
        expectEqual(types(taken), ["radar:r1:alerts radar.alert.cleared"])
        run.keep(taken)
        expect(run.rows.isEmpty && run.state.isEmpty)
        expectNil(run.alerts.end("r1", now: RadarAlertRun.start) { "id" })
    }

    @Test func usersRuleEndsWhenTheUserMayNotReadTheRadarAnyMore() throws {
        let radars = RadarDirectory(["r1": .init(owner: "1", isPublic: true)])
        var run = RadarAlertRun(
            rules: [try rule(name: "mine", owner: "1"), try rule(name: "theirs", owner: "2")],
            radars: radars
        )
        expectEqual(
            types(run.take(opposed)),
            [
                "alerts:1 radar.alert.raised", "alerts:2 radar.alert.raised",
            ]
        )
        radars.put(.init(owner: "1", isPublic: false), id: "r1")
        run.alerts.recheck("r1")
        expectEqual(run.alerts.due(now: RadarAlertRun.start).ids, ["r1"])
        expectEqual(types(run.take(at: 1)), ["alerts:2 radar.alert.cleared"])
    }

    /// The bytes are part of the file format.
    @Test func rowsOfReleasedVersionsAreTakenBackAndWritten() throws {
        let raised = #"{"raised":{"alert":{"id":"a","severity":"warning","since":1767347900000}}}"#
        let of = { (subject: String) in
            AlertRow(rule: "against", subject: subject, state: Array(raised.utf8))
        }
        var run = RadarAlertRun(
            rules: [try rule()],
            alerts: [of("radar:r1"), of("tromso"), of("topic:radar:r1")],
            fields: [
                StateRow(
                    domain: "alerts",
                    key: "r1",
                    value: Array(#"{"position":"against","score":-0.6}"#.utf8)
                )
            ]
        )
        expectEqual(run.alerts.due(now: RadarAlertRun.start).ids, ["r1"])
        expectEqual(types(run.take()), [])
        let found = run.take(#"{"score":0.5}"#, at: 1)
        let taken = try require(found)
        expectEqual(types(taken), ["radar:r1:alerts radar.alert.cleared"])
        expectEqual(
            taken.outcome.alerts,
            [
                AlertRow(
                    rule: "against",
                    subject: "radar:r1",
                    state: Array(#"{"idle":{}}"#.utf8)
                )
            ]
        )
        expectEqual(
            taken.outcome.state,
            [
                StateRow(
                    domain: "alerts",
                    key: "r1",
                    value: Array(#"{"position":"against","score":0.5}"#.utf8)
                )
            ]
        )
    }
}
