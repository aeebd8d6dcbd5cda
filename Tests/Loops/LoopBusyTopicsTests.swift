import Expectations
import LoopTesting

@testable import Loops

@Suite("Loop: the busiest topics", .timeLimit(.minutes(10)))
struct LoopBusyTopicsTests {
    private func names(_ hub: LoopFixture, _ countMax: Int = 10) async -> [String] {
        let (_, topics) = await hub.transport.busyTopics(countMax: countMax) { _ in true }
        return topics.map(\.rates.topic.name)
    }

    @Test(arguments: [1, 2])
    func publicationsAreCountedOnceFromTheFirstRequestOn(loops: Int) async throws {
        try await withLoops(loops: loops) { hub in
            hub.publish("news:early", "1")
            await expect(names(hub).isEmpty)
            hub.publish("news:a", "1", "2", "3")
            hub.publish("news:b", "[1]")
            var (seconds, topics) = await hub.transport.busyTopics(countMax: 10) { _ in true }
            while seconds == 0 {
                (seconds, topics) = await hub.transport.busyTopics(countMax: 10) { _ in true }
            }
            expectEqual(topics.map(\.rates.topic.name), ["news:a", "news:b"])
            let counts = topics.map { ($0.rates.publications * seconds).rounded() }
            expectEqual(counts, [3, 1])
            expectEqual(topics.map { ($0.rates.bytes * seconds).rounded() }, [3, 3])
        }
    }

    @Test func subscribersOfAllLoopsAreCounted() async throws {
        try await withLoops(loops: 2) { hub in
            _ = await names(hub)
            var clients: [LoopTestClient] = []
            for _ in 0..<4 {
                let client = try hub.connect()
                try await client.connectSession()
                _ = try await client.subscribe(2, "news:a")
                clients.append(client)
            }
            hub.publish("news:a", "1")
            var found: [BusyTopic] = []
            while found.isEmpty {
                found = await hub.transport.busyTopics(countMax: 10) { _ in true }.topics
            }
            expectEqual(found.map(\.subscriberCount), [4])
        }
    }

    @Test func unwantedAndReservedTopicsAreLeftOutBeforeTheLimit() async throws {
        let reserved = NamespaceTable([
            "own": NamespaceSettings(history: HistoryLimit(count: 0, age: nil))
        ])
        try await withLoops(reserved: reserved) { hub in
            _ = await names(hub)
            hub.publish("own:a", "1", "2", "3", "4")
            hub.publish("news:a", "1", "2", "3")
            hub.publish("told:a", "1", "2")
            hub.publish("brief:a", "1")
            while await names(hub).isEmpty {}
            await expectEqual(names(hub), ["news:a", "told:a", "brief:a"])
            let (_, topics) = await hub.transport.busyTopics(countMax: 1) {
                $0.namespace != "news"
            }
            expectEqual(topics.map(\.rates.topic.name), ["told:a"])
        }
    }

    @Test func nothingIsCountedAMinuteAfterTheLastRequest() throws {
        let hub = try SteppedLoop()
        hub.ask { _ = $0.fanOut.watchBusyTopics(now: $0.milliseconds) }
        hub.letTimePass(.milliseconds(59_999))
        hub.publish("news:a", "1")
        expect(hub.ask { $0.fanOut.isWatchingBusyTopics })
        hub.letTimePass(.milliseconds(1))
        hub.publish("news:a", "2")
        expect(!hub.ask { $0.fanOut.isWatchingBusyTopics })
        hub.publish("news:a", "3")
        expect(!hub.ask { $0.fanOut.isWatchingBusyTopics })
    }
}
