import Expectations
import HubTesting

@testable import Duties

@Suite("Alerts of any topic: records and silences", .timeLimit(.minutes(10)))
struct AlertRecordsTests {
    private func rule(owner: String? = nil) throws -> AlertRule {
        try AlertRule(
            name: "large",
            topics: "orders:*",
            when: AlertExpression("total >= 100"),
            severity: .warning,
            escalations: [
                AlertEscalation(severity: .critical, when: AlertExpression("total >= 500"))
            ],
            owner: owner
        )
    }

    private var endpoint: WebhookEndpoint {
        get throws {
            WebhookEndpoint(
                name: "pager",
                url: "http://127.0.0.1:1/",
                secrets: [WebhookSecret(key: [UInt8](repeating: 7, count: 24))],
                filter: try WebhookFilter(),
                timeout: .seconds(1)
            )
        }
    }

    /// The types of the events that wait for the endpoint.
    private func waiting(_ store: HubStore) async throws -> [String] {
        try await store.pendingDeliveries(perEndpoint: 99).map(\.eventType)
    }

    private func silence(_ rule: String?, seconds: Int = 3600) -> AlertSilence {
        let now = HubClock.wall
        return AlertSilence(
            id: "1",
            rule: rule,
            created: now,
            until: now + .seconds(seconds),
            by: "ops"
        )
    }

    @Test func eachEventIsInTheRecordOfItsAlert() async throws {
        try await withTemporaryStore { store in
            let hub = FollowedHub(store, rules: [try rule()])
            try await hub.following {
                try await hub.publish(150)
                await hub.untilTold(1)
                let raised = try await require(store.alerts(.active, limit: 9).first?.record)
                expect(raised.rule == "large" && raised.subject == "orders:1")
                expect(raised.topic == "orders:1:alerts" && raised.severity == "warning")
                expectEqual(raised.headline, "large: total 150")
                expectEqual(raised.values, Array(#"{"total":150}"#.utf8))
                try await hub.publish(500)
                await hub.untilTold(2)
                try await hub.publish(1)
                await hub.untilTold(3)
                let ended = try await require(store.alerts(.all, limit: 9).first?.record)
                expect(ended.id == raised.id && ended.severity == "critical")
                try expect(require(ended.ended) >= raised.raised && ended.reason == "over")
                expectEqual(ended.headline, "large: total 500", "that of the escalation")
            }
        }
    }

    @Test func alertsOfUsersHaveNoRecords() async throws {
        try await withTemporaryStore { store in
            let hub = FollowedHub(store, rules: [try rule(), try rule(owner: "kari")])
            try await hub.following {
                try await hub.publish(150)
                await hub.untilTold(2)
            }
            try await expectEqual(
                store.alerts(.all, limit: 9).map(\.record.topic),
                ["orders:1:alerts"]
            )
        }
    }

    @Test func silencedAlertIsPublishedWithoutWebhooks() async throws {
        try await withTemporaryStore { store in
            let hub = FollowedHub(store, endpoints: [try endpoint], rules: [try rule()])
            hub.book.silences.put(silence("large"))
            try await hub.following {
                try await hub.publish(150)
                await hub.untilTold(1)
                try await expectEqual(waiting(store), [])
                hub.book.silences.remove(["1"])
                try await hub.publish(1)
                await hub.untilTold(2)
                try await expectEqual(waiting(store), ["orders.alert.cleared"])
            }
            try await expectEqual(store.alerts(.all, limit: 9).map(\.record.isSilenced), [true])
        }
    }

    @Test func silencesOfOtherRulesChangeNothing() async throws {
        try await withTemporaryStore { store in
            let hub = FollowedHub(store, endpoints: [try endpoint], rules: [try rule()])
            hub.book.silences.put(silence("small"))
            try await hub.following {
                try await hub.publish(150)
                await hub.untilTold(1)
            }
            try await expectEqual(waiting(store), ["orders.alert.raised"])
            try await expectEqual(store.alerts(.all, limit: 9).map(\.record.isSilenced), [false])
        }
    }

    /// A record has no tags by which it could be erased, so it quotes nothing.
    @Test func recordOfAnErasableAlertQuotesNothing() throws {
        var boards = AlertBoards(FollowedTopics(quotedFeeds: OrdersAreFeeds()))
        let publication = Publication(
            topic: Topic(trusted: "orders:1"),
            offset: 1,
            cursor: 1,
            time: RuleStanding.now,
            payload: Array(#"{"total":150}"#.utf8)
        )
        let rule = try rule()
        let outcome = boards.take(
            [publication],
            rules: { _ in [rule] },
            now: RuleStanding.now,
            newID: { "n" }
        )
        let record = try require(outcome.events.first?.record)
        expect(record.headline == nil && record.values == nil)
        expect(record.id == "n" && record.subject == "orders:1")
    }

    @Test(arguments: RuleStanding.allCases)
    func idOfAnActiveAlertIsFoundInItsRow(standing: RuleStanding) {
        let row = AlertRow(rule: "large", subject: "topic:orders:1", alertState: standing.state)
        expectEqual(row.activeID, (standing == .raised ? "a1" : nil))
    }
}
