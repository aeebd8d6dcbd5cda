import Expectations
import SeededRandom

@testable import Topics

/// Histories that several loops share, each at its own place among the commits.
@Suite("Shared histories", .timeLimit(.minutes(10)))
struct SharedHistoriesTests {
    private static let topics = (0..<4).map { Topic(trusted: "n:\($0)") }

    private static func table(
        count: Int = 3,
        bytes: Int = .max,
        age: Duration? = nil,
        limits: HubLimits = HubLimits()
    ) -> HistoryTable {
        HistoryTable(
            epoch: "e",
            cursorBase: 100,
            namespaces: NamespaceTable(
                histories: ["n": HistoryLimit(count: count, age: age, bytes: bytes)]
            ),
            limits: limits
        )
    }

    private static func publications(_ offsets: ClosedRange<UInt64>) -> [Publication] {
        offsets.map { Publication(topics[0], $0, cursor: 100 + $0) }
    }

    private static func offsets(_ history: TopicHistory?) -> [UInt64] {
        history?.newest(.max).map(\.offset) ?? []
    }

    @Test func eachLoopReadsTheHistoryAtItsPlace() {
        let table = Self.table()
        let (first, second) = (TestHub(sharing: table), TestHub(sharing: table))
        let publications = Self.publications(1...5)
        table.publish(publications)
        expectNil(first.history(of: Self.topics[0]))
        expectEqual(first.topicCount, 1, "it exists, and comes")
        for publication in publications { first.publish(publication) }
        for publication in publications.prefix(2) { second.publish(publication) }
        expectEqual(Self.offsets(first.history(of: Self.topics[0])), [3, 4, 5])
        expectEqual(Self.offsets(second.history(of: Self.topics[0])), [1, 2])
        expectEqual(second.position(of: Self.topics[0]), Position(offset: 2, epoch: "e"))
        expectEqual(first.newestCursor, 105)
        expectEqual(second.newestCursor, 102)
    }

    @Test func whatALoopHasNotReachedIsKeptForIt() {
        let table = Self.table(count: 2)
        let (first, second) = (TestHub(sharing: table), TestHub(sharing: table))
        func bytes(_ count: Int) -> Int { count * Self.publications(1...1)[0].wireLength }
        let publications = Self.publications(1...5)
        table.publish(publications)
        expectEqual(table.sizes.bytes, bytes(5))
        for publication in publications { first.publish(publication) }
        first.trim(now: Timestamp(seconds: 0), topicCountMax: 1)
        expectEqual(table.sizes.bytes, bytes(5))
        for publication in publications.prefix(3) { second.publish(publication) }
        second.trim(now: Timestamp(seconds: 0), topicCountMax: 1)
        expectEqual(table.sizes.bytes, bytes(4), "the second has a history of two and three")
        for publication in publications.dropFirst(3) { second.publish(publication) }
        second.trim(now: Timestamp(seconds: 0), topicCountMax: 1)
        expectEqual(table.sizes.bytes, bytes(2))
    }

    /// The loops receive a long series of two topics only afterwards.
    @Test func longSeriesIsEvictedWhenTheLoopsHaveReceivedIt() {
        let table = Self.table(count: 2)
        let (first, second) = (TestHub(sharing: table), TestHub(sharing: table))
        let series = (1...40_000 as ClosedRange<UInt64>).map {
            Publication(Self.topics[Int($0 % 2)], ($0 + 1) / 2, cursor: 100 + $0)
        }
        table.publish(series)
        for hub in [first, second] {
            for publication in series { hub.publish(publication) }
            hub.trim(now: Timestamp(seconds: 0), topicCountMax: 1)
            expectEqual(Self.offsets(hub.history(of: Self.topics[0])), [19_999, 20_000])
        }
        expectEqual(table.sizes.bytes, series.suffix(4).reduce(0) { $0 + $1.wireLength })
    }

    @Test func ageAndMemoryWaitForTheLoopsToo() {
        let table = Self.table(
            count: 100,
            age: .seconds(1),
            limits: HubLimits(historyBytesMax: 2 * Self.publications(1...1)[0].wireLength)
        )
        let (first, second) = (TestHub(sharing: table), TestHub(sharing: table))
        let publications = Self.publications(1...4)
        table.publish(publications)
        for publication in publications { first.publish(publication) }
        first.trim(now: Timestamp(seconds: 9), topicCountMax: 1)
        expectEqual(table.sizes.evictedForMemoryCount, 0)
        expectEqual(Self.offsets(first.history(of: Self.topics[0])), [1, 2, 3, 4])
        for publication in publications.prefix(3) { second.publish(publication) }
        second.trim(now: Timestamp(seconds: 0), topicCountMax: 1)
        expectEqual(table.sizes.evictedForMemoryCount, 2)
        second.publish(publications[3])
        second.trim(now: Timestamp(seconds: 9), topicCountMax: 1)
        expectEqual(Self.offsets(first.history(of: Self.topics[0])), [])
        expectEqual(first.position(of: Self.topics[0]).offset, 4)
    }

