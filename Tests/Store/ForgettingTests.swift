import Expectations
import GRDB
import StoreTesting

@testable import Store

@Suite("Topics that are forgotten", .timeLimit(.minutes(10)))
struct ForgettingTests {
    private static let quietTime = Duration.seconds(1000)

    /// Deletes what is kept, and forgets what is quiet at that time.
    @discardableResult
    private func forget(
        _ store: HubStore,
        at seconds: Int,
        quietTime: @escaping @Sendable (Topic) -> Duration? = { _ in Self.quietTime },
        unused: ([Topic]) async -> [Topic] = { $0 }
    ) async throws -> Int {
        let now = startOfTests + .seconds(seconds)
        try await store.trimPublications(now: now) { _ in HistoryLimit(count: 9, age: .seconds(10))
        }
        return try await store.forgetTopics(now: now, quietTime: quietTime, unused: unused)
    }

    private func place(_ outcome: EventOutcome) -> Position {
        switch outcome {
        case .published(let publication, let epoch):
            Position(offset: publication.offset, epoch: epoch.text)
        case .duplicate(let position), .stale(let position): position
        case .refused: Position(offset: 0, epoch: "refused")
        }
    }

    @Test(arguments: [radar, chat])
    func topicIsForgottenAfterItsTimeAndNotBefore(_ topic: Topic) async throws {
        try await withStore(isDurable: isDurable) { store in
            try await store.commit([event(topic, "a"), event(topic, "b", at: 5)])
            try await expectEqual(forget(store, at: 1005), 0, "exactly as old")
            try await expectEqual(forget(store, at: 1006, quietTime: { _ in nil }), 0)
            try await expectEqual(forget(store, at: 1006), 1)
            expectEqual(store.statistics.topicsForgotten, 1)
            try await expectEqual(forget(store, at: 1006), 0)
            try expectEqual(store.rowCounts()["topic"], 0)
        }
    }

    @Test(arguments: [radar, chat])
    func topicThatComesBackBeginsInAnotherEpoch(_ topic: Topic) async throws {
        try await withStore(isDurable: isDurable) { store in
            let first = place(try await store.publish(event(topic, "a")))
            let epoch = isDurable(topic) ? store.epoch : store.memoryEpoch
            expectEqual(first, Position(offset: 1, epoch: epoch))
            try await forget(store, at: 2000)
            let outcome = try await store.publish(event(topic, "b", at: 2000))
            let cursor = [outcome].publications[0].cursor
            expectEqual(place(outcome), Position(offset: 1, epoch: "\(epoch)-\(cursor - 1)"))
            let second = place(try await store.publish(event(topic, "c", at: 2000)))
            expectEqual(second, Position(offset: 2, epoch: "\(epoch)-\(cursor - 1)"))
        }
    }

    @Test(arguments: [radar, chat])
    func topicThatSomebodyUsesStays(_ topic: Topic) async throws {
        try await withStore(isDurable: isDurable) { store in
            _ = try await store.publish(event(topic, "a"))
            let asked = Locked<[Topic]>([])
            let count = try await forget(
                store,
                at: 2000,
                unused: { topics in
                    asked.withLock { $0 = topics }
                    return []
                }
            )
            expectEqual(count, 0)
            expectEqual(asked.withLock { $0 }, [topic])
            let next = place(try await store.publish(event(topic, "b", at: 2000)))
            expectEqual(next.offset, 2)
        }
    }

    /// The loops have said that nobody is there; then somebody publishes.
    @Test(arguments: [radar, chat])
    func topicThatSpeaksWhileTheLoopsAreAskedStays(_ topic: Topic) async throws {
        try await withStore(isDurable: isDurable) { store in
            _ = try await store.publish(event(topic, "a"))
            let count = try await forget(
                store,
                at: 2000,
                unused: { topics in
                    _ = try? await store.publish(event(topic, "b", at: 2000))
                    return topics
                }
            )
            expectEqual(count, 0)
            let next = place(try await store.publish(event(topic, "c", at: 2000)))
            expectEqual(next.offset, 3)
        }
    }

