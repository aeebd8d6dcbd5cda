import Expectations

@testable import Duties

@Suite("Outbox router: publications", .timeLimit(.minutes(10)))
struct OutboxRouterPublicationsTests {
    private let wall = Timestamp(milliseconds: 1_766_340_300_000)

    private func router(_ filters: (types: [String], topics: [String])...) throws -> OutboxRouter {
        let endpoints = try filters.enumerated().map { index, filter in
            WebhookEndpoint(
                name: "endpoint-\(index)",
                url: "http://127.0.0.1:1/",
                secrets: [WebhookSecret(key: [UInt8](repeating: 1, count: 24))],
                filter: try WebhookFilter(types: filter.types, topics: filter.topics),
                timeout: .seconds(1)
            )
        }
        return OutboxRouter(endpoints: endpoints, wake: {})
    }

    private func publication(
        _ text: String,
        info: ClientInfo? = nil,
        source: EventSource = .serverAPI,
        tags: [String: String] = [:]
    ) -> TopicEvent {
        TopicEvent(
            topic: Topic(trusted: "chat:room"),
            time: wall,
            payload: Array(text.utf8),
            tags: tags,
            info: info,
            source: source
        )
    }

    private func change(_ router: OutboxRouter, _ events: TopicEvent...) -> Change {
        router.change(publishing: events, wall: wall) {
            [UInt8](repeating: 7, count: uuidRandomLength)
        }
    }

    @Test func publicationIsAnEventOfTheHubForEachEndpointWhoseFilterItPasses() throws {
        let router = try router(
            ([], []),
            (["hub.*"], ["chat:*"]),
            (["aurora.*"], []),
            ([], ["news:*"])
        )
        let change = change(router, publication(#"{"n":1}"#))
        expectEqual(change.deliveries.map(\.endpoint), ["endpoint-0", "endpoint-1"])
        let row = try require(change.deliveries.first)
        expectEqual(row.eventType, "hub.publication")
        expectEqual(row.subject, "chat:room")
        expectEqual(row.eventIndex, 0)
        let body = String(decoding: row.body, as: UTF8.self)
        expect(body.contains(#""type":"hub.publication","subject":"chat:room""#), "\(body)")
        expect(body.contains(#""hubtopic":"chat:room","data":{"n":1}"#), "\(body)")
        expect(body.contains("\"id\":\"\(row.messageID)\""), "\(body)")
    }

    @Test func clientThatPublishedIsNamed() throws {
        let info = ClientInfo(user: "kari", client: "c-1")
        let event = publication("1", info: info, source: .client(.user("kari")))
        let row = try require(change(try router(([], [])), event).deliveries.first)
        let body = String(decoding: row.body, as: UTF8.self)
        expect(body.contains(#""hubuser":"kari","hubclient":"c-1""#), "\(body)")
    }

    @Test func cloudEventOfABackendKeepsItsAttributesAndThatOfAClientIsData() throws {
        let text =
            #"{"specversion":"1.0","id":"o-1","source":"/shop","type":"shop.paid","subject":"o1"}"#
        let router = try router((["shop.*"], []), (["hub.publication"], []))
        let backend = try require(change(router, publication(text)).deliveries.first)
        expectEqual(backend.endpoint, "endpoint-0")
        expectEqual(backend.eventType, "shop.paid")
        expectEqual(backend.subject, "o1")
        expectEqual(backend.body, Array(text.utf8))
        expect(backend.messageID != "o-1", "two publications may have one id")
        let client = change(router, publication(text, source: .client(.user("kari"))))
        expectEqual(client.deliveries.map(\.endpoint), ["endpoint-1"])
    }

    @Test(arguments: [
        #"{"id":"1","specversion":"1.0","source":"/","type":"a.b"}"#,
        #"{"specversion":"1.0","id":"1","source":"/"}"#,
        #"{"specversion":"1.0","id":"1","source":"/","type":""}"#,
        #"{"specversion":"1.0","id":"1","source":"/","type":"\#(String(repeating: "t", count: 513))"}"#,
        "[1]", "1",
    ])
    func payloadThatIsNoCompleteCloudEventIsData(text: String) throws {
        let row = try require(change(try router(([], [])), publication(text)).deliveries.first)
        expectEqual(row.eventType, "hub.publication")
    }

    @Test func messageHasTheTagsByWhichItsPublicationIsErased() throws {
        let event = publication("1", tags: ["order": "7"])
        let row = try require(change(try router(([], [])), event).deliveries.first)
        expectEqual(row.topics, [event.topic])
        expectEqual(row.tags, ["order": "7"])
    }

    /// It is no tag by which the message may be erased.
    @Test(arguments: ["1", #"{"specversion":"1.0","id":"1","source":"/s","type":"t"}"#])
    func messageHasTheTraceOfItsPublication(text: String) throws {
        let header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        let event = publication(text, tags: ["traceparent": header, "order": "7"])
        let row = try require(change(try router(([], [])), event).deliveries.first)
        expectEqual(webhookTrace(of: row.body)?.description, header)
        expectEqual(row.tags, ["order": "7"])
        let only = publication(text, tags: ["traceparent": header])
        expectEqual(change(try router(([], [])), only).deliveries.first?.topics, [])
    }

    @Test func withoutEndpointsThereAreOnlyEvents() throws {
        let router = OutboxRouter(endpoints: [], wake: {})
        expectEqual(change(router, publication("1")), Change(events: [publication("1")]))
    }
}
