import ClientWire
import Configuration
import Expectations
import HubTesting
import LoopTesting
import Service

@testable import Loops

@Suite("Loop: another configuration", .timeLimit(.minutes(10)))
struct LoopReloadTests {
    private static func update(
        _ namespaces: [Configuration.Namespace] = LoopFixture.namespaces,
        _ change: (inout LoopSettings) -> Void = { _ in }
    ) -> LoopUpdate {
        var settings = LoopSettings()
        change(&settings)
        return LoopUpdate(
            settings: settings,
            rules: NamespaceRules(namespaces),
            verifier: TokenVerifier(keys: TokenKeySet(configured: []))
        )
    }

    private static var withoutBrief: [Configuration.Namespace] {
        LoopFixture.namespaces.filter { $0.name != "brief" }
    }

    private static func subscribe(
        _ hub: LoopFixture,
        to topics: String...
    ) async throws -> LoopTestClient {
        let client = try hub.connect()
        try await client.connectSession()
        for (index, topic) in topics.enumerated() {
            let reply = try await client.command(
                #"{"id":\#(index + 2),"subscribe":{"channel":"\#(topic)"}}"#
            )
            try require(reply.contains(#""subscribe":"#), "\(reply)")
        }
        return client
    }

    // MARK: Namespaces that go

    @Test func subscriberOfARemovedNamespaceIsToldAndKeepsItsOtherTopics() async throws {
        try await withLoops { hub in
            let client = try await Self.subscribe(hub, to: "news:a", "brief:b", "brief:a")
            let other = try await Self.subscribe(hub, to: "news:a")
            let update = Self.update(Self.withoutBrief)
            await expectEqual(hub.loops[0].perform { $0.use(update) }, 1)
            for topic in ["brief:a", "brief:b"] {
                let text = try await client.receiveText()
                expectEqual(
                    text,
                    #"{"push":{"channel":"\#(topic)","unsubscribe":{"code":2000,"#
                        + #""reason":"server unsubscribe"}}}"#
                )
            }
            let refused = try await client.command(#"{"id":9,"subscribe":{"channel":"brief:a"}}"#)
            expect(refused.hasPrefix(#"{"id":9,"error":{"code":102"#))
            hub.publish("news:a", "1")
            for client in [client, other] {
                let text = try await client.receiveText()
                expect(text.hasPrefix(#"{"push":{"channel":"news:a""#))
            }
            await expectEqual(hub.loops[0].subscriptionCount, 2)
        }
    }

    @Test func streamOfARemovedNamespaceEndsAndTheOthersGoOn() async throws {
        try await withLoops { hub in
            var streams: [LoopTestClient] = []
            for topics in ["news:a,brief:a", "news:a"] {
                let client = try hub.connect()
                try await client.send(httpRequest("GET", "/events?topics=\(topics)"))
                let head = try await client.receiveHead()
                expectEqual(head.status, 200)
                _ = try await client.receive(through: "\n\n")
                streams.append(client)
            }
            let update = Self.update(Self.withoutBrief)
            await expectEqual(hub.loops[0].perform { $0.use(update) }, 1)
            let rest = try await streams[0].receiveAll()
            expect(rest.hasPrefix("retry: "))
            hub.publish("news:a", "1")
            let event = try await streams[1].receive(through: "\n\n")
            expect(event.contains("data: 1"))
        }
    }

    /// A publication may be under way while its namespace goes: its offset counts.
    @Test func namespaceThatComesBackGoesOnWhereItWas() async throws {
        try await withLoops { hub in
            hub.publish("brief:a", "1")
            let without = Self.update(Self.withoutBrief)
            _ = await hub.loops[0].perform { $0.use(without) }
            hub.publish("brief:a", "2")
            hub.publish("brief:new", "1")
            let with = Self.update()
            _ = await hub.loops[0].perform { $0.use(with) }
            hub.publish("brief:a", "3")
            hub.publish("brief:new", "2")
            try await hub.settle()
            let client = try hub.connect()
            try await client.connectSession()
            for (id, topic, offset) in [(2, "brief:a", 3), (3, "brief:new", 2)] {
                let reply = try await client.command(
                    #"{"id":\#(id),"subscribe":{"channel":"\#(topic)"}}"#
                )
                expect(reply.contains(#""offset":\#(offset)"#), "\(reply)")
            }
        }
    }

    // MARK: What holds from here on

    @Test func newRulesAreForWhatIsAskedNext() async throws {
        try await withLoops { hub in
            let client = try await Self.subscribe(hub, to: "news:a")
            let refused = try await client.command(#"{"id":8,"subscribe":{"channel":"closed:a"}}"#)
            expect(refused.contains(#""code":103"#))
            var namespaces = LoopFixture.namespaces
            for index in namespaces.indices {
                // Turned round: what was open is closed.
                namespaces[index].anonymousSubscribe.toggle()
            }
            let update = Self.update(namespaces)
            await expectEqual(hub.loops[0].perform { $0.use(update) }, 0)
            let accepted = try await client.command(#"{"id":9,"subscribe":{"channel":"closed:a"}}"#)
            expect(accepted.contains(#""subscribe":"#))
            hub.publish("news:a", "1")
            let text = try await client.receiveText()
            expect(text.contains("news:a"), "who is there stays")
        }
    }

    @Test func tokenMayBeRequiredOfThoseWhoComeNext() async throws {
        try await withLoops { hub in
            let present = try await Self.subscribe(hub, to: "news:a")
            let update = Self.update { $0.requiresToken = true }
            _ = await hub.loops[0].perform { $0.use(update) }
            let next = try hub.connect()
            try await next.upgrade()
            let reply = try await next.command(#"{"id":1,"connect":{}}"#)
            expect(reply.hasPrefix(#"{"id":1,"error":{"code":101"#))
            hub.publish("news:a", "1")
            let text = try await present.receiveText()
            expect(text.contains("news:a"))
        }
    }

    @Test func fetchedKeysHoldOnWhereKeysAreFetched() async throws {
        let key = try TokenKey.secret(Array("a secret for these tests alone, long".utf8))
        try await withLoops { hub in
            var update = Self.update()
            update.keepsPublishedKeys = true
            let kept = await hub.loops[0].perform { [update] loop in
                loop.admission.use(published: [key])
                _ = loop.use(update)
                return loop.admission.verifier.keys.published.count
            }
            expectEqual(kept, 1)
            update.keepsPublishedKeys = false
            let replaced = await hub.loops[0].perform { [update] loop in
                _ = loop.use(update)
                return loop.admission.verifier.keys.published.count
            }
            expectEqual(replaced, 0)
        }
    }

    @Test func settingsChangeButNotWhatIsBuiltIntoTheLoop() async throws {
        try await withLoops({ $0.connections.queueBytesMax = 70_000 }) { hub in
            let update = Self.update {
                $0.connections.queueBytesMax = 90_000
                $0.deflate = nil
                $0.offersEcho = false
                $0.idleTimeout = .seconds(7)
                $0.controlFramesMax = 3
            }
            let settings = await hub.loops[0].perform { loop in
                _ = loop.use(update)
                return loop.settings
            }
            expectEqual(settings.connections.queueBytesMax, 70_000)
            expect(settings.deflate != nil)
            expect(settings.offersEcho)
            expectEqual(settings.idleTimeout, .seconds(7))
            expectEqual(settings.controlFramesMax, 3)
        }
    }

    @Test func shorterHistoryIsAGapForThoseWhoComeBack() async throws {
        try await withLoops { hub in
            hub.publish("news:a", "1", "2", "3")
            let table = NamespaceTable(
                Dictionary(
                    uniqueKeysWithValues: LoopFixture.namespaces.map {
                        ($0.name, NamespaceSettings(history: HistoryLimit(count: 1, age: nil)))
                    }
                )
            )
            await hub.transport.useNamespaces(table)
            let client = try hub.connect()
            try await client.connectSession()
            let reply = try await client.command(
                #"{"id":2,"subscribe":{"channel":"news:a","recover":true,"epoch":"e1","offset":1}}"#
            )
            expect(reply.contains(#""was_recovering":true,"recovered":false"#))
        }
    }
}
