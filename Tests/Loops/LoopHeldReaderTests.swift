import ClientWire
import Configuration
import ConfigurationTesting
import Expectations
import HubTesting
import LoopTesting
import TokenTesting

@testable import Loops

/// Readers that stop reading, in namespaces that do not close them for it: what waits, waits in the history.
///
/// The kernel takes some megabytes for a reader before it is slow for the hub, so the tests publish until
/// the hub says that it holds one.
@Suite("Loop: subscribers that read slowly", .timeLimit(.minutes(10)), .serialized)
struct LoopHeldReaderTests {
    private static let queueBytesMax = 400_000
    static let payload = #""\#(String(repeating: "x", count: 3998))""#
    /// 40 MB: more than a kernel keeps for one connection.
    private static let commitsMax = 10_000

    private static let namespaces = [
        Configuration.Namespace("drop") {
            $0.slowConsumer = .dropOldest
            $0.historySize = 2000
        },
        Configuration.Namespace("short") {
            $0.slowConsumer = .dropOldest
            $0.historySize = 10
        },
        Configuration.Namespace("latest") {
            $0.slowConsumer = .latestPerKey
            $0.historySize = 2000
        },
        Configuration.Namespace("score") {
            $0.slowConsumer = .dropOldest
            $0.historySize = 2000
            $0.delta = true
        },
    ]

    func withHub(
        verifier: TokenVerifier = TokenVerifier(keys: TokenKeySet(configured: [])),
        _ body: (LoopFixture) async throws -> Void
    ) async throws {
        try await withLoops(
            {
                $0.connections.queueBytesMax = Self.queueBytesMax
                $0.deflate = nil
            },
            namespaces: Self.namespaces,
            verifier: verifier,
            body
        )
    }

    func publish(
        _ hub: LoopFixture,
        _ name: String,
        _ payload: String = payload,
        tags: [String: String] = [:],
        allowsDelta: Bool = false
    ) {
        hub.publish(
            [
                ClientPublication(
                    topic: topic(name),
                    data: Array(payload.utf8),
                    info: nil,
                    allowsDelta: allowsDelta
                )
            ],
            tags: tags
        )
    }

    private func subscriber(
        _ hub: LoopFixture,
        _ topics: [String],
        isSlow: Bool = true,
        _ more: String = ""
    ) async throws -> LoopTestClient {
        let client = try hub.connect(receiveBufferSize: isSlow ? 4096 : nil)
        try await client.connectSession()
        for (index, topic) in topics.enumerated() {
            _ = try await client.subscribe(index + 2, topic, more)
        }
        return client
    }

    func counters(_ hub: LoopFixture) async -> LoopCounters {
        await hub.loops[0].perform { $0.snapshot() }
    }

    /// Publishes to the topics in turn until so many subscriptions are held. Returns how many publications
    /// each topic got.
    func publishUntilHeld(
        _ hub: LoopFixture,
        _ topics: [String],
        held: UInt64? = nil,
        tags: [String: String] = [:],
        _ onPublication: () async throws -> Void = {}
    ) async throws -> Int {
        var count = 0
        while await counters(hub).held < held ?? UInt64(topics.count) {
            try require(count < Self.commitsMax, "nobody is slow")
            for topic in topics {
                publish(hub, topic, tags: tags)
                try await onPublication()
            }
            count += 1
        }
        return count
    }

    // MARK: drop_oldest

