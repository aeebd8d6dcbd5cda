import Configuration
import Expectations
import LoopTesting
import Service

@testable import Duties

/// Publications and the rules that look at them, without a store.
private struct TopicAlertRun {
    static let start = Timestamp(iso8601: "2026-01-02T10:00:00Z")!

    var rules: [AlertRule]
    var alerts = AlertHoldings()
    var alertRows: [String: AlertRow] = [:]
    var stateRows: [String: StateRow] = [:]
    private var serial = 0
    private var cursor: UInt64 = 0

    init(_ rules: [AlertRule]) { self.rules = rules }

    /// Publishes and keeps what comes of it.
    @discardableResult
    mutating func publish(
        _ payload: String,
        on topic: String = "orders:1",
        at seconds: Int = 0
    ) throws -> [String] {
        cursor += 1
        let now = TopicAlertRun.start + .seconds(seconds)
        let publication = Publication(
            topic: try Topic(topic),
            offset: cursor,
            cursor: cursor,
            time: now,
            payload: Array(payload.utf8)
        )
        return take([publication], now: now)
    }

    mutating func take(_ publications: [Publication], now: Timestamp) -> [String] {
        let rules = rules
        var serial = serial
        let outcome = alerts.take(
            publications,
            through: cursor,
            of: .operator,
            rules: { topic in rules.filter { $0.applies(to: topic) } },
            now: now,
            newID: { TopicAlertRun.newID(&serial) }
        )
        self.serial = serial
        return keep(outcome)
    }

    mutating func evaluate(all: Bool, at seconds: Int) -> [String] {
        let rules = rules
        var serial = serial
        let now = TopicAlertRun.start + .seconds(seconds)
        let outcome = alerts.change(.operator) { boards in
            boards.evaluate(
                all ? boards.ids : boards.takeDue(now: now),
                rules: { topic in rules.filter { $0.applies(to: topic) } },
                now: now,
                newID: { TopicAlertRun.newID(&serial) }
            )
        }
        self.serial = serial
        return keep(outcome)
    }

    mutating func forget(_ topics: String..., at seconds: Int) -> [String] {
        var serial = serial
        let outcome = alerts.change(.operator) { boards in
            boards.forget(
                topics,
                now: TopicAlertRun.start + .seconds(seconds),
                newID: { TopicAlertRun.newID(&serial) }
            )
        }
        self.serial = serial
        return keep(outcome)
    }

    mutating func restart() {
        var holdings = AlertHoldings()
        _ = holdings.restore(
            alerts: Array(alertRows.values),
            fields: stateRows.values.filter { $0.domain == FollowedTopics.domain },
            cursors: stateRows.values.filter { $0.domain == FollowedTopics.cursorDomain },
            book: AlertBook(
                configured: rules.map { (Configuration.Alert(), $0) },
                namespaces: NamespaceRules([])
            )
        )
        alerts = holdings
    }

    private static func newID(_ serial: inout Int) -> String {
        serial += 1
        return "id-\(serial)"
    }

    private mutating func keep(_ outcome: AlertBoards.Outcome) -> [String] {
        for row in outcome.alerts {
            alertRows[row.rule + row.subject] = row.state == nil ? nil : row
        }
        for row in outcome.state {
            stateRows[row.domain + row.key] = row.value == nil ? nil : row
        }
        return outcome.events.map { "\($0.topic) \($0.event.type)" }
    }
}

@Suite("Alerts of any topic", .timeLimit(.minutes(10)))
struct TopicAlertsTests {
    private func rule(
        _ when: String = "total >= 100",
        topics: String = "orders:*",
        hold: Duration = .zero
    ) throws -> AlertRule {
        try AlertRule(
            name: "large",
            topics: topics,
            when: AlertExpression(when),
            hold: hold,
            severity: .warning
        )
    }

    private let raised = ["orders:1:alerts orders.alert.raised"]
    private let cleared = ["orders:1:alerts orders.alert.cleared"]

