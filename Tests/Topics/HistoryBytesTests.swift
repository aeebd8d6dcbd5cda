import Expectations
import SeededRandom

@testable import Topics

@Suite("Histories in bytes", .timeLimit(.minutes(10)))
struct HistoryBytesTests {
    private let topic = Topic(trusted: "news:a")

    /// Of `length` bytes as a history counts them.
    private func publication(
        _ topic: Topic,
        _ offset: UInt64,
        cursor: UInt64,
        length: Int,
        tags: [String: String] = [:]
    ) -> Publication {
        let empty = Publication(topic, offset, cursor: cursor, payload: "", tags: tags)
        let payload = String(repeating: "x", count: length - empty.wireLength)
        return Publication(topic, offset, cursor: cursor, payload: payload, tags: tags)
    }

    private func history(_ lengths: [Int], bytes: Int, count: Int = 100) -> TopicHistory {
        let limit = HistoryLimit(count: count, age: nil, bytes: bytes)
        var history = TopicHistory(epoch: "e", limit: limit)
        for (index, length) in lengths.enumerated() {
            let offset = UInt64(index + 1)
            history.append(publication(topic, offset, cursor: 10 * offset, length: length))
        }
        return history
    }

    @Test(arguments: [(599, 2), (600, 3), (601, 3), (199, 1), (1, 1)])
    func oldestLeaveBeyondTheLimitAndTheNewestStays(bytes: Int, kept: Int) {
        let history = history([200, 200, 200], bytes: bytes)
        expectEqual(history.count, kept)
        expectEqual(history.bytes, kept * 200)
        expectEqual(history.evictedOffset, UInt64(3 - kept))
        let recovery = history.recover(since: Position(offset: 0, epoch: "e"))
        expectEqual(recovery.isComplete, (kept == 3), "what left is a gap")
    }

    @Test func longPublicationTakesThePlaceOfMany() {
        let history = history([100, 100, 100, 100, 350], bytes: 450)
        expectEqual(history.newest(9).map(\.offset), [4, 5])
    }

    @Test func bytesFollowEveryWayOut() {
        var history = history([100, 110, 120, 130], bytes: .max)
        expectEqual(history.bytes, 460)
        history.remove(through: 1)
        expectEqual(history.bytes, 360)
        history.evictOne()
        expectEqual(history.bytes, 250)
        let settings = NamespaceSettings(history: HistoryLimit(count: 1, age: nil))
        let evicted = history.use(settings)
        expect(!evicted.overBytes, "the limit of count did")
        expectEqual(history.bytes, 130)
        history.trim(now: Timestamp(seconds: 1))
        expectEqual(history.bytes, 130)
        history.evictOne()
        history.evictOne()
        expectEqual(history.bytes, 0)
        expectEqual(history.count, 0)
        expectEqual(history.evictedOffset, 4)
    }

    @Test func smallerLimitHoldsAtOnce() {
        var history = history([100, 100, 100], bytes: .max)
        let settings = NamespaceSettings(history: HistoryLimit(count: 9, age: nil, bytes: 250))
        let evicted = history.use(settings)
        expect(evicted.overBytes)
        expectEqual(history.newest(9).map(\.offset), [2, 3])
    }

    @Test func erasedBytesAreNotCounted() {
        var history = TopicHistory(epoch: "e", limit: HistoryLimit(count: 9, age: nil))
        history.append(publication(topic, 1, cursor: 1, length: 200, tags: ["act": "7"]))
        history.append(self.publication(topic, 2, cursor: 2, length: 100))
        history.erase(Erasure(topic: topic, tag: "act", value: "7"))
        expectEqual(history.bytes, 100)
    }

    @Test func restoredHistoryHasItsBytesWithinTheLimit() throws {
        let publications = (1...3).map {
            publication(topic, $0, cursor: 10 * $0, length: 200)
        }
        let history = try TopicHistory(
            epoch: "e",
            limit: HistoryLimit(count: 9, age: nil, bytes: 400),
            topOffset: 3,
            evictedOffset: 0,
            evictedCursor: 0,
            publications: publications
        )
        expectEqual(history.bytes, 400)
        expectEqual(history.evictedOffset, 1)
        expectEqual(history.evictedCursor, 10)
    }

    // MARK: All histories together

    private func hub(_ limits: HubLimits, bytes: Int = .max) -> TestHub {
        let history = HistoryLimit(count: 1000, age: nil, bytes: bytes)
        return TestHub(
            settings: [
                "news": NamespaceSettings(history: history),
                "chat": NamespaceSettings(history: history, isClientPublished: true),
            ],
            limits: limits
        )
    }

    /// Publishes to topics in turn, each with offsets from 1.
    private struct Source {
        var offsets: [String: UInt64] = [:]
        var cursor: UInt64 = 0
    }

    private func publish(
        _ name: String,
        _ length: Int,
        _ source: inout Source,
        to hub: TestHub
    ) {
        source.offsets[name, default: 0] += 1
        source.cursor += 1
        let offset = source.offsets[name]!
        hub.publish(
            publication(Topic(trusted: name), offset, cursor: source.cursor, length: length)
        )
    }

    private func count(_ name: String, _ hub: TestHub) -> Int {
        hub.history(of: Topic(trusted: name))?.count ?? 0
    }

