import ClientWire
import Configuration
import ConfigurationTesting
import Expectations
import LoopTesting
import Service
import TokenTesting

@testable import Loops

@Suite("Loop: the topic hub:stats", .timeLimit(.minutes(10)), .serialized)
struct LoopStatsTests {
    private static let key = "key-that-reads-everything"
    private static let namespaces = [
        Configuration.Namespace("news") { _ in },
        Configuration.Namespace("drop") {
            $0.slowConsumer = .dropOldest
            $0.historySize = 10
        },
        Configuration.Namespace("hub") {
            $0.anonymousSubscribe = true
            $0.publish = .anyone
        },
    ]

    private func withHub(
        loops: Int = 1,
        verifier: TokenVerifier = TokenVerifier(keys: TokenKeySet(configured: [])),
        shared: HubShared = HubShared(),
        _ body: (LoopFixture) async throws -> Void
    ) async throws {
        let key = (hash: try APIKeyHash(key: Self.key), grant: APIKeyGrant(name: "all"))
        try await withLoops(
            loops: loops,
            {
                $0.connections.queueBytesMax = 400_000
                $0.deflate = nil
            },
            namespaces: Self.namespaces,
            topicsForKeys: NamespaceRules.topicsForKeys,
            verifier: verifier,
            apiKeys: APIKeys(scoped: [key]),
            shared: shared,
            body
        )
    }

    /// Opens a stream with the key, and returns what precedes its first event.
    private func stream(
        _ hub: LoopFixture,
        _ topics: String,
        _ fields: String...
    ) async throws -> (client: LoopTestClient, start: String) {
        let client = try hub.connect(receiveBufferSize: 4096)
        let fields = ["X-API-Key: \(Self.key)"] + fields
        try await client.send(httpRequest("GET", "/events?topics=\(topics)", fields))
        try await expectEqual(client.receiveHead().status, 200)
        return (client, try await client.receive(through: "\n\n"))
    }

    private func sendStats(_ hub: LoopFixture, _ sample: String) {
        hub.transport.sendStats(Array(sample.utf8))
    }

    // MARK: Reading

