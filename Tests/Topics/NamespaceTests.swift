import Expectations
import Topics

@Suite(
    "Namespaces: memory-only topics, cache recovery, publications outside of the history",
    .timeLimit(.minutes(10))
)
struct NamespaceTests {
    private static let durable = Topic(trusted: "durable:a")
    private static let memory = Topic(trusted: "memory:a")
    private static let cache = Topic(trusted: "cache:a")
    private static let form = WireForm(rawValue: 0)

    private static func hub() -> TestHub {
        let history = HistoryLimit(count: 3, age: nil)
        return TestHub(
            memoryEpoch: "m",
            memoryCursorBase: 150,
            settings: [
                "durable": NamespaceSettings(history: history),
                "memory": NamespaceSettings(history: history, isDurable: false),
                "cache": NamespaceSettings(history: history, recovery: .cache),
            ]
        )
    }

    private static func position(_ offset: UInt64, _ epoch: String = "e") -> Position {
        Position(offset: offset, epoch: epoch)
    }

    @Test func topicsInMemoryHaveTheEpochOfTheProcess() throws {
        let hub = Self.hub()
        let durable = try hub.subscribe(1, form: Self.form, to: Self.durable, since: nil)
        let memory = try hub.subscribe(1, form: Self.form, to: Self.memory, since: nil)
        expectEqual(durable.position, Self.position(0))
        expectEqual(memory.position, Self.position(0, "m"))
    }

    @Test func positionOfAFormerProcessIsNotRecoveredInMemory() throws {
        let hub = Self.hub()
        hub.publish(Publication(Self.memory, 1, cursor: 151))
        let subscribed = try hub.subscribe(
            1,
            form: Self.form,
            to: Self.memory,
            since: Self.position(0, "former")
        )
        expectEqual(subscribed.recovery, .otherEpoch)
    }

    @Test func streamIsToldAGapOfATopicInMemoryWhenItsCursorIsOfAFormerProcess() {
        let hub = Self.hub()
        hub.publish(Publication(Self.memory, 1, cursor: 151))
        hub.publish(Publication(Self.durable, 1, cursor: 152))
        let topics = [Self.durable, Self.memory]
        let former = hub.publications(of: topics, afterCursor: 149)
        expectEqual(former.gaps, [StreamGap(reason: .evicted, topics: [Self.memory], through: 150)])
        expectEqual(former.publications.map(\.cursor), [151, 152])
        expect(hub.publications(of: topics, afterCursor: 150).gaps.isEmpty)
    }

    @Test func cacheRecoversTheLatestPublicationAlone() throws {
        let hub = Self.hub()
        for offset: UInt64 in 1...5 {
            hub.publish(Publication(Self.cache, offset, cursor: 150 + offset))
        }
        let latest = Publication(Self.cache, 5, cursor: 155)
        for (subscriber, since, start) in [
            (1, Self.position(0), 0), (2, Self.position(4), 4), (3, Self.position(9), 4),
            (4, Self.position(5, "former"), 4), (5, Self.position(2, "former"), 2),
        ] as [(Int, Position, UInt64)] {
            let subscribed = try hub.subscribe(
                Int32(subscriber),
                form: Self.form,
                to: Self.cache,
                since: since
            )
            expectEqual(subscribed.recovery, .complete([latest]), "since \(since)")
            expectEqual(subscribed.start, Self.position(start), "since \(since)")
        }
        let current = try hub.subscribe(
            6,
            form: Self.form,
            to: Self.cache,
            since: Self.position(5)
        )
        expectEqual(current.recovery, .complete([]))
    }

    @Test func cacheTellsAGapWhenThereIsNoRoomForTheLatest() throws {
        let hub = Self.hub()
        for offset in UInt64(1)...5 {
            hub.publish(Publication(Self.cache, offset, cursor: 150 + offset))
        }
        let room = Publication(Self.cache, 5, cursor: 155).wireLength
        func recovery(
            _ subscriber: Int32,
            since: UInt64,
            epoch: String = "e",
            bytesMax: Int
        ) throws -> Recovery? {
            try hub.subscribe(
                subscriber,
                form: WireForm(rawValue: 0),
                to: Self.cache,
                since: Position(offset: since, epoch: epoch),
                recoveryBytesMax: bytesMax
            ).recovery
        }
        try expectEqual(recovery(1, since: 2, bytesMax: room)?.isComplete, true)
        let gap = Recovery.gap(available: [], missing: 3...5)
        try expectEqual(recovery(2, since: 2, bytesMax: room - 1), gap)
        try expectEqual(recovery(3, since: 5, bytesMax: 0), .complete([]))
        try expectEqual(recovery(4, since: 2, epoch: "old", bytesMax: 0), .otherEpoch)
    }

    @Test func cacheWithoutPublicationsSaysThatAnotherEpochIsUnknown() throws {
        let hub = Self.hub()
        let subscribed = try hub.subscribe(
            1,
            form: Self.form,
            to: Self.cache,
            since: Self.position(3, "former")
        )
        expectEqual(subscribed.recovery, .otherEpoch)
    }

    @Test func publicationOutsideOfTheHistoryReachesSubscribersAndIsNotKept() throws {
        let hub = Self.hub()
        _ = try hub.subscribe(1, form: Self.form, to: Self.durable, since: nil)
        hub.publish(Publication(Self.durable, 1, cursor: 151))
        expect(hub.publish(Publication(Self.durable, 0, cursor: 152)))
        hub.publish(Publication(Self.durable, 2, cursor: 153))
        expectEqual(hub.newestCursor, 153)
        expectEqual(hub.history(of: Self.durable)?.newest(9).map(\.offset), [1, 2])
    }
}
