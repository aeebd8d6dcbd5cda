import Expectations
import HubTesting
import LoopTesting
import Service
import Wire

@testable import Duties

@Suite("Outbox router", .timeLimit(.minutes(10)))
struct OutboxRouterTests {
    private let event = Event(
        id: "event-1",
        type: "aurora.alert.raised",
        source: "/aurora",
        subject: "tromso",
        time: Timestamp(milliseconds: 0),
        data: Array(#"{"severity":"info"}"#.utf8)
    )

    private func endpoint(_ name: String, types: [String], topics: [String] = []) throws
        -> WebhookEndpoint
    {
        WebhookEndpoint(
            name: name,
            url: "http://127.0.0.1:1/",
            secrets: [WebhookSecret(key: [UInt8](repeating: 1, count: 24))],
            filter: try WebhookFilter(types: types, topics: topics, severities: []),
            timeout: .seconds(1)
        )
    }

    @Test func eventGetsOneRowForEachEndpointWhoseFilterItPasses() throws {
        let router = OutboxRouter(
            endpoints: [
                try endpoint("all", types: []), try endpoint("alerts", types: ["aurora.alert.*"]),
                try endpoint("news", types: ["news.*"]),
                try endpoint("elsewhere", types: [], topics: ["aurora:alta:alerts"]),
            ],
            wake: {}
        )
        let wall = Timestamp(milliseconds: 1_000)
        let rows = router.deliveries(
            of: event,
            topic: Topic(trusted: "aurora:tromso:alerts"),
            wall: wall
        )
        expectEqual(rows.map(\.endpoint), ["all", "alerts"])
        for row in rows {
            expectEqual(row.messageID, "event-1")
            expectEqual(row.eventType, "aurora.alert.raised")
            expectEqual(row.subject, "tromso")
            expectEqual(row.body, event.cloudEvent())
            expectEqual(row.createdAt, wall)
        }
    }

    @Test func withoutEndpointsThereAreNoRows() {
        let router = OutboxRouter(endpoints: [], wake: {})
        let topic = Topic(trusted: "aurora:tromso")
        expectEqual(router.deliveries(of: event, topic: topic, wall: event.time), [])
    }

    @Test func eventOfManyTopicsIsOneRowForEachEndpointThatGetsAnyOfThem() throws {
        let router = OutboxRouter(
            endpoints: [
                try endpoint("all", types: []), try endpoint("other", types: ["news.*"]),
                try endpoint("one", types: [], topics: ["news:b"]),
                try endpoint("known", types: []),
            ],
            wake: {}
        )
        let topics = ["news:a", "news:b"].map { Topic(trusted: $0) }
        let tags = ["story": "1"]
        let rows = router.deliveries(
            of: event,
            topics: topics,
            tags: tags,
            sparing: ["known"],
            wall: event.time
        )
        expectEqual(rows.map(\.endpoint), ["all", "one"])
        expectEqual(rows.map(\.topics), [topics, [topics[1]]])
        expect(rows.allSatisfy { $0.tags == tags })
        expect(router.deliveries(of: event, topics: [], wall: event.time).isEmpty)
    }
}
