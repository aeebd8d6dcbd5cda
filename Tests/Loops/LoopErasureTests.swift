import Configuration
import ConfigurationTesting
import Expectations
import HubTesting
import LoopTesting
import Store
import StoreTesting

@testable import Loops

@Suite("Loop: erased publications", .timeLimit(.minutes(10)))
struct LoopErasureTests {
    /// Publishes one piece for each character, which is the value of tag `by`; the data are the offsets.
    private func publish(_ hub: LoopFixture, _ name: String, _ actors: String, from first: Int = 1)
    {
        for (index, actor) in actors.enumerated() {
            hub.publish(
                [ClientPublication(topic: topic(name), data: Array("\(first + index)".utf8))],
                tags: ["by": "\(actor)"]
            )
        }
    }

    private func erase(_ hub: LoopFixture, _ name: String, _ actor: String) {
        hub.erase(Erasure(topic: topic(name), tag: "by", value: actor))
    }

    private func recover(
        _ hub: LoopFixture,
        _ name: String,
        since offset: Int
    ) async throws -> String {
        let client = try hub.connect()
        try await client.connectSession()
        return try await client.subscribe(
            2,
            name,
            #","recover":true,"epoch":"e1","offset":\#(offset)"#
        )
    }

    @Test(arguments: [(0, [2, 4]), (1, [2, 4]), (2, [4]), (4, []), (5, [])])
    func returningSubscriberPassesOverHoles(since: Int, missed: [Int]) async throws {
        try await withLoops { hub in
            publish(hub, "news:a", "abaca")
            erase(hub, "news:a", "a")
            let reply = try await recover(hub, "news:a", since: since)
            expect(reply.contains(#""was_recovering":true,"recovered":true"#), "\(reply)")
            // The newest stays the newest, and a client with nothing to work through is there.
            let start = missed.isEmpty ? 5 : since
            expect(reply.contains(#""epoch":"e1","offset":\#(start),"#), "\(reply)")
            expectEqual(offsets(in: reply), missed)
        }
    }

    /// Those who come back at once are given the same bytes, but not what was erased between them.
    @Test func eachRecoversWhatIsThereWhenItComes() async throws {
        try await withLoops { hub in
            publish(hub, "news:a", "abab")
            for _ in 1...2 {
                let reply = try await recover(hub, "news:a", since: 0)
                expectEqual(offsets(in: reply), [1, 2, 3, 4])
            }
            publish(hub, "news:a", "b", from: 5)
            let more = try await recover(hub, "news:a", since: 0)
            expectEqual(offsets(in: more), [1, 2, 3, 4, 5])
            publish(hub, "news:a", "a", from: 6)
            erase(hub, "news:a", "b")
            let rest = try await recover(hub, "news:a", since: 0)
            expectEqual(offsets(in: rest), [1, 3, 6])
        }
    }

    @Test func gapIsToldUpToWhatWasEvicted() async throws {
        try await withLoops { hub in
            publish(hub, "brief:a", "bcab")
            erase(hub, "brief:a", "a")
            let lost = try await recover(hub, "brief:a", since: 1)
            expect(
                lost.contains(#""epoch":"e1","offset":2,"was_recovering":true,"recovered":false"#)
            )
            expectEqual(offsets(in: lost), [4])
            let complete = try await recover(hub, "brief:a", since: 2)
            expect(complete.contains(#""recovered":true"#))
            expectEqual(offsets(in: complete), [4])
        }
    }

    @Test func subscriberGetsWhatCameBeforeTheErasureAndWhatComesAfter() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.connectSession()
            _ = try await client.subscribe(2, "news:a")
            publish(hub, "news:a", "a")
            erase(hub, "news:a", "a")
            publish(hub, "news:a", "a", from: 2)
            try await expect(client.receiveText().contains(#""data":1,"offset":1"#))
            try await expect(client.receiveText().contains(#""data":2,"offset":2"#))
            let page = try await client.command(
                #"{"id":3,"history":{"channel":"news:a","limit":-1}}"#
            )
            expectEqual(offsets(in: page), [2])
        }
    }

    @Test func pagesOfTheHistoryPassOverHoles() async throws {
        try await withLoops { hub in
            publish(hub, "news:a", "abacad")
            erase(hub, "news:a", "a")
            let client = try hub.connect()
            try await client.connectSession()
            _ = try await client.subscribe(2, "news:a")
            let pages: [(String, [Int])] = [
                (#""limit":-1"#, [2, 4, 6]), (#""limit":2,"reverse":true"#, [6, 4]),
                (#""limit":1,"since":{"offset":2,"epoch":"e1"}"#, [4]),
                (#""limit":1,"since":{"offset":6,"epoch":"e1"},"reverse":true"#, [4]),
                (#""limit":9,"since":{"offset":2,"epoch":"e1"},"reverse":true"#, []),
            ]
            for (fields, page) in pages {
                let reply = try await client.command(
                    #"{"id":9,"history":{"channel":"news:a",\#(fields)}}"#
                )
                expectEqual(offsets(in: reply), page, "\(fields)")
                expect(reply.hasSuffix(#""epoch":"e1","offset":6}}"#))
            }
        }
    }

    @Test func streamThatResumesPassesOverHoles() async throws {
        try await withLoops { hub in
            publish(hub, "news:a", "abaca")
            erase(hub, "news:a", "a")
            let client = try hub.connect()
            try await client.send(
                httpRequest("GET", "/events?topics=news:a", ["Last-Event-ID: 101"])
            )
            try await expectEqual(client.receiveHead().status, 200)
            _ = try await client.receive(through: "\n\n")
            publish(hub, "news:a", "d", from: 6)
            let events = try await client.receive(through: "data: 6\n\n")
            expectEqual(
                events,
                [2, 4, 6].map { "id: 10\($0)\nevent: news:a\ndata: \($0)\n\n" }.joined()
            )
        }
    }

    @Test func otherTopicsKeepWhatTheyHave() async throws {
        try await withLoops { hub in
            publish(hub, "news:a", "a")
            publish(hub, "news:b", "a")
            erase(hub, "news:a", "a")
            erase(hub, "news:never", "a")
            let reply = try await recover(hub, "news:b", since: 0)
            expectEqual(offsets(in: reply), [1])
        }
    }

    @Test func nobodyIsToldThatAHoleWasDelivered() async throws {
        try await withLoops { hub in
            publish(hub, "news:a", "aba")
            erase(hub, "news:a", "a")
            let client = try hub.connect()
            try await client.connectSession()
            _ = try await client.subscribe(
                2,
                "news:a",
                #","recover":true,"epoch":"e1","offset":0"#
            )
            for (offset, outcome) in [(2, "delivered"), (3, "unknown")] {
                let reply = try await client.command(
                    #"{"id":3,"rpc":{"method":"hub.explain","#
                        + #""data":{"topic":"news:a","offset":\#(offset)}}}"#
                )
                expectEqual(text("outcome", in: reply), outcome)
            }
        }
    }

    @Test func noDifferenceIsMadeFromWhatWasErased() async throws {
        let score = Configuration.Namespace("score") { $0.delta = true }
        try await withLoops(namespaces: [score]) { hub in
            let client = try hub.connect()
            try await client.connectSession()
            let reply = try await client.subscribe(2, "score:a", #","delta":"fossil""#)
            try require(reply.contains(#""delta":true"#))
            let same = String(repeating: "northern lights ", count: 20)
            var differences: [Bool] = []
            for number in 1...4 {
                hub.publish(
                    [
                        ClientPublication(
                            topic: topic("score:a"),
                            data: Array(#""\#(same)\#(number)""#.utf8),
                            info: nil,
                            allowsDelta: true
                        )
                    ],
                    tags: ["by": "a"]
                )
                if number == 2 { erase(hub, "score:a", "a") }
                let push = try await client.receiveText()
                differences.append(push.contains(#""delta":true"#))
            }
            expectEqual(differences, [false, true, false, true])
        }
    }

    @Test(.disabled(if: historiesAreStored, "about histories in memory"))
    func whatTheStoreErasesLeavesEveryLoopAtItsPlace() async throws {
        try await withTemporaryStore { store in
            try await withLoops(loops: 2) { hub in
                let transport = hub.transport
                store.observe(\.committed) { transport.publish($0) }
                store.observe(\.erased) { transport.erase($0) }
                func event(_ text: String) -> TopicEvent {
                    TopicEvent(
                        topic: topic("news:a"),
                        time: Timestamp(milliseconds: 0),
                        payload: Array(text.utf8),
                        tags: ["by": "a"]
                    )
                }
                let erasure = Erasure(topic: topic("news:a"), tag: "by", value: "a")
                _ = try await store.commit(Change(events: [event("1"), event("2")]))
                _ = try await store.commit(Change(events: [event("3")], erasures: [erasure]))
                _ = try await store.commit(Change(events: [event("4")]))
                for loop in hub.loops {
                    let page = await loop.perform {
                        $0.page(of: topic("news:a"), HistoryRange(limit: -1), countMax: 9)
                    }
                    let found = try page.get()
                    expectEqual(found.publications.map(\.offset), [4])
                    expectEqual(found.position.offset, 4)
                }
            }
        }
    }
}
