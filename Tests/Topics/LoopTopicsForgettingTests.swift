import Expectations
import Topics

@Suite("Hub: topics that are forgotten", .timeLimit(.minutes(10)))
struct LoopTopicsForgettingTests {
    static let tromso = Topic(trusted: "aurora:tromso")
    static let oslo = Topic(trusted: "aurora:oslo")
    static let chat = Topic(trusted: "chat:room")
    static let text = WireForm(rawValue: 0)

    static func hub(forgotten: ForgottenCursors = ForgottenCursors()) -> TestHub {
        let limit = HistoryLimit(count: 3, age: nil)
        return TestHub(namespaces: ["aurora": limit, "chat": limit], forgotten: forgotten)
    }

    /// A hub that has had one publication of Tromsø, at cursor 101, and has forgotten it.
    static func forgetfulHub() -> TestHub {
        let hub = hub()
        hub.publish(Publication(tromso, 1, cursor: 101))
        hub.removeHistory(of: tromso, through: 1)
        hub.forget(tromso, throughCursor: 101)
        return hub
    }

    @Test func forgottenTopicIsNotThere() {
        let hub = Self.forgetfulHub()
        expectEqual(hub.topicCount, 0)
        expectNil(hub.history(of: Self.tromso))
        expectEqual(hub.newestCursor, 101)
    }

    @Test func topicIsUnusedWithoutSubscribersAndKnownByItsNamespace() throws {
        let hub = Self.hub()
        expect(hub.isUnused(Self.tromso))
        hub.publish(Publication(Self.tromso, 1, cursor: 101))
        expect(hub.isUnused(Self.tromso))
        _ = try hub.subscribe(4, form: Self.text, to: Self.tromso, since: nil)
        expect(!hub.isUnused(Self.tromso))
        expect(!hub.isUnused(Topic(trusted: "unknown:1")))
    }

    @Test func epochIsTheStoresWhileNothingWasForgotten() {
        let hub = Self.hub()
        expectEqual(hub.position(of: Self.tromso), Position(offset: 0, epoch: "e"))
        hub.publish(Publication(Self.tromso, 1, cursor: 105))
        expectEqual(hub.position(of: Self.tromso), Position(offset: 1, epoch: "e"))
    }

    @Test func topicThatComesBackBeginsInAnotherEpoch() throws {
        let hub = Self.forgetfulHub()
        hub.publish(Publication(Self.tromso, 1, cursor: 110))
        expectEqual(hub.position(of: Self.tromso), Position(offset: 1, epoch: "e-109"))
        for offset in UInt64(0)...1 {
            let since = Position(offset: offset, epoch: "e")
            let subscribed = try hub.subscribe(
                Int32(offset),
                form: Self.text,
                to: Self.tromso,
                since: since
            )
            expectEqual(subscribed.recovery, .otherEpoch)
        }
    }

    @Test func otherNamespacesKeepTheirEpoch() {
        let hub = Self.forgetfulHub()
        hub.publish(Publication(Self.chat, 1, cursor: 110))
        expectEqual(hub.position(of: Self.chat).epoch, "e")
        hub.publish(Publication(Self.oslo, 1, cursor: 111))
        expectEqual(hub.position(of: Self.oslo).epoch, "e-110", "of the same namespace")
    }

    @Test func positionOfTopicWithoutPublicationsIsGoodForThoseThatCome() throws {
        let hub = Self.forgetfulHub()
        let began = try hub.subscribe(1, form: Self.text, to: Self.oslo, since: nil)
        expectEqual(began.position, Position(offset: 0, epoch: "e-101"))
        hub.publish(Publication(Self.chat, 1, cursor: 120))
        let first = Publication(Self.oslo, 1, cursor: 130)
        let second = Publication(Self.oslo, 2, cursor: 131)
        hub.publish(first)
        hub.publish(second)
        expectEqual(hub.position(of: Self.oslo).epoch, "e-129")
        let seen = Position(offset: 1, epoch: began.position.epoch)
        let back = try hub.subscribe(2, form: Self.text, to: Self.oslo, since: seen)
        expectEqual(back.recovery, .complete([second]))
        expectEqual(back.position, Position(offset: 2, epoch: "e-129"))
        let beyond = Position(offset: 3, epoch: began.position.epoch)
        let never = try hub.subscribe(3, form: Self.text, to: Self.oslo, since: beyond)
        expectEqual(never.recovery, .otherEpoch)
    }

    @Test func positionIsNoneOfAHistoryThatBeganBeforeIt() throws {
        let hub = Self.forgetfulHub()
        hub.publish(Publication(Self.oslo, 1, cursor: 110))
        for epoch in ["e-110", "e-111", "e-100", "e-0", "e-+109", "e-0109", "e-", "f-109", "e"] {
            let position = Position(offset: 0, epoch: epoch)
            expectEqual(hub.renamed(position, of: Self.oslo), position, "\(epoch)")
        }
        let good = Position(offset: 0, epoch: "e-101")
        expectEqual(hub.renamed(good, of: Self.oslo).epoch, "e-109")
    }

