import Configuration
import Expectations
import Service

@testable import Duties

/// Rows as released versions of the hub have written them: their bytes are part of the file format.
@Suite("Alert rows of earlier versions", .timeLimit(.minutes(10)))
struct StoredAlertRowsTests {
    private let now = Timestamp(iso8601: "2026-01-02T10:00:00Z")!

    private func row(_ domain: String, _ key: String, _ value: String) -> StateRow {
        StateRow(domain: domain, key: key, value: Array(value.utf8))
    }

    private func alert(_ rule: String, _ state: String) -> AlertRow {
        AlertRow(rule: rule, subject: "topic:orders:1", state: Array(state.utf8))
    }

    private func rule(hold: Duration = .zero, owner: String? = nil) throws -> AlertRule {
        try AlertRule(
            name: "large",
            topics: "orders:*",
            when: AlertExpression("total >= 100"),
            hold: hold,
            severity: .warning,
            owner: owner
        )
    }

    private func publication(_ cursor: UInt64, _ total: Int) -> Publication {
        Publication(
            topic: Topic(trusted: "orders:1"),
            offset: cursor,
            cursor: cursor,
            time: now,
            payload: Array(#"{"total":\#(total)}"#.utf8)
        )
    }

    private func restored(_ book: AlertBook) -> (AlertHoldings, AlertHoldings.Restored) {
        var holdings = AlertHoldings()
        let restored = holdings.restore(
            alerts: [
                alert(
                    "large",
                    #"{"raised":{"alert":{"id":"a1","severity":"warning","since":1767347900000}}}"#
                ),
                alert("large@kari", #"{"pending":{"since":1767347990000}}"#),
                // Of a place and of a radar.
                AlertRow(rule: "large", subject: "tromso", state: Array(#"{"idle":{}}"#.utf8)),
                AlertRow(rule: "large", subject: "radar:r1", state: Array(#"{"idle":{}}"#.utf8)),
            ],
            fields: [
                row("topic_alerts", "orders:1", #"{"total":150}"#),
                row("user_topic_alerts", "orders:1 kari", #"{"total":150}"#),
            ],
            cursors: [
                row("topic_alerts_cursor", "cursor", "41"),
                row("topic_alerts_cursor", "cursor kari", "40"),
                row("topic_alerts_cursor", "users", "40"),
            ],
            book: book
        )
        return (holdings, restored)
    }

    private func book() throws -> AlertBook {
        AlertBook(
            configured: try [rule(), rule(hold: .seconds(10), owner: "kari")].map {
                (Configuration.Alert(), $0)
            },
            namespaces: NamespaceRules([Configuration.Namespace("orders")])
        )
    }

    @Test func rowsAreTakenBackWithNothingLeftOver() throws {
        let (holdings, rest) = restored(try book())
        expectEqual(rest, AlertHoldings.Restored())
        expectEqual(holdings.owners, [.operator, .user("kari")])
        expectEqual(holdings[.operator].ids, ["orders:1"])
        expectEqual(holdings[.user("kari")].ids, ["orders:1"])
        expectEqual(holdings.cursor(of: .operator), 41)
        expectEqual(holdings.cursor(of: .user("kari")), 40)
        expectEqual(holdings.usersCursor, 40)
    }

    @Test func publicationThatAnOwnersRulesHaveEvaluatedIsNotEvaluatedAgain() throws {
        var (holdings, _) = restored(try book())
        let operators = try [rule()]
        let again = holdings.take(
            [publication(41, 1)],
            through: 41,
            of: .operator,
            rules: { _ in operators },
            now: now,
            newID: { "n" }
        )
        expect(again.events == [] && again.alerts == [])
        let karis = try [rule(hold: .seconds(10), owner: "kari")]
        let first = holdings.take(
            [publication(41, 160)],
            through: 41,
            of: .user("kari"),
            rules: { _ in karis },
            now: now,
            newID: { "n" }
        )
        expectEqual(first.events.map(\.topic.name), ["alerts:kari"])
        expectEqual(first.events.map(\.event.type), ["orders.alert.raised"])
        expectEqual(
            first.alerts,
            [
                alert(
                    "large@kari",
                    #"{"raised":{"alert":{"id":"n","severity":"warning","since":1767348000000}}}"#
                )
            ]
        )
        expectEqual(
            first.state,
            [
                row("user_topic_alerts", "orders:1 kari", #"{"total":160}"#),
                row("topic_alerts_cursor", "cursor kari", "41"),
            ]
        )
    }

    @Test func rowsThatAreWrittenAreThoseOfEarlierVersions() throws {
        var (holdings, _) = restored(try book())
        let rules = try [rule()]
        let cleared = holdings.take(
            [publication(42, 1)],
            through: 43,
            of: .operator,
            rules: { _ in rules },
            now: now,
            newID: { "n" }
        )
        expectEqual(cleared.events.map(\.event.type), ["orders.alert.cleared"])
        expectEqual(cleared.alerts, [alert("large", #"{"idle":{}}"#)])
        expectEqual(
            cleared.state,
            [
                row("topic_alerts", "orders:1", #"{"total":1}"#),
                row("topic_alerts_cursor", "cursor", "43"),
            ]
        )
        expectEqual(holdings.lookAsUsers(from: 43), row("topic_alerts_cursor", "users", "43"))
        let ended = holdings.change(.operator) { boards in
            boards.forget(["orders:1"], now: now, newID: { "n" })
        }
        expectEqual(ended.alerts, [AlertRow(rule: "large", subject: "topic:orders:1", state: nil)])
        expectEqual(ended.state, [StateRow(domain: "topic_alerts", key: "orders:1", value: nil)])
    }

    @Test func rowsThatCannotBeReadAreNamed() throws {
        var holdings = AlertHoldings()
        let restored = holdings.restore(
            alerts: [alert("large", "?"), alert("large@kari", "{}")],
            fields: [
                row("topic_alerts", "orders:1", "?"), row("user_topic_alerts", "orders:1", "{}"),
            ],
            cursors: [row("topic_alerts_cursor", "cursor", "many")],
            book: try book()
        )
        expectEqual(
            restored.unusable,
            [
                "large/topic:orders:1", "large@kari/topic:orders:1", "topic_alerts/orders:1",
                "user_topic_alerts/orders:1", "topic_alerts_cursor/cursor",
            ]
        )
        expectEqual(restored.stale, [])
    }
}