    @Test(arguments: [1, 2])
    func streamOfAKeyReceivesSamplesWithoutAnID(loops: Int) async throws {
        try await withHub(loops: loops) { hub in
            hub.publish("news:a", "1")
            let (client, _) = try await stream(hub, "hub:stats,news:a")
            sendStats(hub, #"{"n":1}"#)
            try await expectEqual(
                client.receive(through: "\n\n"),
                "event: hub:stats\ndata: {\"n\":1}\n\n"
            )
            hub.publish("news:a", "2")
            try await expectEqual(
                client.receive(through: "\n\n"),
                "id: 102\nevent: news:a\ndata: 2\n\n"
            )
            sendStats(hub, "2")
            try await expectEqual(client.receive(through: "\n\n"), "event: hub:stats\ndata: 2\n\n")
        }
    }

    @Test func samplesAreNoPublications() async throws {
        try await withHub { hub in
            let (client, _) = try await stream(hub, "hub:stats")
            sendStats(hub, "1")
            _ = try await client.receive(through: "\n\n")
            let counters = await hub.loops[0].perform { $0.snapshot() }
            expectEqual(counters.deliveries, 0)
            expect(counters.published.isEmpty)
            let kept = await hub.loops[0].perform { $0.hub.history(of: .stats)?.topOffset }
            expectEqual(kept, 0)
        }
    }

    @Test func beginOfAReaderIsReported() async throws {
        let count = Locked(0)
        let shared = HubShared(statsAreRead: { count.withLock { $0 += 1 } })
        try await withHub(shared: shared) { hub in
            let (other, _) = try await stream(hub, "news:a")
            expectEqual(count.withLock { $0 }, 0)
            await expectEqual(hub.loops[0].perform { $0.takeSample() }.statsReaders, 0)
            let (reader, _) = try await stream(hub, "news:a,hub:stats")
            expectEqual(count.withLock { $0 }, 1)
            await expectEqual(hub.loops[0].perform { $0.takeSample() }.statsReaders, 1)
            await reader.close()
            await other.close()
            try await hub.wait {
                await hub.loops[0].perform { $0.takeSample() }.statsReaders == 0
            }
        }
    }

    // MARK: Losses

    @Test(arguments: [101, 102])
    func returningReaderReceivesAGap(cursor: Int) async throws {
        try await withHub { hub in
            hub.publish("news:a", "1", "2")
            let (client, _) = try await stream(
                hub,
                "news:a,hub:stats",
                "Last-Event-ID: \(cursor)"
            )
            let gap =
                #"{"reason":"evicted","topics":["hub:stats"],"#
                + #""since":\#(cursor),"through":102}"#
            let event = try await client.receive(through: "\n\n")
            expectEqual(event, "id: \(cursor)\nevent: gap\ndata: \(gap)\n\n")
            guard cursor == 101 else { return }
            let missed = try await client.receive(through: "\n\n")
            expectEqual(missed, "id: 102\nevent: news:a\ndata: 2\n\n")
        }
    }

    @Test func readerWithAnUnknownCursorReceivesOneGap() async throws {
        try await withHub { hub in
            hub.publish("news:a", "1")
            let (client, _) = try await stream(hub, "hub:stats,news:a", "Last-Event-ID: 999")
            let event = try await client.receive(through: "\n\n")
            expect(event.contains(#""reason":"unknown_cursor","topics":["hub:stats","news:a"]"#))
            hub.publish("news:a", "2")
            let next = try await client.receive(through: "\n\n")
            expect(next.hasSuffix("event: news:a\ndata: 2\n\n"))
        }
    }

    @Test func readerThatReturnsOnlyForOtherTopicsReceivesNoGap() async throws {
        try await withHub { hub in
            hub.publish("news:a", "1", "2")
            let (client, _) = try await stream(hub, "news:a", "Last-Event-ID: 101")
            hub.publish("news:a", "3")
            let text = try await client.receive(through: "data: 3\n\n")
            expect(!text.contains("gap"))
        }
    }

    @Test func heldReaderReceivesAGapInPlaceOfSamples() async throws {
        let readers = LoopHeldReaderTests()
        try await withHub { hub in
            let (slow, _) = try await stream(hub, "drop:a,hub:stats")
            _ = try await readers.publishUntilHeld(hub, ["drop:a"])
            await expectEqual(hub.loops[0].perform { $0.takeSample() }.slow, 1)
            sendStats(hub, #""lost""#)
            var text = ""
            while !text.contains(#""topics":["hub:stats"]"#) {
                text = try await slow.receive(through: "\n\n")
                try require(!text.contains("lost"))
            }
            try await hub.settle()
            sendStats(hub, "2")
            // Behind the publications that the gap comes before.
            let rest = try await slow.receive(through: "event: hub:stats\ndata: 2\n\n")
            expect(!rest.contains("lost") && !rest.contains("event: gap"))
            await expectEqual(hub.loops[0].perform { $0.takeSample() }.slow, 0)
        }
    }

    // MARK: Everybody else

    @Test func topicDoesNotExistForClients() async throws {
        let tokens = try await TestTokens()
        try await withHub(verifier: tokens.verifier) { hub in
            let client = try hub.connect()
            try await client.connectSession()
            let subscribed = try await client.command(
                #"{"id":2,"subscribe":{"channel":"hub:stats"}}"#
            )
            expect(subscribed.contains(#""code":102"#), "\(subscribed)")
            let published = try await client.command(
                #"{"id":3,"publish":{"channel":"hub:stats","data":1}}"#
            )
            expect(published.contains(#""code":102"#), "\(published)")
            let others = try await client.command(
                #"{"id":4,"subscribe":{"channel":"hub:webhooks"}}"#
            )
            expect(!others.contains("error"), "\(others)")
            let reader = try hub.connect()
            try await reader.send(httpRequest("GET", "/events?topics=hub:stats"))
            try await expectEqual(reader.receiveResponse().status, 404)
        }
    }

    @Test func readerOfCloudEventsIsRefused() async throws {
        try await withHub { hub in
            let client = try hub.connect()
            let fields = ["Sec-WebSocket-Protocol: cloudevents.json", "X-API-Key: \(Self.key)"]
            try await client.send(webSocketRequest("/events?topics=news:a,hub:stats", fields))
            let response = try await client.receiveResponse()
            expectEqual(response.status, 404)
            await expectEqual(hub.loops[0].subscriptionCount, 0)
        }
    }
}
