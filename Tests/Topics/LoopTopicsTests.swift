import Expectations
import Topics

@Suite("Hub", .timeLimit(.minutes(10)))
struct LoopTopicsTests {
    static let tromso = Topic(trusted: "aurora:tromso")
    static let oslo = Topic(trusted: "aurora:oslo")
    static let text = WireForm(rawValue: 0)
    static let stream = WireForm(rawValue: 7)

    /// Its cursors begin above 100.
    static func hub(limits: HubLimits = HubLimits()) -> TestHub {
        TestHub(
            namespaces: ["aurora": HistoryLimit(count: 3, age: .seconds(60)), "live": .none],
            limits: limits
        )
    }

    @Test func newHubStandsAtItsCursorBase() {
        let hub = Self.hub()
        expectEqual(hub.newestCursor, 100)
        expectEqual(hub.topicCount, 0)
        expectEqual(hub.subscriptionCount, 0)
        expectNil(hub.history(of: Self.tromso))
        expect(hub.subscribers(of: Self.tromso, form: Self.text).isEmpty)
        expectEqual(hub.subscriberCount(of: Self.tromso), 0)
    }

    @Test func publicationOutsideOfTheHistoryMakesNoTopic() throws {
        let hub = Self.hub()
        expect(!hub.publish(Publication(Self.tromso, 0, cursor: 101)))
        expectEqual(hub.topicCount, 0)
        expectEqual(hub.newestCursor, 101)
        _ = try hub.subscribe(7, form: Self.text, to: Self.tromso, since: nil)
        expect(hub.publish(Publication(Self.tromso, 0, cursor: 102)))
        expect(hub.publish(Publication(Self.tromso, 1, cursor: 103)))
        expectEqual(hub.topicCount, 1)
        expectEqual(hub.history(of: Self.tromso)?.topOffset, 1)
    }

    @Test func subscriberIsTheOneThatGetsPublications() throws {
        let hub = Self.hub()
        let subscribed = try hub.subscribe(7, form: Self.text, to: Self.tromso, since: nil)
        expectEqual(subscribed.position, Position(offset: 0, epoch: "e"))
        expect(subscribed.isRecoverable)
        expectNil(subscribed.recovery)
        expect(hub.publish(Publication(Self.tromso, 1, cursor: 101)))
        expectEqual(hub.subscribers(of: Self.tromso, form: Self.text), [7])
        expect(hub.subscribers(of: Self.tromso, form: Self.stream).isEmpty)
        expect(hub.subscribers(of: Self.oslo, form: Self.text).isEmpty)
        expectEqual(hub.newestCursor, 101)
    }

