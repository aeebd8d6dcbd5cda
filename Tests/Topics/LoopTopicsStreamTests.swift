import Expectations
import Topics

@Suite("Hub, one cursor for many topics", .timeLimit(.minutes(10)))
struct LoopTopicsStreamTests {
    private static let tromso = LoopTopicsTests.tromso
    private static let oslo = LoopTopicsTests.oslo
    private static let both = [oslo, tromso]

    /// Tromsø has cursors 101, 103, …, 109, Oslo 102, 104, 106; each keeps three.
    private static func hub(limits: HubLimits = HubLimits()) -> TestHub {
        let hub = LoopTopicsTests.hub(limits: limits)
        for cursor in UInt64(101)...109 where cursor != 108 {
            let topic = cursor % 2 == 1 ? tromso : oslo
            hub.publish(Publication(topic, (cursor - 99) / 2, cursor: cursor))
        }
        return hub
    }

    private static func cursors(_ recovery: StreamRecovery) -> [UInt64] {
        recovery.publications.map(\.cursor)
    }

    @Test func publicationsComeInTheOrderOfTheirCursors() {
        let recovery = Self.hub().publications(of: Self.both, afterCursor: 103)
        expectEqual(Self.cursors(recovery), [104, 105, 106, 107, 109])
        expect(recovery.gaps.isEmpty)
    }

    @Test func onlyAskedTopicsCome() {
        let recovery = Self.hub().publications(of: [Self.oslo], afterCursor: 102)
        expectEqual(Self.cursors(recovery), [104, 106])
    }

    @Test func newestCursorHasMissedNothing() {
        let recovery = Self.hub().publications(of: Self.both, afterCursor: 109)
        expectEqual(recovery, StreamRecovery(publications: [], gaps: []))
    }

    @Test func cursorBelowAnEvictedOneIsAGapInThatTopicAlone() {
        let recovery = Self.hub().publications(of: Self.both, afterCursor: 102)
        expectEqual(Self.cursors(recovery), [104, 105, 106, 107, 109])
        expectEqual(
            recovery.gaps,
            [
                StreamGap(reason: .evicted, topics: [Self.tromso], through: 103)
            ]
        )
    }

    @Test func cursorBaseItselfIsThePlaceBeforeTheFirst() {
        let recovery = Self.hub().publications(of: [Self.oslo], afterCursor: 100)
        expectEqual(Self.cursors(recovery), [102, 104, 106])
        expect(recovery.gaps.isEmpty)
    }

    @Test func cursorOfAFormerStoreIsAGapInAllTopics() {
        let empty = Topic(trusted: "aurora:empty")
        let recovery = Self.hub().publications(of: [Self.oslo, empty], afterCursor: 99)
        expectEqual(Self.cursors(recovery), [102, 104, 106])
        let gap = StreamGap(
            reason: .unknownCursor,
            topics: [Self.oslo, empty],
            through: 100
        )
        expectEqual(recovery.gaps, [gap])
        let evicted = Self.hub().publications(of: Self.both, afterCursor: 0).gaps
        expectEqual(evicted.map(\.through), [100, 103], "what was evicted has a gap of its own")
        expectEqual(evicted.map(\.topics), [Self.both, [Self.tromso]])
    }

    @Test func cursorOfTheFutureIsAGapInAllTopicsThatEndsNow() {
        let recovery = Self.hub().publications(of: Self.both, afterCursor: 110)
        let gap = StreamGap(reason: .unknownCursor, topics: Self.both, through: 109)
        expectEqual(recovery, StreamRecovery(publications: [], gaps: [gap]))
    }

    /// Its publications have a cursor and no offset, and where they were nobody remembers.
    @Test func topicThatKeepsNothingHasAGapWheneverAnythingCame() throws {
        let hub = Self.hub()
        let live = Topic(trusted: "live:a")
        _ = try hub.subscribe(7, form: LoopTopicsTests.stream, to: live, since: nil)
        hub.publish(Publication(live, 0, cursor: 110))
        expect(hub.publications(of: [live], afterCursor: 110).gaps.isEmpty)
        let recovery = hub.publications(of: [Self.oslo, live], afterCursor: 104)
        expectEqual(Self.cursors(recovery), [106])
        let gap = StreamGap(reason: .evicted, topics: [live], through: 110)
        expectEqual(recovery.gaps, [gap])
    }

    @Test func topicThatTheHubDoesNotHaveIsEmpty() {
        let unknown = Topic(trusted: "nowhere:a")
        let recovery = Self.hub().publications(of: [unknown], afterCursor: 101)
        expectEqual(recovery, StreamRecovery(publications: [], gaps: []))
    }

    /// What the newest three publications take, with the attributes of their events.
    private static var lengthOfThree: Int {
        hub().publications(of: both, afterCursor: 105).publications.reduce(0) {
            $0 + $1.wireLength + 96
        }
    }

    @Test func publicationsOfAFewBytesAreCountedWithWhatStandsAroundThem() {
        let publication = Publication(Self.oslo, 1, cursor: 1)
        expect(publication.wireLength > 64 + publication.payload.count)
        let tagged = Publication(Self.oslo, 1, cursor: 1, tags: ["a": "bc"])
        expectEqual(tagged.wireLength, publication.wireLength + 3)
    }

    @Test func recoveryOverTheLimitOfBytesLosesTheOldest() {
        let hub = Self.hub(limits: HubLimits(recoveryBytesMax: Self.lengthOfThree))
        let recovery = hub.publications(of: Self.both, afterCursor: 103)
        expectEqual(Self.cursors(recovery), [106, 107, 109])
        expectEqual(
            recovery.gaps,
            [
                StreamGap(reason: .evicted, topics: [Self.oslo], through: 104),
                StreamGap(reason: .evicted, topics: [Self.tromso], through: 105),
            ]
        )
        let exact = hub.publications(of: Self.both, afterCursor: 105)
        expectEqual(Self.cursors(exact), [106, 107, 109])
        expect(exact.gaps.isEmpty)
    }

    /// A reader that was told of one topic's loss, and is cut off before it is told of another's, comes back
    /// with a cursor at which the other's is still to be told.
    @Test func eachPlaceOfLossIsToldByItself() {
        let hub = Self.hub(limits: HubLimits(recoveryBytesMax: Self.lengthOfThree))
        let first = hub.publications(of: Self.both, afterCursor: 103).gaps[0]
        let rest = hub.publications(of: Self.both, afterCursor: first.through)
        expectEqual(rest.gaps, [StreamGap(reason: .evicted, topics: [Self.tromso], through: 105)])
    }

    /// A reader that is cut off behind any event, and comes back with its id, sees everything that
    /// is to be had exactly once.
    @Test func resumingAfterAnyEventLosesAndRepeatsNothing() {
        let hub = Self.hub()
        let whole = hub.publications(of: Self.both, afterCursor: 102)
        for (index, publication) in whole.publications.enumerated() {
            let rest = hub.publications(of: Self.both, afterCursor: publication.cursor)
            expectEqual(rest.publications, Array(whole.publications[(index + 1)...]))
            expect(rest.gaps.isEmpty, "the gap through 103 was told before cursor 104")
        }
    }
}
