import Expectations

@testable import Topics

/// The places of topics without a publication, and the share that each namespace has of them.
@Suite("Unpublished topics", .timeLimit(.minutes(10)))
struct UnpublishedTopicsTests {
    private let namespaces = ["a", "b", "c", "d"]
    private let form = WireForm(rawValue: 0)

    private func fill(_ topics: inout UnpublishedTopics, _ namespace: String, max: Int) -> Int {
        var count = 0
        while count <= max {
            let topic = Topic(trusted: "\(namespace):\(count)")
            guard topics.hasRoom(for: topic, countMax: max, namespaceCount: namespaces.count) else {
                break
            }
            topics.add(topic)
            count += 1
        }
        return count
    }

    @Test func namespaceThatTakesAllItCanLeavesTheOthersTheirShare() {
        var topics = UnpublishedTopics()
        var counts = [fill(&topics, "a", max: 80)]
        expectEqual(counts, [50], "its share, and the half that is nobody's share")
        for other in ["b", "c", "d"] { counts.append(fill(&topics, other, max: 80)) }
        expectEqual(counts, [50, 10, 10, 10])
        expectEqual(topics.count, 80)
    }

    @Test func placesThatBecomeFreeAreGivenAgain() {
        var topics = UnpublishedTopics()
        _ = fill(&topics, "a", max: 80)
        for index in 0..<40 { topics.remove(Topic(trusted: "a:\(index)")) }
        let count = fill(&topics, "b", max: 80)
        expectEqual(count, 50)
        for index in 40..<50 { topics.remove(Topic(trusted: "a:\(index)")) }
        for index in 0..<50 { topics.remove(Topic(trusted: "b:\(index)")) }
        expectEqual(topics.count, 0)
    }

    @Test(arguments: [1, 2, 3, 7])
    func fewPlacesAreAllGiven(max: Int) {
        var topics = UnpublishedTopics()
        let count = namespaces.reduce(0) { $0 + fill(&topics, $1, max: max) }
        expectEqual(count, max)
    }

    /// So much as connections of one address can ask for, on one loop.
    @Test func hubRefusesOneNamespaceAndServesTheOthers() throws {
        let names = ["open", "other", "third"]
        let hub = TestHub(
            namespaces: Dictionary(
                uniqueKeysWithValues: names.map { ($0, HistoryLimit(count: 9, age: nil)) }
            ),
            limits: HubLimits(unpublishedTopicsMax: 600)
        )
        func subscribe(_ subscriber: Int32, _ topic: String) throws {
            _ = try hub.subscribe(subscriber, form: form, to: Topic(trusted: topic), since: nil)
        }
        var refused = 0
        for index in 0..<1000 {
            do { try subscribe(Int32(index), "open:\(index)") } catch { refused += 1 }
        }
        expectEqual(refused, 600)
        for index in 0..<100 {
            try subscribe(0, "other:\(index)")
            try subscribe(0, "third:\(index)")
        }
        #expect(throws: SubscribeError.tooManyTopics(limit: 600)) { try subscribe(0, "other:x") }
        // One that is published to is not counted any more.
        hub.publish(Publication(Topic(trusted: "open:1"), 1, cursor: 101))
        try subscribe(0, "other:x")
    }

    @Test func topicsAreListedInSlices() throws {
        let hub = TestHub(namespaces: ["news": HistoryLimit(count: 9, age: nil)])
        for index in 0..<20 {
            let topic = Topic(trusted: "news:\(index)")
            _ = try hub.subscribe(Int32(index), form: form, to: topic, since: nil)
        }
        for index in 0..<20 where index % 3 == 0 {
            _ = hub.unsubscribe(Int32(index), from: Topic(trusted: "news:\(index)"))
        }
        let whole = hub.subscribedTopics(inSlicesOf: .max).map(\.topic.name)
        expectEqual(whole.count, 13)
        for size in [1, 2, 7, 19, 20, 21] {
            expectEqual(hub.subscribedTopics(inSlicesOf: size).map(\.topic.name), whole)
        }
    }
}
