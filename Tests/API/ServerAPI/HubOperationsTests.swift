import ClientWire
import Configuration
import ConfigurationTesting
import Dispatch
import Expectations
import HubTesting
import Logging
import LoopTesting
import Loops
import Store
import StoreTesting
import TokenTesting

@testable import API

/// What the server API has done, with two loops: a backend must not have to know where a client is.
@Suite("Server API: the hub's operations", .timeLimit(.minutes(10)))
struct HubOperationsTests {
    typealias Connections = ServerAPIRequest.Connections

    private static let namespaces = [
        Configuration.Namespace("news") { $0.presence = true },
        Configuration.Namespace("room") {
            $0.anonymousSubscribe = false
            $0.presence = true
            $0.joinLeave = true
        },
        Configuration.Namespace("bare") { $0.historySize = 0 },
    ]

    struct Context {
        let hub: LoopFixture
        let operations: HubOperations
        let tokens: TestTokens
        let shared: HubShared

        /// A client of this user, and what the hub calls it.
        func client(_ user: String) async throws -> (client: LoopTestClient, id: String) {
            let client = try hub.connect()
            return (client, try await client.connectSession(token: try tokens.connection(user)))
        }

        /// Connections of one user, at least one on each loop.
        func clients(_ user: String) async throws -> [(client: LoopTestClient, id: String)] {
            var clients: [(client: LoopTestClient, id: String)] = []
            // The kernel deals connections out by a hash; 64 on one side are as good as impossible.
            while clients.count < 64 {
                clients.append(try await client(user))
                var counts: [Int] = []
                for loop in hub.loops { counts.append(await loop.snapshot().open.clients) }
                if counts.allSatisfy({ $0 > 0 }) { return clients }
            }
            throw LoopTestClient.Failure.unexpected("one loop gets all connections")
        }

        func stream(_ user: String, _ topics: String) async throws -> LoopTestClient {
            let client = try hub.connect()
            let token = try tokens.connection(user)
            try await client.send(
                httpRequest("GET", "/events?topics=\(topics)", ["Authorization: Bearer \(token)"])
            )
            guard try await client.receiveHead().status == 200 else {
                throw LoopTestClient.Failure.unexpected("no stream")
            }
            _ = try await client.receive(through: "\n\n")
            return client
        }

        func subscriptionCount() async -> Int {
            var count = 0
            for loop in hub.loops { count += await loop.subscriptionCount }
            return count
        }
    }

    func withOperations(_ body: (Context) async throws -> Void) async throws {
        let tokens = try await TestTokens()
        let shared = HubShared()
        let namespaces = Self.namespaces
        try await withTemporaryStore { store in
            try await withLoops(
                loops: 2,
                namespaces: namespaces,
                reserved: NamespaceTable(histories: ["hidden": HistoryLimit(count: 0, age: nil)]),
                verifier: tokens.verifier,
                shared: shared
            ) { hub in
                let transport = hub.transport
                store.observe(\.committed) { transport.publish($0) }
                store.observe(\.removed) {
                    transport.removeHistory(of: $0.topic, through: $0.throughOffset)
                }
                store.observe(\.erased) { transport.erase($0) }
                let operations = HubOperations(
                    transport: transport,
                    store: store,
                    namespaces: Locked(NamespaceTable([:])),
                    shared: shared,
                    clock: HubClock(.wall),
                    node: "node",
                    version: "1",
                    started: HubClock.wall,
                    logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
                )
                try await body(
                    Context(hub: hub, operations: operations, tokens: tokens, shared: shared)
                )
            }
        }
    }

    func publish(_ context: Context, _ topic: String, _ data: String...) async throws {
        let results = await context.operations.publish(
            data.map { NewPublication(topic: Topic(trusted: topic), data: Array($0.utf8)) }
        )
        for result in results { _ = try result.get() }
    }