    @Test func valueThatCrossesABoundRaisesOnceAndClearsOnce() throws {
        var run = TopicAlertRun([try rule()])
        var told: [[String]] = []
        for total in [50, 120, 130, 99, 20] {
            told.append(try run.publish(#"{"total":\#(total)}"#))
        }
        expectEqual(told, [[], raised, [], cleared, []])
    }

    @Test func forgottenTopicLeavesNoAlertAndNoRow() throws {
        var run = TopicAlertRun([try rule()])
        try run.publish(#"{"total":120}"#)
        try run.publish(#"{"total":20}"#, on: "orders:2")
        expectEqual(run.forget("orders:1", "orders:2", "orders:never", at: 9), cleared)
        expect(run.alertRows.isEmpty)
        expectEqual(run.stateRows.values.map(\.domain), [FollowedTopics.cursorDomain])
        try expect(!run.alerts.knows(Topic("orders:1")))
        try expectEqual(run.publish(#"{"other":1}"#), [], "nothing is left of the total")
        try expectEqual(run.publish(#"{"total":120}"#), raised)
    }

    @Test func fieldsOfACloudEventAreThoseOfItsData() throws {
        var run = TopicAlertRun([
            try rule(#"type == "review" and rating >= 5"#, topics: "activity:*")
        ])
        let event = Event(
            id: "1",
            type: "activity.created",
            source: "/activity",
            subject: "2",
            time: TopicAlertRun.start,
            data: Array(#"{"type":"review","rating":5}"#.utf8)
        )
        let payload = String(decoding: event.cloudEvent(), as: UTF8.self)
        try expectEqual(
            run.publish(payload, on: "activity:7"),
            ["activity:7:alerts activity.alert.raised"]
        )
    }

    @Test(arguments: ["[1]", "7", "\"total\"", "{\"total\":"])
    func payloadThatIsNoObjectTellsNothing(payload: String) throws {
        var run = TopicAlertRun([try rule()])
        try expectEqual(run.publish(payload), [])
        expect(run.stateRows.keys.allSatisfy { !$0.hasPrefix(FollowedTopics.domain + "orders") })
    }

    @Test func topicsStandApart() throws {
        var run = TopicAlertRun([try rule()])
        try expectEqual(run.publish(#"{"total":150}"#), raised)
        try expectEqual(
            run.publish(#"{"total":150}"#, on: "orders:2"),
            ["orders:2:alerts orders.alert.raised"]
        )
        try expectEqual(run.publish(#"{"total":1}"#), cleared)
    }

    @Test func topicThatNoRuleLooksAtLeavesNoRow() throws {
        var run = TopicAlertRun([try rule()])
        try run.publish(#"{"total":150}"#, on: "chat:1")
        expect(run.alertRows.isEmpty)
        expectEqual(run.stateRows.count, 1, "how far it has looked")
    }

    @Test func whatWasLookedAtIsNotLookedAtAgain() throws {
        var run = TopicAlertRun([try rule()])
        let publication = Publication(
            topic: try Topic("orders:1"),
            offset: 1,
            cursor: 1,
            time: TopicAlertRun.start,
            payload: Array(#"{"total":150}"#.utf8)
        )
        try run.publish(#"{"total":1}"#)
        expectEqual(run.take([publication], now: TopicAlertRun.start), [])
    }

    @Test func restartAtEveryPublicationTellsTheSame() throws {
        let totals = (0..<200).map { ($0 * 7) % 160 }
        func told(restarting: Bool) throws -> [[String]] {
            var run = TopicAlertRun([try rule(hold: .seconds(2))])
            return try totals.enumerated().map { second, total in
                if restarting { run.restart() }
                return try run.publish(#"{"total":\#(total)}"#, at: second)
            }
        }
        let whole = try told(restarting: false)
        expect(whole.joined().count > 10)
        try expectEqual(told(restarting: true), whole)
    }

    @Test func holdThatEndsWithoutAPublicationRaises() throws {
        var run = TopicAlertRun([try rule(hold: .seconds(10))])
        try expectEqual(run.publish(#"{"total":150}"#), [])
        expectEqual(run.alerts.deadlineBound, TopicAlertRun.start + .seconds(10))
        expectEqual(run.evaluate(all: false, at: 9), [])
        expectEqual(run.evaluate(all: false, at: 10), raised)
    }

    @Test func ruleThatIsGoneClearsWhatItRaisedAndLeavesNoRow() throws {
        var run = TopicAlertRun([try rule()])
        try run.publish(#"{"total":150}"#)
        run.rules = []
        expectEqual(run.evaluate(all: true, at: 1), cleared)
        expect(run.alertRows.isEmpty)
        expect(run.stateRows.keys.allSatisfy { !$0.hasPrefix(FollowedTopics.domain + "orders") })
    }

    @Test(arguments: [
        ("alerts:7", true), ("alerts", true), ("orders:1:alerts", true), ("orders:alerts", true),
        (":alerts", true), ("orders:alerts-of", false), ("orders:1:Alerts", false),
        ("orders:1", false), ("alerts-of:1", false),
    ])
    func topicsForAlertsAreKnownByTheirNames(topic: String, isForAlerts: Bool) throws {
        try expectEqual(Topic(topic).isForAlerts, isForAlerts)
    }
}
