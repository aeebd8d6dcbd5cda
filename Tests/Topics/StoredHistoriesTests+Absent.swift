import Expectations

@testable import Topics

/// Topics that the store does not have.
extension StoredHistoriesTests {
    @Test func topicThatTheStoreDoesNotHaveIsReadOnce() throws {
        let table = Self.table()
        let hub = TestHub(sharing: table)
        _ = hub.request(Self.topic)
        _ = table.takeReads(countMax: 1)
        let end = try table.finish(Self.read, .nothing(forgottenThrough: 0))
        expectEqual(end?.outcome, .read(through: 0))
        expect(!hub.isElsewhere(Self.topic))
        expectNil(hub.request(Self.topic))
        expectNil(hub.history(of: Self.topic))
        let first = Publication(Self.topic, 1, cursor: 111)
        table.publish([first])
        hub.publish(first)
        expectEqual(Self.offsets(hub), [1])
    }

    /// A commit whose outcome was not known for some time has its last publication, and removed it.
    @Test func loopReadsThatATopicIsAbsentWhenItHasReachedTheRemoval() throws {
        let table = Self.table()
        let hub = TestHub(sharing: table)
        let behind = TestHub(sharing: table)
        expectEqual(hub.request(Self.topic), .read)
        _ = table.takeReads(countMax: 1)
        let end = try table.finish(Self.read, .nothing(forgottenThrough: 111))
        expectEqual(end?.outcome, .read(through: 111))
        expect(hub.isElsewhere(Self.topic))
        expectEqual(hub.request(Self.topic), .cursor(111))

        let last = Publication(Self.topic, 11, cursor: 111)
        table.publish([last])
        table.forget(ForgottenTopic(Self.topic, throughCursor: 111))
        expectEqual(hub.request(Self.topic), .cursor(111))
        hub.publish(last)
        hub.forget(Self.topic, throughCursor: 111)
        expect(!hub.isElsewhere(Self.topic))
        expectNil(hub.request(Self.topic))
        let epoch = TopicEpoch(store: "e", beginning: 111).text
        expectEqual(hub.position(of: Self.topic), Position(offset: 0, epoch: epoch))
        expectEqual(behind.request(Self.topic), .cursor(111))
    }

    /// The store has removed it, and the loop does not know it yet.
    @Test func streamReceivesTheGapOfATopicThatIsRemovedThisMoment() throws {
        let table = Self.table()
        let hub = TestHub(sharing: table)
        _ = hub.request(Self.topic)
        _ = table.takeReads(countMax: 1)
        _ = try table.finish(Self.read, .nothing(forgottenThrough: 109))
        let recovery = hub.publications(of: [Self.topic], afterCursor: 108)
        expectEqual(
            recovery.gaps,
            [StreamGap(reason: .evicted, topics: [Self.topic], through: 109)]
        )
    }
}