    @Test func refusedPublicationFailsAloneInItsBatch() async throws {
        try await withOperations { context in
            context.operations.store.setDurability { _ in false }
            context.operations.store.setMemoryLimits { _ in MemoryTopicLimits(topicsMax: 1) }
            let results = await context.operations.publish(
                ["news:a", "news:b", "news:a"].map {
                    NewPublication(topic: topic($0), data: Array("1".utf8))
                }
            )
            expectEqual(results.map { (try? $0.get())?.offset }, [1, nil, 2])
            expectEqual(results[1], .failure(ServerAPIError(.limitExceeded)))
        }
    }

    /// A loop can be busy with a fan-out to all of its clients.
    @Test func publicationWaitsForNoLoop() async throws {
        try await withOperations { context in
            let isPublished = DispatchSemaphore(value: 0)
            let isFirst = Locked([Bool]())
            context.hub.transport.postToEachLoop { _ in
                let result = isPublished.wait(timeout: .now() + .seconds(60))
                isFirst.withLock { $0.append(result == .success) }
            }
            try await publish(context, "news:a", "1")
            for _ in context.hub.loops { isPublished.signal() }
            await context.hub.transport.waitForLoops()
            expectEqual(isFirst.withLock { $0 }, [true, true])
        }
    }

    // MARK: Topics

    @Test func publicationsAreAnsweredInTheirOrder() async throws {
        try await withOperations { context in
            let names = ["news:a", "nowhere:a", "news:a", "bare:a", "radar-app:7"]
            let results = await context.operations.publish(
                names.map { NewPublication(topic: Topic(trusted: $0), data: Array("1".utf8)) }
            )
            expectEqual(results[0], .success(Position(offset: 1, epoch: "epoch-1")))
            expectEqual(results[1], .failure(.unknown(namespace: "nowhere")))
            expectEqual(results[2], .success(Position(offset: 2, epoch: "epoch-1")))
            expectEqual(results[3], .success(Position(offset: 0, epoch: "")))
            expectEqual(results[4], .failure(.unknown(namespace: "radar-app")))
        }
    }

    @Test func publicationWithTheSameKeyIsMadeOnce() async throws {
        try await withOperations { context in
            let (client, _) = try await context.client("7")
            _ = try await client.subscribe(2, "news:a")
            for data in ["1", "2"] {
                let results = await context.operations.publish([
                    NewPublication(
                        topic: topic("news:a"),
                        data: Array(data.utf8),
                        idempotencyKey: "once"
                    )
                ])
                expectEqual(results, [.success(Position(offset: 1, epoch: "epoch-1"))])
            }
            try await publish(context, "news:a", "3")
            for push in [#""data":1,"offset":1}"#, #""data":3,"offset":2}"#] {
                try await expect(client.receiveText().contains(push))
            }
        }
    }