    /// Between that position and the history that is there, there was another one.
    @Test func positionOfBeforeAForgottenHistoryIsNoneOfTheNext() throws {
        let hub = Self.forgetfulHub()
        let empty = hub.position(of: Self.oslo)
        hub.publish(Publication(Self.oslo, 1, cursor: 110))
        let former = hub.position(of: Self.oslo)
        hub.removeHistory(of: Self.oslo, through: 1)
        hub.forget(Self.oslo, throughCursor: 110)
        for position in [empty, former] {
            let subscribed = try hub.subscribe(
                1,
                form: Self.text,
                to: Self.oslo,
                since: position
            )
            expectEqual(subscribed.recovery, .otherEpoch, "before the first publication")
            hub.unsubscribe(1)
        }
        hub.publish(Publication(Self.oslo, 1, cursor: 120))
        for position in [empty, former] {
            let subscribed = try hub.subscribe(
                1,
                form: Self.text,
                to: Self.oslo,
                since: position
            )
            expectEqual(subscribed.recovery, .otherEpoch)
            hub.unsubscribe(1)
        }
    }

    @Test func subscribersOfATopicThatIsForgottenGetWhatItBeginsWith() throws {
        let hub = Self.hub()
        hub.publish(Publication(Self.tromso, 1, cursor: 101))
        hub.removeHistory(of: Self.tromso, through: 1)
        _ = try hub.subscribe(4, form: Self.text, to: Self.tromso, since: nil)
        hub.forget(Self.tromso, throughCursor: 101)
        expectEqual(hub.subscribers(of: Self.tromso), [4])
        expectEqual(hub.position(of: Self.tromso), Position(offset: 0, epoch: "e-101"))
        expect(hub.publish(Publication(Self.tromso, 1, cursor: 102)))
        expectEqual(hub.position(of: Self.tromso), Position(offset: 1, epoch: "e-101"))
    }

    @Test func streamOfBeforeIsToldAGapInTopicsThatBeginLater() throws {
        let hub = Self.forgetfulHub()
        let topics = [Self.tromso, Self.oslo, Self.chat]
        let before = hub.publications(of: topics, afterCursor: 100)
        let gap = StreamGap(reason: .evicted, topics: [Self.tromso, Self.oslo], through: 101)
        expectEqual(before.gaps, [gap])
        let after = hub.publications(of: topics, afterCursor: 101)
        expect(after.gaps.isEmpty)
        let publication = Publication(Self.tromso, 1, cursor: 110)
        hub.publish(publication)
        let later = hub.publications(of: topics, afterCursor: 100)
        expectEqual(later.gaps, [gap])
        expectEqual(later.publications, [publication])
    }

    @Test func restoredHubGoesOnWithTheEpochsAndWithWhatIsForgotten() throws {
        var forgotten = ForgottenCursors()
        forgotten.add(ForgottenTopic(Self.tromso, throughCursor: 101))
        let hub = Self.hub(forgotten: forgotten)
        expectEqual(hub.newestCursor, 101, "given out, though nothing that is left has it")
        let first = Publication(Self.oslo, 1, cursor: 110)
        try hub.restore(
            Self.oslo,
            beginning: 109,
            topOffset: 1,
            evictedOffset: 0,
            evictedCursor: 101,
            publications: [first]
        )
        let since = Position(offset: 0, epoch: "e-105")
        let subscribed = try hub.subscribe(1, form: Self.text, to: Self.oslo, since: since)
        expectEqual(subscribed.recovery, .complete([first]))
        expectEqual(subscribed.position.epoch, "e-109")
        hub.publish(Publication(Self.tromso, 1, cursor: 111))
        expectEqual(hub.position(of: Self.tromso).epoch, "e-110")
    }

    @Test func forgottenTopicsAreCountedAmongThoseWithoutPublications() throws {
        let hub = Self.hub()
        hub.use(HubLimits(unpublishedTopicsMax: 1))
        hub.publish(Publication(Self.tromso, 1, cursor: 101))
        _ = try hub.subscribe(1, form: Self.text, to: Self.tromso, since: nil)
        hub.forget(Self.tromso, throughCursor: 101)
        #expect(throws: SubscribeError.tooManyTopics(limit: 1)) {
            try hub.subscribe(1, form: Self.text, to: Self.oslo, since: nil)
        }
        hub.publish(Publication(Self.tromso, 1, cursor: 102))
        _ = try hub.subscribe(1, form: Self.text, to: Self.oslo, since: nil)
    }
}

extension TestHub {
    fileprivate func unsubscribe(_ subscriber: Int32) { removeSubscriber(subscriber) }
}