    @Test func topicWithRowsStaysHoweverOldTheyAre() async throws {
        try await withStore { store in
            _ = try await store.publish(event(radar, "a"))
            let count = try await store.forgetTopics(
                now: startOfTests + .seconds(100_000),
                quietTime: { _ in Self.quietTime },
                unused: { $0 }
            )
            expectEqual(count, 0)
            try await expectEqual(store.loadAll().flatMap(\.publications).map(text), ["a"])
        }
    }

    @Test func handlersAreToldInTheOrderOfCommits() async throws {
        try await withStore { store in
            let told = Locked<[String]>([])
            store.observe(\.committed) { publications in
                told.withLock { $0 += publications.map(text) }
            }
            store.observe(\.forgot) { topics in
                told.withLock { $0 += topics.map { "forgot \($0.topic) \($0.throughCursor)" } }
            }
            let cursor = store.cursorBase
            _ = try await store.publish(event(radar, "a"))
            try await forget(store, at: 2000)
            _ = try await store.publish(event(radar, "b", at: 2000))
            expectEqual(told.withLock { $0 }, ["a", "forgot \(radar) \(cursor + 1)", "b"])
        }
    }

    @Test func versionsAndKeysGoWithTheirTopic() async throws {
        try await withStore(isDurable: isDurable) { store in
            for topic in [radar, chat] {
                var first = event(topic, "a")
                first.idempotencyKey = "k"
                first.version = EventVersion(number: 7)
                _ = try await store.publish(first)
            }
            try await expectEqual(forget(store, at: 2000), 2)
            let counts = try store.rowCounts()
            expectEqual(counts["version"], 0)
            expectEqual(counts["idempotency"], 0)
            for topic in [radar, chat] {
                var again = event(topic, "b", at: 2000)
                again.idempotencyKey = "k"
                again.version = EventVersion(number: 1)
                expectEqual(place(try await store.publish(again)).offset, 1)
            }
        }
    }

    /// However soon topics are forgotten: two events with one key are not published.
    @Test(arguments: [radar, chat])
    func idempotencyKeyIsRememberedForItsTime(_ topic: Topic) async throws {
        try await withStore(isDurable: isDurable) { store in
            var keyed = event(topic, "a")
            keyed.idempotencyKey = "k"
            _ = try await store.publish(keyed)
            let soon: @Sendable (Topic) -> Duration? = { _ in .seconds(20) }
            try await expectEqual(forget(store, at: 300, quietTime: soon), 0)
            keyed.time = startOfTests + .seconds(300)
            expectEqual(place(try await store.publish(keyed)).offset, 1)
            expectEqual(store.statistics.duplicates, 1)
            try await expectEqual(forget(store, at: 301, quietTime: soon), 1)
        }
    }

    /// An event outside of the history leaves no publication, but a version that is in use.
    @Test(arguments: [radar, chat])
    func topicOfEventsOutsideOfTheHistoryStaysWhileTheyCome(_ topic: Topic) async throws {
        try await withStore(isDurable: isDurable) { store in
            for number in 0...2 {
                var passing = event(topic, "a", at: 600 * number)
                passing.keepsHistory = false
                passing.version = EventVersion(number: UInt64(number) + 1)
                _ = try await store.publish(passing)
                try await expectEqual(forget(store, at: 600 * number + 500), 0)
            }
            var stale = event(topic, "b", at: 1700)
            stale.version = EventVersion(number: 3)
            try await expectEqual(store.publish(stale), .stale(place(of: topic, in: store)))
            try await expectEqual(forget(store, at: 2201), 1)
        }
    }

    private func place(of topic: Topic, in store: HubStore) -> Position {
        Position(offset: 0, epoch: isDurable(topic) ? store.epoch : store.memoryEpoch)
    }

    @Test func timeOfTheLastPublicationOutlivesItHoweverItWent() async throws {
        try await withStore { store in
            for (topic, second) in [(radar, 100), (news, 200)] {
                var tagged = event(topic, "a", at: second)
                tagged.tags = ["by": "kari"]
                _ = try await store.publish(tagged)
            }
            try await store.removeHistory(of: radar)
            let erasure = Erasure(topic: news, tag: "by", value: "kari")
            _ = try await store.commit(Change(erasures: [erasure]))
            try await expectEqual(forget(store, at: 1100), 0)
            try await expectEqual(forget(store, at: 1101), 1)
            try await expectEqual(store.loadAll().map(\.topic), [news])
            try await expectEqual(forget(store, at: 1200), 0)
            try await expectEqual(forget(store, at: 1201), 1)
        }
    }