    @Test func removedHistoryIsToldAsAGapToWhoComesBack() async throws {
        try await withOperations { context in
            try await publish(context, "news:a", "1", "2", "3")
            try await context.operations.removeHistory(of: topic("news:a"))
            let page = try await context.operations.history(
                ServerAPIRequest.History(topic: topic("news:a"), limit: .all)
            )
            expect(page.publications.isEmpty)
            expectEqual(page.position.offset, 3)
            for (client, _) in try await context.clients("7") {
                let reply = try await client.subscribe(
                    2,
                    "news:a",
                    #","recover":true,"epoch":"e1","offset":1"#
                )
                expect(reply.contains(#""was_recovering":true,"recovered":false"#))
            }
            try await publish(context, "news:a", "4")
            let next = try await context.operations.history(
                ServerAPIRequest.History(topic: topic("news:a"), limit: .all)
            )
            expectEqual(next.publications.map(\.offset), [4])
        }
    }

    @Test func whatHasATagIsErasedAndWhoComesBackIsToldOfNoGap() async throws {
        try await withOperations { context in
            let authors = ["7", "8", "7", "8"]
            _ = await context.operations.publish(
                authors.map {
                    NewPublication(
                        topic: topic("news:a"),
                        data: Array($0.utf8),
                        tags: ["author": $0]
                    )
                }
            )
            let erasure = Erasure(topic: topic("news:a"), tag: "author", value: "7")
            try await context.operations.erase(erasure)
            let page = try await context.operations.history(
                ServerAPIRequest.History(topic: topic("news:a"), limit: .all)
            )
            expectEqual(page.publications.map(\.offset), [2, 4])
            for (client, _) in try await context.clients("7") {
                let reply = try await client.subscribe(
                    2,
                    "news:a",
                    #","recover":true,"epoch":"e1","offset":0"#
                )
                expect(reply.contains(#""recovered":true"#))
                expect(reply.contains(#"[{"data":8,"offset":2"#), "\(reply)")
            }
            await #expect(throws: ServerAPIError.self) {
                let nowhere = Erasure(topic: topic("nowhere:a"), tag: "author", value: "7")
                try await context.operations.erase(nowhere)
            }
        }
    }

    @Test func channelsAndCountsAreThoseOfAllLoops() async throws {
        try await withOperations { context in
            let clients = try await context.clients("7")
            for (client, _) in clients { _ = try await client.subscribe(2, "news:a") }
            _ = try await clients[0].client.subscribe(3, "news:b")
            try await publish(context, "news:c", "1")
            let channels = try await context.operations.channels(matching: .everything)
            let counts = Dictionary(
                uniqueKeysWithValues: channels.map { ($0.topic.name, $0.subscriberCount) }
            )
            expectEqual(counts, ["news:a": clients.count, "news:b": 1])
            let some = try await context.operations.channels(matching: try TopicGlob("news:b*"))
            expectEqual(some.map(\.topic.name), ["news:b"])
            let nodes = try await context.operations.nodes()
            expectEqual(nodes.count, 1)
            expectEqual(nodes[0].connectionCount, clients.count)
            expectEqual(nodes[0].subscriptionCount, clients.count + 1)
            expectEqual(nodes[0].userCount, 1)
            expectEqual(nodes[0].topicCount, 2)
        }
    }

    @Test func whatANamespaceDoesNotOfferIsRefused() async throws {
        try await withOperations { context in
            let operations = context.operations
            await #expect(throws: ServerAPIError(.notAvailable)) {
                _ = try await operations.presence(in: topic("bare:a"))
            }
            await #expect(throws: ServerAPIError(.notAvailable)) {
                _ = try await operations.presenceStats(of: topic("bare:a"))
            }
            await #expect(throws: ServerAPIError(.notAvailable)) {
                _ = try await operations.history(ServerAPIRequest.History(topic: topic("bare:a")))
            }
            await #expect(throws: ServerAPIError.unknown(namespace: "nowhere")) {
                _ = try await operations.presence(in: topic("nowhere:a"))
            }
            await #expect(throws: ServerAPIError.unknown(namespace: "nowhere")) {
                try await operations.removeHistory(of: topic("nowhere:a"))
            }
            await #expect(throws: ServerAPIError.unknown(namespace: "nowhere")) {
                try await operations.subscribe(
                    ServerAPIRequest.Subscribe(
                        connections: Connections(user: "7"),
                        topic: topic("nowhere:a")
                    )
                )
            }
            await #expect(throws: ServerAPIError(.unknownChannel)) {
                try await operations.unsubscribe(
                    Connections(user: "7"),
                    from: topic("hidden:7")
                )
            }
            try await publish(context, "news:a", "1")
            await #expect(throws: ServerAPIError(.unrecoverablePosition)) {
                _ = try await operations.history(
                    ServerAPIRequest.History(
                        topic: topic("news:a"),
                        limit: .all,
                        since: Position(offset: 1, epoch: "other")
                    )
                )
            }
        }
    }
}
