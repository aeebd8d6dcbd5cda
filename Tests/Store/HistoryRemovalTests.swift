import Expectations
import StoreTesting

@testable import Store

@Suite("Removing a history", .timeLimit(.minutes(10)))
struct HistoryRemovalTests {
    @Test func publicationsAreGoneAndOffsetsGoOn() async throws {
        try await withStore { store in
            try await store.commit((1...3).map { event(radar, "\($0)") } + [event(news, "n")])
            let removal = try await store.removeHistory(of: radar)
            let base = store.cursorBase
            expectEqual(
                removal,
                HistoryRemoval(topic: radar, throughOffset: 3, throughCursor: base + 3)
            )
            let empty = try await require(store.history(of: radar, count: 5))
            expect(empty.publications.isEmpty)
            expectEqual(empty.topOffset, 3)
            expectEqual(empty.evictedCursor, base + 3)
            let next = try await store.publish(event(radar, "4"))
            expectEqual([next].publications.map(\.offset), [4])
            let topics = try await store.loadAll()
            expectEqual(topics.map { $0.publications.map(text) }, [["4"], ["n"]])
            expectEqual(topics[0].evictedCursor, base + 3)
        }
    }

    @Test(.needsFile) func removalOutlivesTheProcessAndTheTrimDeletesTheRows() async throws {
        try await withDirectory { directory in
            let first = try openStore(directory)
            try await first.commit((1...5).map { event(radar, "\($0)") })
            try await first.removeHistory(of: radar)
            try expectEqual(first.rowCounts()["publication"], 5, "deleted by the trim")
            let copy = directory + "/killed"
            try copyStore(directory, to: copy)
            try await first.close()

            let second = try openStore(copy, limits: StoreLimits(trimRowsMax: 2))
            try await expect(second.loadAll()[0].publications.isEmpty)
            let next = try await second.publish(event(radar, "6"))
            expectEqual([next].publications.map(\.offset), [6])
            let deleted = try await second.trimPublications(now: startOfTests) { _ in nil }
            expectEqual(deleted, 5, "though the topic has no limit")
            try expectEqual(second.rowCounts()["publication"], 1)
            try await expectEqual(second.loadAll()[0].publications.map(text), ["6"])
            try await second.close()
        }
    }

    @Test func cutShortTrimLeavesTheRemovalAsItIs() async throws {
        try await withStore(limits: StoreLimits(trimRowsMax: 2)) { store in
            try await store.commit((1...5).map { event(radar, "\($0)") })
            // A trim that found its rows before the removal, and deletes them after it.
            try await store.removeHistory(of: radar)
            _ = try await store.write { database in
                let base = Int64(store.cursorBase)
                try database.run(SQL.deletePublications, [1, 2])
                try database.run(SQL.updateEvicted, [2, base + 2, 0, 1, 2])
                return Written()
            }
            let topic = try await store.loadAll()[0]
            expectEqual(topic.topOffset, 5)
            expect(topic.publications.isEmpty)
            expectEqual(topic.evictedCursor, store.cursorBase + 5)
        }
    }

    @Test func handlersHearOfCommitsAndRemovalsInOneOrder() async throws {
        try await withStore(isDurable: isDurable) { store in
            let heard = Locked<[String]>([])
            let log = CommitLog()
            store.observe(\.committed) { publications in
                if publications.map(text) == ["holds"] { return log.holdingHandler(publications) }
                heard.withLock { $0.append(publications.map(text).joined()) }
            }
            store.observe(\.removed) { removal in
                heard.withLock { $0.append("\(removal.topic) through \(removal.throughOffset)") }
            }
            // What waits while the writer is held becomes one transaction.
            store.commit(Change(events: [event(news, "holds")])) { _ in }
            while log.publications.isEmpty { await Task.yield() }
            for text in ["a", "b"] {
                store.commit(Change(events: [event(radar, text), event(chat, text)])) { _ in }
            }
            let removals = [radar, chat, Topic(trusted: "never")]
            var tasks: [Task<HistoryRemoval?, any Error>] = []
            for (index, topic) in removals.enumerated() {
                tasks.append(Task { try await store.removeHistory(of: topic) })
                while store.statistics.writesWaiting < 3 + index { await Task.yield() }
            }
            store.commit(Change(events: [event(radar, "c")])) { _ in }
            log.open()
            for task in tasks { _ = try await task.value }
            try await store.checkWritable()
            expectEqual(
                heard.withLock { $0 },
                [
                    "aabb", "radar:1 through 2", "chat:1 through 2", "c",
                ]
            )
        }
    }

    @Test(arguments: Home.allCases)
    func topicWithoutAHistoryHasNothingToRemove(_ home: Home) async throws {
        try await withStore(isDurable: isDurable) { store in
            store.observe(\.removed) { _ in Issue.record("nothing was removed") }
            let never = try await store.removeHistory(of: home.topic)
            expectNil(never)
            var passing = event(home.topic, "outside of the history")
            passing.keepsHistory = false
            _ = try await store.publish(passing)
            let still = try await store.removeHistory(of: home.topic)
            expectNil(still)
        }
    }

    @Test func historyInMemoryIsRemovedWithoutATransaction() async throws {
        try await withStore(isDurable: isDurable) { store in
            let heard = Locked<[HistoryRemoval]>([])
            store.observe(\.removed) { removal in heard.withLock { $0.append(removal) } }
            try await store.commit([event(chat, "a"), event(chat, "b"), event(radar, "c")])
            let before = store.statistics.transactions
            let removal = try await store.removeHistory(of: chat)
            let through = HistoryRemoval(
                topic: chat,
                throughOffset: 2,
                throughCursor: store.cursorBase + 2
            )
            expectEqual(removal, through)
            expectEqual(heard.withLock { $0 }, [through])
            expectEqual(store.statistics.transactions, before)
            let next = try await store.publish(event(chat, "d"))
            expectEqual([next].publications.map(\.offset), [3])
        }
    }

    @Test func failedRemovalLeavesTheHistory() async throws {
        try await withStore { store in
            store.observe(\.removed) { _ in Issue.record("nothing was removed") }
            _ = try await store.publish(event(radar, "a"))
            try await store.setQueryOnly(true)
            let error = await #expect(throws: StoreError.self) {
                try await store.removeHistory(of: radar)
            }
            expectEqual(error?.code, .readOnly)
            try await store.setQueryOnly(false)
            try await expectEqual(store.loadAll()[0].publications.map(text), ["a"])
        }
    }
}