    @Test func roomOfForgottenTopicsInMemoryIsForOthers() async throws {
        let limits = StoreLimits(memoryTopicsMax: 1)
        try await withStore(isDurable: isDurable, limits: limits) { store in
            _ = try await store.publish(event(chat, "a"))
            let other = event(Topic(trusted: "chat:2"), "b", at: 2000)
            await #expect(throws: StoreError.self) { try await store.publish(other) }
            try await expectEqual(forget(store, at: 2000), 1)
            expectEqual(place(try await store.publish(other)).offset, 1)
        }
    }

    @Test func manyTopicsAreForgottenInSmallTransactions() async throws {
        try await withStore { store in
            let count = 600
            for first in stride(from: 0, to: count, by: 100) {
                let events = (first..<first + 100).map { event(Topic(trusted: "room:\($0)"), "a") }
                _ = try await store.commit(Change(events: events))
            }
            let told = Locked<[Int]>([])
            store.observe(\.forgot) { topics in told.withLock { $0.append(topics.count) } }
            try await expectEqual(forget(store, at: 2000), count)
            expectEqual(told.withLock { $0 }, [256, 256, 88])
            try expectEqual(store.rowCounts()["topic"], 0)
            try expectEqual(store.rowCounts()["forgotten"], 1)
        }
    }

    @Test func storeThatFailsForgetsNothing() async throws {
        try await withStore { store in
            _ = try await store.publish(event(radar, "a"))
            await #expect(throws: StoreError.self) {
                try await forget(
                    store,
                    at: 2000,
                    unused: { topics in
                        try? await store.setQueryOnly(true)
                        return topics
                    }
                )
            }
            try await store.setQueryOnly(false)
            expectEqual(place(try await store.publish(event(radar, "b", at: 2000))).offset, 2)
            expectEqual(store.statistics.topicsForgotten, 0)
        }
    }

    // MARK: Over a restart

    @Test func storeThatIsOpenedAgainKnowsWhatWasForgotten() async throws {
        try await withDirectory { directory in
            let first = try openStore(directory)
            _ = try await first.publish(event(radar, "a"))
            let last = first.cursorBase + 1
            try await forget(first, at: 2000)
            let back = try await first.publish(event(radar, "b", at: 2000))
            try await forget(first, at: 2001)
            try await first.close()

            let second = try openStore(directory)
            let cursors = second.forgotten
            expectEqual(cursors[radar], last)
            expectEqual(cursors[news], 0)
            let loaded = try await second.loadAll()
            expectEqual(loaded.map(\.topic), [radar])
            expectEqual(loaded[0].beginning, [back].publications[0].cursor - 1)
            expectEqual(loaded[0].evictedCursor, last, "a stream of before is told a gap")
            let next = place(try await second.publish(event(radar, "c", at: 2000)))
            expectEqual(next, Position(offset: 2, epoch: place(back).epoch))
            try await second.close()
        }
    }

    @Test func cursorOfAForgottenTopicIsNotGivenAgain() async throws {
        try await withDirectory { directory in
            let first = try openStore(directory)
            let published = try await first.publish(event(radar, "a"))
            try await forget(first, at: 2000)
            try await first.close()
            let second = try openStore(directory)
            expectEqual(second.memoryCursorBase, [published].publications[0].cursor)
            try await second.close()
        }
    }

    @Test func otherEpochOfTheStoreIsThatOfTheTopicToo() async throws {
        try await withDirectory { directory in
            let first = try openStore(directory)
            _ = try await first.publish(event(radar, "a"))
            try await forget(first, at: 2000)
            let back = place(try await first.publish(event(radar, "b", at: 2000)))
            try await first.close()
            let second = try openStore(directory, startsNewEpoch: true, newEpoch: "epoch-2")
            let next = place(try await second.publish(event(radar, "c", at: 2000)))
            let beginning = back.epoch.dropFirst("epoch-1".count)
            expectEqual(next, Position(offset: 2, epoch: "epoch-2" + beginning))
            try await second.close()
        }
    }
}