    @Test func readerThatWasSlowForAMomentLosesNothingAndOthersNeither() async throws {
        try await withHub { hub in
            let slow = try await subscriber(hub, ["drop:a"])
            let fast = try await subscriber(hub, ["drop:a"], isSlow: false)
            var seen = 0
            var count = try await publishUntilHeld(hub, ["drop:a"]) {
                seen += 1
                try require(offsets(in: try await fast.receiveText()) == [seen])
            }
            for _ in 0..<10 {
                publish(hub, "drop:a")
                count += 1
                expectEqual(offsets(in: try await fast.receiveText()), [count])
            }
            for offset in 1...count {
                try require(offsets(in: try await slow.receiveText()) == [offset])
            }
            // It is served like all others again.
            try await hub.settle()
            publish(hub, "drop:a")
            for client in [slow, fast] {
                expectEqual(offsets(in: try await client.receiveText()), [count + 1])
            }
            let counters = await counters(hub)
            expectEqual(counters.held, 1)
            expectEqual(counters.dropped, 0)
            expectEqual(counters.connections.queueOverflows, 0)
        }
    }

    @Test func listOfConnectionsHasTheSlowOneFirst() async throws {
        try await withHub { hub in
            let fast = try await subscriber(hub, ["drop:b"], isSlow: false)
            let slow = try await subscriber(hub, ["drop:a"])
            let before = await hub.transport.connections(.init())
            expectEqual(before.connections.map(\.isSlow), [false, false])
            _ = try await publishUntilHeld(hub, ["drop:a"])
            let list = await hub.transport.connections(.init(limit: 1))
            expectEqual(list.total, 2)
            expectEqual(list.connections.map(\.isSlow), [true])
            expect(list.connections.first?.queuedBytes ?? 0 > Self.queueBytesMax / 4)
            for client in [fast, slow] { await client.close() }
        }
    }

    /// All that it missed of the first topic is sent at once; the others must not be forgotten then.
    @Test func readerOfManyTopicsCatchesUpWithAllOfThem() async throws {
        try await withHub { hub in
            let topics = ["drop:a", "drop:b", "drop:c", "drop:d"]
            let slow = try await subscriber(hub, topics)
            var count = try await publishUntilHeld(hub, topics)
            // Of each nearly as much as there is room for at once.
            for _ in 0..<20 {
                for topic in topics { publish(hub, topic) }
                count += 1
            }
            try await expectAll(topics, 1...count, slow)
            for topic in topics { publish(hub, topic) }
            try await expectAll(topics, count + 1...count + 1, slow)
            await expectEqual(counters(hub).dropped, 0)
        }
    }

    /// Each of the topics comes whole and in order, however they are mixed.
    private func expectAll(
        _ topics: [String],
        _ range: ClosedRange<Int>,
        _ client: LoopTestClient
    ) async throws {
        var next = Dictionary(uniqueKeysWithValues: topics.map { ($0, range.lowerBound) })
        for _ in 0..<topics.count * range.count {
            let push = try await client.receiveText()
            let topic = try require(text("channel", in: push))
            try require(offsets(in: push) == [next[topic] ?? 0], "\(topic)")
            next[topic, default: 0] += 1
        }
    }

