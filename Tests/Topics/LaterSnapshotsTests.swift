import Expectations

@testable import Topics

/// Histories that were read from a snapshot far ahead of the loops, as on a node of a cluster that is behind.
@Suite("Stored histories: later snapshots", .timeLimit(.minutes(10)))
struct LaterSnapshotsTests {
    private static let topic = Topic(trusted: "n:a")
    private static let other = Topic(trusted: "n:b")

    private static let read = HistoryRead(topic: topic, limit: HistoryLimit(count: 3, age: nil))

    private static func namespaces(_ names: String...) -> NamespaceTable {
        let settings = NamespaceSettings(history: HistoryLimit(count: 3, age: nil))
        return NamespaceTable(Dictionary(uniqueKeysWithValues: names.map { ($0, settings) }))
    }

    private static func table(_ namespaces: NamespaceTable = namespaces("n")) -> HistoryTable {
        HistoryTable(
            epoch: "e",
            cursorBase: 100,
            newestStoredCursor: 110,
            isBacked: true,
            namespaces: namespaces
        )
    }

    /// The topic had offsets up to 10. It was removed, and begun again at cursor 115.
    private static let begunAgain = FoundHistory.history(
        StoredHistory(
            beginning: 112,
            topOffset: 1,
            evictedOffset: 0,
            evictedCursor: 109,
            throughCursor: 115,
            publications: [Publication(topic, 1, cursor: 115)],
            isCut: false
        )
    )

    private static func readAgain(_ table: HistoryTable, _ hub: TestHub) throws {
        expectEqual(hub.request(topic), .read)
        expectEqual(table.takeReads(countMax: 1).map(\.topic), [topic])
        _ = try table.finish(read, begunAgain)
        expectEqual(hub.request(topic), .cursor(115))
    }

    @Test func removalOfTheFormerTopicLeavesTheLatter() throws {
        let table = Self.table()
        let hub = TestHub(sharing: table)
        try Self.readAgain(table, hub)
        table.removeHistory(of: Self.topic, through: 10)
        expectEqual(hub.request(Self.topic), .read)
        table.forget(ForgottenTopic(Self.topic, throughCursor: 109))
        hub.forget(Self.topic, throughCursor: 109)
        let first = Publication(Self.topic, 1, cursor: 115)
        table.publish([first])
        hub.publish(first)
        _ = table.takeReads(countMax: 1)
        _ = try table.finish(Self.read, Self.begunAgain)
        expectEqual(hub.history(of: Self.topic)?.newest(.max).map(\.offset), [1])
    }

    /// A loop that has not reached the removal must not read the latter topic as the former one.
    @Test func formerTopicIsNotTheLatterOne() throws {
        let table = Self.table()
        let hub = TestHub(sharing: table)
        try Self.readAgain(table, hub)
        table.publish([Publication(Self.other, 1, cursor: 111)])
        table.forget(ForgottenTopic(Self.topic, throughCursor: 109))
        expectEqual(hub.newestCursor, 110)
        expect(hub.isElsewhere(Self.topic))
    }

    @Test func topicOfAnAddedNamespaceIsRead() throws {
        let table = Self.table(Self.namespaces("other"))
        let hub = TestHub(sharing: table)
        expectNil(hub.request(Self.topic), "its namespace is not configured")
        let eleventh = Publication(Self.topic, 11, cursor: 111)
        table.publish([eleventh])
        hub.publish(eleventh)
        let settings = NamespaceSettings(history: HistoryLimit(count: 3, age: nil))
        hub.use(["n": settings, "other": settings])
        expectEqual(hub.request(Self.topic), .read)
        expectEqual(table.takeReads(countMax: 1).map(\.topic), [Self.topic])
        let stored = StoredHistory(
            beginning: 0,
            topOffset: 11,
            evictedOffset: 9,
            evictedCursor: 109,
            throughCursor: 111,
            publications: [Publication(Self.topic, 10, cursor: 110), eleventh],
            isCut: false
        )
        _ = try table.finish(Self.read, .history(stored))
        expectEqual(hub.history(of: Self.topic)?.newest(.max).map(\.offset), [10, 11])
        expectEqual(hub.position(of: Self.topic).offset, 11)
    }
}