    @Test func removedHistoryBeginsLaterForALoopThatIsBeforeIt() {
        let table = Self.table()
        let hub = TestHub(sharing: table)
        table.publish([Publication(Self.topics[1], 1, cursor: 101)])
        table.publish([Publication(Self.topics[0], 1, cursor: 102)])
        table.removeHistory(of: Self.topics[0], through: 1)
        hub.publish(Publication(Self.topics[1], 1, cursor: 101))
        expectNil(hub.history(of: Self.topics[0]))
        hub.publish(Publication(Self.topics[0], 1, cursor: 102))
        expectEqual(hub.position(of: Self.topics[0]).offset, 1)
    }

    @Test func removedHistoryIsGoneForALoopThatHasNotReachedIt() {
        let table = Self.table()
        let hub = TestHub(sharing: table)
        let publications = Self.publications(1...3)
        table.publish(publications)
        table.removeHistory(of: Self.topics[0], through: 3)
        hub.publish(publications[0])
        let recovery = hub.publications(of: [Self.topics[0]], afterCursor: 100)
        expect(recovery.publications.isEmpty)
        expectEqual(
            recovery.gaps,
            [StreamGap(reason: .evicted, topics: [Self.topics[0]], through: 101)]
        )
        expectEqual(hub.position(of: Self.topics[0]).offset, 1)
        for publication in publications.dropFirst() { hub.publish(publication) }
        expectEqual(hub.position(of: Self.topics[0]).offset, 3)
    }

    /// A loop that has not processed the removal of a topic finds nothing of it in the histories.
    @Test func positionBeforeARemovedHistoryIsNotRecoveredBeforeTheRemoval() {
        let topic = Self.topics[0]
        let table = Self.table()
        let (first, second) = (TestHub(sharing: table), TestHub(sharing: table))
        func begin(_ cursor: UInt64) {
            let publication = Publication(topic, 1, cursor: cursor)
            table.publish([publication])
            for hub in [first, second] { hub.publish(publication) }
        }
        func remove(_ cursor: UInt64, on hubs: [TestHub]) {
            table.removeHistory(of: topic, through: 1)
            table.forget(ForgottenTopic(topic, throughCursor: cursor))
            for hub in hubs { hub.forget(topic, throughCursor: cursor) }
        }
        begin(101)
        remove(101, on: [first, second])
        let position = second.position(of: topic)
        expectEqual(position.offset, 0)
        begin(102)
        remove(102, on: [first])
        expectEqual(second.renamed(position, of: topic), position)
        expect(second.position(of: topic) != position)
    }

    /// The position of a loop is that of the erased one, and not of a topic without publications.
    @Test func erasedPublicationKeepsItsPlaceForALoopThatIsThere() {
        let table = Self.table()
        let (first, second) = (TestHub(sharing: table), TestHub(sharing: table))
        let erased = (1...2 as ClosedRange<UInt64>).map {
            Publication(Self.topics[0], $0, cursor: 100 + $0, tags: ["act": "7"])
        }
        table.publish(erased + [Publication(Self.topics[0], 3, cursor: 103)])
        for publication in erased { first.publish(publication) }
        table.erase(Erasure(topic: Self.topics[0], tag: "act", value: "7"))
        expectEqual(first.position(of: Self.topics[0]), Position(offset: 2, epoch: "e"))
        expectEqual(second.position(of: Self.topics[0]).offset, 0)
        second.publish(erased[0])
        expectEqual(second.position(of: Self.topics[0]).offset, 1)
        expectEqual(Self.offsets(second.history(of: Self.topics[0])), [])
    }

    @Test func forgottenTopicIsAnotherOneForEachLoopInItsTurn() {
        let table = Self.table()
        let (first, second) = (TestHub(sharing: table), TestHub(sharing: table))
        let old = Self.publications(1...1)
        table.publish(old)
        for hub in [first, second] {
            hub.publish(old[0])
            hub.trim(now: Timestamp(seconds: 0), topicCountMax: 1)
        }
        table.removeHistory(of: Self.topics[0], through: 1)
        table.forget(ForgottenTopic(Self.topics[0], throughCursor: 101))
        let new = Publication(Self.topics[0], 1, cursor: 102)
        table.publish([new])
        let late = TestHub(sharing: table)
        expectEqual(late.position(of: Self.topics[0]), Position(offset: 1, epoch: "e-101"))
        for hub in [first, second] {
            expectEqual(hub.position(of: Self.topics[0]).offset, 0)
            hub.forget(Self.topics[0], throughCursor: 101)
            hub.publish(new)
            expectEqual(hub.position(of: Self.topics[0]), Position(offset: 1, epoch: "e-101"))
        }
    }