    @Test func readerThatMissedMoreThanThereIsRoomForIsToldSo() async throws {
        try await withHub { hub in
            let slow = try await subscriber(hub, ["short:a"])
            let fast = try await subscriber(hub, ["short:a"], isSlow: false)
            var seen = 0
            let held = try await publishUntilHeld(hub, ["short:a"]) {
                seen += 1
                try require(offsets(in: try await fast.receiveText()) == [seen])
            }
            for _ in 0..<100 { publish(hub, "short:a") }
            for offset in held + 1...held + 100 {
                try require(offsets(in: try await fast.receiveText()) == [offset])
            }
            var last = 0
            var push = try await slow.receiveText()
            while let offset = offsets(in: push).first {
                try require(offset == last + 1)
                last = offset
                push = try await slow.receiveText()
            }
            expect(push.hasPrefix(#"{"push":{"channel":"short:a","unsubscribe":{"code":2500,"#))
            // It comes back for what it lacks, and is told that not all of it is there.
            let reply = try await slow.subscribe(
                9,
                "short:a",
                #","recover":true,"epoch":"e1","offset":\#(last)"#
            )
            expect(reply.contains(#":\#(held + 90),"was_recovering":true,"recovered":false"#))
            expectEqual(offsets(in: reply), Array(held + 91...held + 100))
            publish(hub, "short:a")
            expectEqual(offsets(in: try await slow.receiveText()), [held + 101])
            // What it lost while it was slow was not there any more when it came back.
            for (offset, outcome) in [(last, "delivered"), (last + 1, "trimmed")] {
                let answer = try await slow.command(
                    #"{"id":10,"rpc":{"method":"hub.explain","#
                        + #""data":{"topic":"short:a","offset":\#(offset)}}}"#
                )
                expectEqual(text("outcome", in: answer), outcome, "offset \(offset)")
            }
            let lost = await counters(hub)
            expect(lost.dropped + lost.expired > 0)
            let list = await hub.transport.connections(.init())
            expect(list.connections.contains { $0.droppedCount == lost.dropped + lost.expired })
        }
    }

    /// A client cannot ask anew for a subscription that its token made: only by connecting it comes back.
    @Test func readerThatItsTokenSubscribedConnectsAgainForWhatItLacks() async throws {
        let tokens = try await TestTokens()
        let token = try tokens.connection("42", topics: ["short:a"])
        try await withHub(verifier: tokens.verifier) { hub in
            let slow = try hub.connect(receiveBufferSize: 4096)
            _ = try await slow.connectSession(token: token)
            _ = try await publishUntilHeld(hub, ["short:a"])
            for _ in 0..<100 { publish(hub, "short:a") }
            try await expect(slow.receiveClose() == (3010, "insufficient state"))
            try await hub.settle()
            await expectEqual(counters(hub).subscriptions, 0)
            let client = try hub.connect()
            try await client.upgrade()
            let reply = try await client.command(
                #"{"id":1,"connect":{"token":"\#(token)","#
                    + #""subs":{"short:a":{"recover":true,"epoch":"e1","offset":1}}}}"#
            )
            expect(reply.contains(#""was_recovering":true,"recovered":false"#))
            publish(hub, "short:a")
            try await expect(client.receiveText().contains(#""pub""#))
        }
    }

    /// A burst in one turn is as good as many turns: the reader is held, not closed.
    @Test func burstThatIsLongerThanTheQueueClosesNobody() async throws {
        try await withHub { hub in
            let slow = try await subscriber(hub, ["drop:a"])
            // 4 MB in one commit, three times.
            for _ in 0..<3 {
                hub.publish("drop:a", Array(repeating: Self.payload, count: 1000))
            }
            let counters = await counters(hub)
            expectEqual(counters.connections.queueOverflows, 0)
            expectEqual(counters.held, 1)
            expectEqual(counters.subscriptions, 1)
            expectEqual(offsets(in: try await slow.receiveText()), [1])
        }
    }

    /// Of many short publications most is what stands around them.
    @Test(.disabled(if: historiesAreStored, "about histories in memory"))
    func shortPublicationsAreCaughtUpWithAsFarAsTheQueueGoes() async throws {
        try await withHub { hub in
            let reader = try await subscriber(hub, ["drop:a"], isSlow: false)
            let loop = hub.loops[0]
            let id = await loop.perform { loop in
                let id = loop.connections.openConnections()[0]
                guard case .client(let session) = loop.session(of: id) else { return id }
                loop.hub.move(Int32(id.index), of: topic("drop:a"), to: .held)
                session.subscriptions[topic("drop:a")]?.held = HeldSubscription(
                    form: .centrifugeJSON,
                    offset: 0
                )
                return id
            }
            hub.publish("drop:a", (1...2000).map { "\($0)" })
            let length = await loop.perform { loop in
                loop.resumeHeld(on: id)
                return loop.turn.output.count
            }
            expect((Self.queueBytesMax / 4..<Self.queueBytesMax / 4 + 100).contains(length))
            for offset in 1...2000 {
                try require(offsets(in: try await reader.receiveText()) == [offset])
            }
            publish(hub, "drop:a")
            expectEqual(offsets(in: try await reader.receiveText()), [2001])
        }
    }

    @Test func readerThatLeavesWhileItIsHeldIsForgotten() async throws {
        try await withHub { hub in
            let slow = try await subscriber(hub, ["drop:a"])
            _ = try await publishUntilHeld(hub, ["drop:a"])
            await slow.reset()
            try await hub.wait { await self.counters(hub).open.clients == 0 }
            publish(hub, "drop:a")
            let counters = await counters(hub)
            expectEqual(counters.subscriptions, 0)
            expectEqual(counters.open.clients, 0)
        }
    }

    // MARK: Deltas and filters

    @Test func differencesGoOnFromAWholeOneAfterThePause() async throws {
        try await withHub { hub in
            let slow = try await subscriber(hub, ["score:a"], #","delta":"fossil""#)
            publish(hub, "score:a", allowsDelta: true)
            publish(hub, "score:a", allowsDelta: true)
            expect(!(try await slow.receiveText()).contains(#""delta":true"#))
            try await expect(slow.receiveText().contains(#""delta":true"#))
            // Without differences, so that there is something to be slow with.
            let count = try await publishUntilHeld(hub, ["score:a"]) + 2
            publish(hub, "score:a", allowsDelta: true)
            for offset in 3...count + 1 {
                let push = try await slow.receiveText()
                try require(offsets(in: push) == [offset])
                try require(!push.contains(#""delta":true"#), "offset \(offset)")
            }
            // Of what came while it was held, all came whole; the next one is its base.
            try await hub.settle()
            publish(hub, "score:a", allowsDelta: true)
            expect(!(try await slow.receiveText()).contains(#""delta":true"#))
            publish(hub, "score:a", allowsDelta: true)
            try await expect(slow.receiveText().contains(#""delta":true"#))
        }
    }

    @Test func heldReaderOfSomeKeysGetsTheLatestOfEach() async throws {
        try await withHub { hub in
            let slow = try await subscriber(hub, ["latest:a"])
            let held = try await publishUntilHeld(hub, ["latest:a"], tags: ["key": "first"])
            for round in 0..<30 {
                for key in 0..<3 {
                    publish(hub, "latest:a", "[\(round),\(key)]", tags: ["key": "\(key)"])
                }
            }
            var push = ""
            var last = 0
            repeat {
                push = try await slow.receiveText()
                last = try require(offsets(in: push).first)
            } while last <= held
            // Two of the last round, and before them what of the first key was waiting.
            expectEqual(last, held + 88)
            expect(push.contains(#""data":[29,0]"#))
            try await expect(slow.receiveText().contains(#""data":[29,1]"#))
            try await expect(slow.receiveText().contains(#""data":[29,2]"#))
            let counters = await counters(hub)
            expect(counters.conflated >= 87)
            expectEqual(counters.dropped, 0)
            let answer = try await slow.command(
                #"{"id":10,"rpc":{"method":"hub.explain","#
                    + #""data":{"topic":"latest:a","offset":\#(held + 1)}}}"#
            )
            expectEqual(text("outcome", in: answer), "conflated")
        }
    }

    /// What its filter keeps back must not take the place of what it does not.
    @Test func heldReaderWithAFilterGetsTheLatestThatPassesIt() async throws {
        try await withHub { hub in
            let filter = #","tf":{"key":"colour","cmp":"neq","val":"blue"}"#
            let slow = try await subscriber(hub, ["latest:a"], filter)
            let held = try await publishUntilHeld(hub, ["latest:a"], tags: ["key": "first"])
            publish(hub, "latest:a", "1", tags: ["key": "k", "colour": "red"])
            publish(hub, "latest:a", "2", tags: ["key": "k", "colour": "blue"])
            var push = ""
            repeat { push = try await slow.receiveText() } while offsets(in: push)[0] <= held
            expectEqual(offsets(in: push), [held + 1])
            expect(push.contains(#""data":1"#))
        }
    }
}
