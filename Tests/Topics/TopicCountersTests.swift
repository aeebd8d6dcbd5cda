import Expectations
import SeededRandom

@testable import Topics

@Suite("Counters of the topics with the most publications", .timeLimit(.minutes(10)))
struct TopicCountersTests {
    private func topic(_ number: Int) -> Topic { Topic(trusted: "t:\(number)") }

    private func counts(_ counters: TopicCounters) -> [String: UInt64] {
        Dictionary(
            uniqueKeysWithValues: counters.counters.map { ($0.topic.name, $0.publications) }
        )
    }

    @Test func countsAreExactWhileEveryTopicHasACounter() {
        var counters = TopicCounters(countMax: 3)
        for number in [1, 2, 1, 3, 1, 2] {
            counters.add(topic(number), publications: 2, bytes: 10)
        }
        expectEqual(counts(counters), ["t:1": 6, "t:2": 4, "t:3": 2])
        expectEqual(counters.counters.first { $0.topic == topic(1) }?.bytes, 30)
    }

    @Test func anotherTopicTakesTheCounterOfTheSmallest() {
        var counters = TopicCounters(countMax: 3)
        for (number, count) in [(1, 5), (2, 1), (3, 4)] {
            counters.add(topic(number), publications: count, bytes: count)
        }
        counters.add(topic(4), publications: 1, bytes: 7)
        expectEqual(counts(counters), ["t:1": 5, "t:3": 4, "t:4": 1], "not the inherited count")
        expectEqual(counters.counters.first { $0.topic == topic(4) }?.bytes, 7)
        // Topic 4 has inherited 1, so with 4 of its own it is above topic 3.
        counters.add(topic(4), publications: 3, bytes: 0)
        counters.add(topic(5), publications: 1, bytes: 0)
        expectEqual(counts(counters), ["t:1": 5, "t:4": 4, "t:5": 1])
    }

    @Test func oneCounterBelongsToTheNewestTopic() {
        var counters = TopicCounters(countMax: 1)
        counters.add(topic(1), publications: 9, bytes: 9)
        counters.add(topic(2), publications: 1, bytes: 2)
        expectEqual(counts(counters), ["t:2": 1])
    }

    /// The guarantees of the algorithm, for any sequence: no count is too large, and every topic
    /// with more than its share of all publications has a counter.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func frequentTopicsHaveCountersWhateverTheOrder(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let countMax = Int.random(in: 1...16, using: &random)
        var counters = TopicCounters(countMax: countMax)
        var exact: [String: UInt64] = [:]
        var total: UInt64 = 0
        for _ in 0..<2000 {
            // Small numbers are more frequent.
            let number = Int.random(in: 0...Int.random(in: 0...40, using: &random), using: &random)
            let count = Int.random(in: 1...3, using: &random)
            counters.add(topic(number), publications: count, bytes: 1)
            exact["t:\(number)", default: 0] += UInt64(count)
            total += UInt64(count)
        }
        let found = counts(counters)
        expectEqual(found.count, min(countMax, exact.count))
        for (name, count) in found { expect(count <= exact[name]!, "seed \(seed), \(name)") }
        for (name, count) in exact where count * UInt64(countMax) > total {
            expect(found[name] != nil, "seed \(seed), \(name)")
        }
    }
}