    @Test func largestTopicsLoseTheirOldestFirst() {
        let hub = hub(HubLimits(historyBytesMax: 100_000, publicationOverhead: 100))
        var source = Source()
        for _ in 0..<5 { publish("news:small", 400, &source, to: hub) }
        for _ in 0..<1000 { publish("news:large", 900, &source, to: hub) }
        expectEqual(count("news:small", hub), 5)
        expectEqual(count("news:large", hub), 97)
        expect(hub.historyBytes <= 100_000)
        expectEqual(hub.historyBytes, 5 * 500 + 97 * 1000)
        expectEqual(hub.evictedForMemoryCount, 903)
        let history = hub.history(of: Topic(trusted: "news:large"))
        expectEqual(history?.evictedOffset, 903)
    }

    @Test func clientsTakeNothingFromOthers() {
        let hub = hub(HubLimits(historyBytesMax: 100_000, clientHistoryBytesMax: 20_000))
        var source = Source()
        for _ in 0..<80 { publish("news:a", 1000, &source, to: hub) }
        for index in 0..<1000 { publish("chat:\(index % 300)", 1000, &source, to: hub) }
        expectEqual(count("news:a", hub), 80)
        expectEqual(hub.historyBytes, 100_000)
        // Others take what is theirs, as far as clients have not their part.
        for _ in 0..<20 { publish("news:a", 1000, &source, to: hub) }
        expectEqual(count("news:a", hub), 80)
        expectEqual(hub.historyBytes, 100_000)
    }

    @Test func bytesOfTheHubAreThoseOfItsHistories() {
        var random = SeededGenerator(seed: 7)
        let hub = hub(
            HubLimits(
                historyBytesMax: 60_000,
                clientHistoryBytesMax: 30_000,
                publicationOverhead: 32
            ),
            bytes: 9000
        )
        var source = Source()
        for step in 0..<4000 {
            let namespace = Bool.random(using: &random) ? "news" : "chat"
            let name = "\(namespace):\(Int.random(in: 0..<20, using: &random))"
            let topic = Topic(trusted: name)
            publish(name, Int.random(in: 100..<2000, using: &random), &source, to: hub)
            if step % 50 == 0 {
                hub.removeHistory(of: topic, through: source.offsets[name]! - 1)
            }
            if step % 70 == 0 {
                hub.forget(topic, throughCursor: source.cursor)
                source.offsets[name] = nil
            }
            var bytes = 0
            for topic in hub.topics {
                guard let history = hub.history(of: topic) else { continue }
                bytes += history.bytes + 32 * history.count
                expect(history.bytes <= 9000)
            }
            expectEqual(hub.historyBytes, bytes)
            expect(bytes <= 60_000)
        }
    }

    @Test func namespaceThatClientsMayPublishToFromNowOnCountsAmongThem() {
        let hub = hub(HubLimits(historyBytesMax: 100_000, clientHistoryBytesMax: 20_000))
        var source = Source()
        for _ in 0..<50 { publish("news:a", 1000, &source, to: hub) }
        let history = HistoryLimit(count: 1000, age: nil)
        hub.use([
            "news": NamespaceSettings(history: history, isClientPublished: true),
            "chat": NamespaceSettings(history: history, isClientPublished: true),
        ])
        expectEqual(count("news:a", hub), 20)
        expectEqual(hub.historyBytes, 20_000)
    }

    @Test func evictionsByATopicsOwnBytesAreToldOnce() {
        let hub = hub(HubLimits(), bytes: 3000)
        var source = Source()
        for _ in 0..<3 { publish("news:a", 1000, &source, to: hub) }
        var evictions = hub.takeEvictions()
        expect(evictions.isEmpty)
        for _ in 0..<4 { publish("news:a", 1000, &source, to: hub) }
        evictions = hub.takeEvictions()
        expectEqual(evictions, [topic: 4])
        expect(hub.takeEvictions().isEmpty)
        // Those that could not be deleted come again.
        hub.putBack(evictions)
        expectEqual(hub.takeEvictions(), [topic: 4])
    }
}

@Suite("HistorySizes", .timeLimit(.minutes(10)))
struct HistorySizesTests {
    @Test func largestIsOfTheLargestClass() {
        var sizes = HistorySizes()
        expectNil(sizes.largest)
        sizes.set(100, of: 0)
        sizes.set(5000, of: 7)
        sizes.set(300, of: 3)
        expectEqual(sizes.largest, 7)
        expectEqual(sizes.bytes, 5400)
        sizes.set(90, of: 7)
        expectEqual(sizes.largest, 3)
        sizes.set(0, of: 3)
        sizes.set(0, of: 7)
        sizes.set(0, of: 99)
        expectEqual(sizes.largest, 0)
        sizes.set(0, of: 0)
        expectNil(sizes.largest)
        expectEqual(sizes.bytes, 0)
    }

    @Test func agreesWithASearch() {
        var random = SeededGenerator(seed: 3)
        var sizes = HistorySizes()
        var model = [Int](repeating: 0, count: 50)
        for _ in 0..<20_000 {
            let topic = Int.random(in: 0..<50, using: &random)
            let bits = Int.random(in: 0..<20, using: &random)
            model[topic] = Int.random(in: 0...(1 << bits), using: &random)
            sizes.set(model[topic], of: Int32(topic))
            expectEqual(sizes.bytes, model.reduce(0, +))
            let largest = sizes.largest.map { model[Int($0)] } ?? 0
            expect(largest * 2 >= model.max()!)
        }
    }
}