    /// Nobody counts what is not kept, so no position of such a topic says that nothing was missed.
    @Test func topicThatKeepsNothingNeverSaysThatAllIsThere() throws {
        let hub = Self.hub()
        let live = Topic(trusted: "live:a")
        let first = try hub.subscribe(1, form: Self.text, to: live, since: nil)
        expect(!first.isRecoverable)
        hub.publish(Publication(live, 0, cursor: 101))
        let again = try hub.subscribe(2, form: Self.text, to: live, since: first.position)
        expectEqual(again.recovery, .otherEpoch)
        #expect(throws: SubscribeError.unrecoverablePosition) {
            try hub.subscribe(
                3,
                form: Self.text,
                to: live,
                since: first.position,
                mustRecover: true
            )
        }
    }

    @Test func recoveryIsAsLongAsTheCallerHasRoomFor() throws {
        let hub = Self.hub()
        for offset in UInt64(1)...3 {
            hub.publish(Publication(Self.tromso, offset, cursor: 100 + offset))
        }
        let start = Position(offset: 0, epoch: "e")
        let length = Publication(Self.tromso, 3, cursor: 103).wireLength
        let subscribed = try hub.subscribe(
            1,
            form: Self.text,
            to: Self.tromso,
            since: start,
            recoveryBytesMax: 2 * length
        )
        guard case .gap(let available, let missing) = subscribed.recovery else {
            Issue.record("\(String(describing: subscribed.recovery))")
            return
        }
        expectEqual(available.map(\.offset), [2, 3])
        expectEqual(missing, 1...1)
    }

    @Test func replyAndLivePublicationsHaveNeitherHoleNorOverlap() throws {
        let hub = Self.hub()
        hub.publish(Publication(Self.tromso, 1, cursor: 101))
        hub.publish(Publication(Self.tromso, 2, cursor: 105))
        let subscribed = try hub.subscribe(
            1,
            form: Self.text,
            to: Self.tromso,
            since: Position(offset: 1, epoch: "e")
        )
        expectEqual(subscribed.position.offset, 2)
        expectEqual(subscribed.recovery?.publications.map(\.offset), [2])
        expectEqual(subscribed.recovery?.isComplete, true)
        hub.publish(Publication(Self.tromso, 3, cursor: 106))
        expectEqual(hub.history(of: Self.tromso)?.position.offset, 3)
    }

    @Test func topicOfAnUnknownNamespaceIsRefused() {
        let hub = Self.hub()
        let topic = Topic(trusted: "nowhere:a")
        #expect(throws: SubscribeError.unknownTopic) {
            try hub.subscribe(1, form: Self.text, to: topic, since: nil)
        }
        expect(!hub.publish(Publication(topic, 1, cursor: 101)))
        expectEqual(hub.newestCursor, 101, "the cursor is spent all the same")
        expectEqual(hub.topicCount, 0)
    }

    @Test func secondSubscriptionIsRefusedInWhateverForm() throws {
        let hub = Self.hub()
        _ = try hub.subscribe(1, form: Self.text, to: Self.tromso, since: nil)
        #expect(throws: SubscribeError.alreadySubscribed) {
            try hub.subscribe(1, form: Self.stream, to: Self.tromso, since: nil)
        }
        expectEqual(hub.subscriptionCount, 1)
    }

    @Test func subscriberThatMustRecoverIsNotAddedWithAGap() throws {
        let hub = Self.hub()
        for offset in UInt64(1)...5 {
            hub.publish(Publication(Self.tromso, offset, cursor: 100 + offset))
        }
        for since in [Position(offset: 1, epoch: "e"), Position(offset: 5, epoch: "other")] {
            #expect(throws: SubscribeError.unrecoverablePosition) {
                try hub.subscribe(
                    1,
                    form: Self.text,
                    to: Self.tromso,
                    since: since,
                    mustRecover: true
                )
            }
        }
        expectEqual(hub.subscriptionCount, 0)
        let subscribed = try hub.subscribe(
            1,
            form: Self.text,
            to: Self.tromso,
            since: Position(offset: 2, epoch: "e"),
            mustRecover: true
        )
        expectEqual(subscribed.recovery?.publications.map(\.offset), [3, 4, 5])
    }

    @Test func topicWithoutPublicationsIsForgottenWithItsLastSubscriber() throws {
        let hub = Self.hub()
        _ = try hub.subscribe(1, form: Self.text, to: Self.tromso, since: nil)
        _ = try hub.subscribe(2, form: Self.stream, to: Self.tromso, since: nil)
        _ = try hub.subscribe(2, form: Self.stream, to: Self.oslo, since: nil)
        expect(hub.unsubscribe(1, from: Self.tromso))
        expectEqual(hub.topicCount, 2)
        expectEqual(hub.removeSubscriber(2), 2)
        expectEqual(hub.topicCount, 0)
        expect(hub.topics.isEmpty)
        #expect(throws: SubscribeError.unrecoverablePosition) {
            try hub.subscribe(
                1,
                form: Self.text,
                to: Self.oslo,
                since: Position(offset: 1, epoch: "e"),
                mustRecover: true
            )
        }
        expectEqual(hub.topicCount, 0, "a refused subscriber leaves no topic behind")
    }

    @Test func subscribedTopicsAreThoseWithSubscribersInAnyForm() throws {
        let hub = Self.hub()
        hub.publish(Publication(Self.oslo, 1, cursor: 101))
        expect(hub.subscribedTopics.isEmpty)
        _ = try hub.subscribe(1, form: Self.text, to: Self.tromso, since: nil)
        _ = try hub.subscribe(2, form: Self.stream, to: Self.tromso, since: nil)
        _ = try hub.subscribe(2, form: Self.stream, to: Self.oslo, since: nil)
        let last = WireForm(rawValue: UInt8(WireForm.countMax - 1))
        _ = try hub.subscribe(3, form: last, to: Self.tromso, since: nil)
        expectEqual(hub.subscribedTopics, [Self.tromso: 3, Self.oslo: 1])
        expectEqual(hub.subscribers(of: Self.tromso).sorted(), [1, 2, 3])
        expect(hub.unsubscribe(3, from: Self.tromso))
        hub.removeSubscriber(2)
        expectEqual(hub.subscribedTopics, [Self.tromso: 1])
        expectEqual(hub.subscribers(of: Self.tromso), [1])
        expect(hub.subscribers(of: Self.oslo).isEmpty)
        expect(hub.unsubscribe(1, from: Self.tromso))
        expect(hub.subscribedTopics.isEmpty)
        expect(hub.subscribers(of: Topic(trusted: "nowhere")).isEmpty)
    }

    @Test func topicWithPublicationsStays() throws {
        let hub = Self.hub()
        _ = try hub.subscribe(1, form: Self.text, to: Self.tromso, since: nil)
        hub.publish(Publication(Self.tromso, 1, cursor: 101))
        expectEqual(hub.removeSubscriber(1), 1)
        expectEqual(hub.topics, [Self.tromso])
    }

    @Test func unsubscribingTwiceIsFalse() throws {
        let hub = Self.hub()
        expect(!hub.unsubscribe(1, from: Self.tromso))
        _ = try hub.subscribe(1, form: Self.text, to: Self.tromso, since: nil)
        expect(!hub.unsubscribe(2, from: Self.tromso))
        expect(hub.unsubscribe(1, from: Self.tromso))
        expect(!hub.unsubscribe(1, from: Self.tromso))
        expectEqual(hub.removeSubscriber(1), 0)
        expectEqual(hub.removeSubscriber(99), 0)
    }

    @Test func topicsThatSubscribersBringIntoBeingAreLimited() throws {
        let hub = Self.hub(limits: HubLimits(unpublishedTopicsMax: 2))
        let third = Topic(trusted: "aurora:bergen")
        func subscribe(_ subscriber: Int32, _ topic: Topic) throws {
            _ = try hub.subscribe(subscriber, form: Self.text, to: topic, since: nil)
        }
        try subscribe(1, Self.tromso)
        try subscribe(2, Self.tromso)
        try subscribe(1, Self.oslo)
        #expect(throws: SubscribeError.tooManyTopics(limit: 2)) { try subscribe(1, third) }
        hub.publish(Publication(third, 1, cursor: 101))
        expect(hub.topics.contains(third), "publishing is not limited")
        try subscribe(1, third)
    }

    @Test func topicsWithPublicationsTakeNoPlaceOfThoseWithout() throws {
        let hub = Self.hub(limits: HubLimits(unpublishedTopicsMax: 1))
        let other = Topic(trusted: "aurora:bergen")
        for number in UInt64(1)...5 {
            hub.publish(Publication(Topic(trusted: "aurora:\(number)"), 1, cursor: 100 + number))
        }
        _ = try hub.subscribe(1, form: Self.text, to: Self.tromso, since: nil)
        #expect(throws: SubscribeError.tooManyTopics(limit: 1)) {
            try hub.subscribe(1, form: Self.text, to: other, since: nil)
        }
        hub.publish(Publication(Self.tromso, 1, cursor: 106))
        _ = try hub.subscribe(1, form: Self.text, to: other, since: nil)
        hub.removeSubscriber(1)
        _ = try hub.subscribe(2, form: Self.text, to: Self.oslo, since: nil)
        hub.use(HubLimits(unpublishedTopicsMax: 2))
        _ = try hub.subscribe(2, form: Self.text, to: other, since: nil)
    }

    @Test func restoredTopicWithoutPublicationsTakesNoPlace() throws {
        let hub = Self.hub(limits: HubLimits(unpublishedTopicsMax: 1))
        let isKnown = try hub.restore(
            Self.oslo,
            topOffset: 0,
            evictedOffset: 0,
            evictedCursor: 0,
            publications: []
        )
        expect(isKnown)
        _ = try hub.subscribe(1, form: Self.text, to: Self.tromso, since: nil)
        expectEqual(hub.topics, [Self.tromso])
    }

    @Test func heldListOfSubscribersDoesNotChange() throws {
        let hub = Self.hub()
        for subscriber in Int32(0)..<3 {
            _ = try hub.subscribe(subscriber, form: Self.text, to: Self.tromso, since: nil)
        }
        let held = hub.subscribers(of: Self.tromso, form: Self.text)
        hub.removeSubscriber(0)
        expectEqual(held, [0, 1, 2])
        expectEqual(hub.subscribers(of: Self.tromso, form: Self.text), [2, 1])
    }

    @Test func trimGoesThroughTheTopicsInTurn() {
        let hub = Self.hub()
        let topics = (0..<4).map { Topic(trusted: "aurora:\($0)") }
        for (index, topic) in topics.enumerated() {
            hub.publish(Publication(topic, 1, cursor: 101 + UInt64(index), seconds: 0))
        }
        let later = Timestamp(seconds: 61)
        hub.trim(now: later, topicCountMax: 3)
        expectEqual(topics.map { hub.history(of: $0)?.count }, [0, 0, 0, 1])
        hub.trim(now: later, topicCountMax: 3)
        expectEqual(topics.map { hub.history(of: $0)?.count }, [0, 0, 0, 0])
        hub.trim(now: later, topicCountMax: 0)
        hub.trim(now: later, topicCountMax: .max)
    }

    @Test func trimOfAnEmptyHubDoesNothing() {
        let hub = Self.hub()
        hub.trim(now: Timestamp(seconds: 0), topicCountMax: 10)
        expectEqual(hub.topicCount, 0)
    }

    @Test func publishTrapsUnlessTheCursorGrows() async {
        await #expect(processExitsWith: .failure) {
            let hub = LoopTopicsTests.hub()
            hub.publish(Publication(LoopTopicsTests.tromso, 1, cursor: 100))
        }
    }
}