    @Test func forgottenTopicIsReadByALoopThatHasNotReachedItsEnd() {
        let table = Self.table()
        let (first, second) = (TestHub(sharing: table), TestHub(sharing: table))
        let old = Self.publications(1...3)
        table.publish(old)
        table.removeHistory(of: Self.topics[0], through: 3)
        table.forget(ForgottenTopic(Self.topics[0], throughCursor: 103))
        let new = Publication(Self.topics[0], 1, cursor: 104)
        table.publish([new])
        for publication in old.prefix(2) { second.publish(publication) }
        expectEqual(second.position(of: Self.topics[0]), Position(offset: 2, epoch: "e"))
        for publication in old { first.publish(publication) }
        expectEqual(first.position(of: Self.topics[0]).offset, 0)
        for hub in [first, second] {
            if hub.newestCursor < 103 { hub.publish(old[2]) }
            hub.forget(Self.topics[0], throughCursor: 103)
            hub.publish(new)
            hub.trim(now: Timestamp(seconds: 0), topicCountMax: 1)
            expectEqual(hub.position(of: Self.topics[0]), Position(offset: 1, epoch: "e-103"))
        }
    }

    /// The loop has all publications, and the message that the topic is removed is on its way.
    @Test func streamReceivesTheGapOfATopicThatIsRemovedThisMoment() {
        let table = Self.table()
        let hub = TestHub(sharing: table)
        let old = Self.publications(1...3)
        table.publish(old)
        for publication in old { hub.publish(publication) }
        table.removeHistory(of: Self.topics[0], through: 3)
        table.forget(ForgottenTopic(Self.topics[0], throughCursor: 103))
        let recovery = hub.publications(of: [Self.topics[0]], afterCursor: 102)
        expectEqual(
            recovery.gaps,
            [StreamGap(reason: .evicted, topics: [Self.topics[0]], through: 103)]
        )
    }

    @Test func listedTopicsAreThoseOfAllLoopsAndTheOwnWithoutPublications() throws {
        let table = Self.table()
        let (first, second) = (TestHub(sharing: table), TestHub(sharing: table))
        table.publish(Self.publications(1...1))
        _ = try first.subscribe(7, form: WireForm(rawValue: 0), to: Self.topics[1], since: nil)
        expectEqual(Set(first.numberedTopics), [Self.topics[0], Self.topics[1]])
        expectEqual(second.numberedTopics, [Self.topics[0]])
        _ = try first.subscribe(7, form: WireForm(rawValue: 0), to: Self.topics[0], since: nil)
        expectEqual(first.numberedTopics.count, 2)
        first.publish(Self.publications(1...1)[0])
        expectEqual(first.numberedTopics.count, 2)
        expectEqual(first.topicCount, 2)
        expectEqual(second.topicCount, 1)
    }

    // MARK: One history

    /// Offsets 1 to 6 with cursors ten times as great, of which the first is erased, and all are kept.
    private static func longHistory(bytes: Int = .max) -> TopicHistory {
        var history = TopicHistory(
            epoch: "e",
            limit: HistoryLimit(count: 3, age: nil, bytes: bytes)
        )
        for offset in 1...6 as ClosedRange<UInt64> {
            let tags = offset == 1 ? ["act": "7"] : [:]
            history.append(
                Publication(topics[0], offset, cursor: 10 * offset, tags: tags),
                evictingThrough: 0
            )
        }
        history.erase(Erasure(topic: topics[0], tag: "act", value: "7"))
        return history
    }

    @Test(
        arguments: [
            (5, [], 0), (19, [], 0), (20, [2], 2), (39, [2, 3], 3), (40, [2, 3, 4], 4),
            (59, [3, 4, 5], 5), (60, [4, 5, 6], 6), (.max, [4, 5, 6], 6),
        ] as [(UInt64, [UInt64], UInt64)]
    )
    func rewoundHistoryIsThatOfItsTime(cursor: UInt64, kept: [UInt64], top: UInt64) {
        var history = Self.longHistory()
        history.rewind(to: cursor)
        expectEqual(Self.offsets(history), kept)
        expectEqual(history.topOffset, top)
        expectEqual(history.bytes, kept.count * Self.publications(1...1)[0].wireLength)
    }