@Suite("Hub, restored", .timeLimit(.minutes(10)))
struct RestoredHubTests {
    private let kept = [
        Publication(LoopTopicsTests.tromso, 3, cursor: 130),
        Publication(LoopTopicsTests.tromso, 4, cursor: 140),
    ]

    private func restore(_ hub: TestHub, topOffset: UInt64 = 4) throws(RestoreError) {
        try hub.restore(
            LoopTopicsTests.tromso,
            topOffset: topOffset,
            evictedOffset: 2,
            evictedCursor: 120,
            publications: kept
        )
    }

    @Test func subscriberResumesAcrossARestart() throws {
        let hub = LoopTopicsTests.hub()
        try restore(hub)
        try hub.restore(
            LoopTopicsTests.oslo,
            topOffset: 9,
            evictedOffset: 9,
            evictedCursor: 135,
            publications: []
        )
        expectEqual(hub.newestCursor, 140)
        expectEqual(hub.topicCount, 2)
        hub.publish(Publication(LoopTopicsTests.tromso, 5, cursor: 141))
        let subscribed = try hub.subscribe(
            1,
            form: LoopTopicsTests.text,
            to: LoopTopicsTests.tromso,
            since: Position(offset: 2, epoch: "e")
        )
        expectEqual(subscribed.recovery?.isComplete, true)
        expectEqual(subscribed.recovery?.publications.map(\.offset), [3, 4, 5])
    }

    @Test func topicWhoseNamespaceIsGoneIsNotRestoredButItsCursorCounts() throws {
        let hub = LoopTopicsTests.hub()
        let gone = Topic(trusted: "gone:a")
        try expectEqual(
            hub.restore(
                gone,
                topOffset: 1,
                evictedOffset: 1,
                evictedCursor: 170,
                publications: []
            ),
            false
        )
        expectEqual(hub.topicCount, 0)
        expectEqual(hub.newestCursor, 170)
    }

    @Test func topicIsRestoredOnce() throws {
        let hub = LoopTopicsTests.hub()
        try restore(hub)
        #expect(throws: RestoreError.restoredTwice) { try restore(hub) }
    }

    @Test func brokenHistoryIsRefused() {
        let hub = LoopTopicsTests.hub()
        #expect(throws: RestoreError.offsetAboveTop(4, topOffset: 3)) {
            try restore(hub, topOffset: 3)
        }
    }
}