    @Test(
        arguments: [
            (0, [2, 3, 4, 5, 6], true), (40, [2, 3, 4, 5, 6], true), (49, [2, 3, 4, 5, 6], true),
            (50, [3, 4, 5, 6], true), (59, [3, 4, 5, 6], true), (60, [4, 5, 6], false),
            (.max, [4, 5, 6], false),
        ] as [(UInt64, [UInt64], Bool)]
    )
    func evictionLeavesTheLimitOfWhatIsReached(
        cursor: UInt64,
        kept: [UInt64],
        isOverfull: Bool
    ) {
        var history = Self.longHistory()
        let eviction = history.evictExcess(through: cursor)
        expectEqual(Self.offsets(history), kept)
        expectEqual(eviction, TopicHistory.Eviction(overBytes: false, isOverfull: isOverfull))
    }

    @Test func evictionByBytesLeavesTheLimitOfWhatIsReached() {
        var history = Self.longHistory(bytes: 2 * Self.publications(1...1)[0].wireLength)
        var eviction = history.evictExcess(through: 45)
        expectEqual(Self.offsets(history), [3, 4, 5, 6])
        expectEqual(eviction, TopicHistory.Eviction(overBytes: true, isOverfull: true))
        eviction = history.evictExcess(through: 60)
        expectEqual(Self.offsets(history), [5, 6])
        expectEqual(eviction, TopicHistory.Eviction(overBytes: true, isOverfull: false))
    }

    // MARK: Loops with histories of their own

    /// Loops with histories of their own are the model: they receive the same at the same pace.
    @Test(arguments: 0..<40)
    func loopsAgreeWithLoopsThatHaveTheirOwn(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let count = Int.random(in: 0...5, using: &random)
        let bytes = Bool.random(using: &random) ? .max : 3 * Self.publications(1...1)[0].wireLength
        let table = Self.table(count: count, bytes: bytes)
        let shared = (0..<3).map { _ in TestHub(sharing: table) }
        let own = shared.map { _ in
            TestHub(
                cursorBase: 100,
                namespaces: ["n": HistoryLimit(count: count, age: nil, bytes: bytes)]
            )
        }
        var log: [Publication] = []
        var tops = Self.topics.map { _ in UInt64(0) }
        var places = shared.map { _ in 0 }
        for _ in 0..<400 {
            if Int.random(in: 0..<3, using: &random) == 0 {
                let batch = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                    let topic = Int.random(in: 0..<Self.topics.count, using: &random)
                    tops[topic] += 1
                    let cursor = 101 + UInt64(log.count)
                    log.append(Publication(Self.topics[topic], tops[topic], cursor: cursor))
                    return log.last!
                }
                table.publish(batch)
            }
            let loop = Int.random(in: 0..<shared.count, using: &random)
            let end = Int.random(in: places[loop]...log.count, using: &random)
            for publication in log[places[loop]..<end] {
                expectEqual(shared[loop].publish(publication), own[loop].publish(publication))
            }
            places[loop] = end
            shared[loop].trim(now: Timestamp(seconds: 0), topicCountMax: 2)
            try compare(shared[loop], own[loop], &random)
        }
    }

    private func compare(
        _ shared: TestHub,
        _ own: TestHub,
        _ random: inout SeededGenerator
    ) throws {
        let topic = Self.topics.randomElement(using: &random)!
        expectEqual(shared.position(of: topic), own.position(of: topic))
        expectEqual(shared.history(of: topic)?.newest(.max), own.history(of: topic)?.newest(.max))
        let cursor = 100 + UInt64.random(in: 0...shared.newestCursor - 100, using: &random)
        expectEqual(
            shared.publications(of: Self.topics, afterCursor: cursor),
            own.publications(of: Self.topics, afterCursor: cursor)
        )
        let subscriber = Int32.random(in: 0..<4, using: &random)
        let top = shared.position(of: topic).offset
        let since = Position(offset: UInt64.random(in: 0...top + 1, using: &random), epoch: "e")
        let isSubscribed = own.unsubscribe(subscriber, from: topic)
        expectEqual(shared.unsubscribe(subscriber, from: topic), isSubscribed)
        guard Bool.random(using: &random) else { return }
        try expectEqual(
            shared.subscribe(subscriber, form: WireForm(rawValue: 0), to: topic, since: since),
            own.subscribe(subscriber, form: WireForm(rawValue: 0), to: topic, since: since)
        )
        expectEqual(shared.subscribedTopics, own.subscribedTopics)
    }
}
