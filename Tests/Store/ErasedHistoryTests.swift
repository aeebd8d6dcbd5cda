import Expectations
import Foundation
import SeededRandom
import StoreTesting

@testable import Store

@Suite("Erased publications over time", .timeLimit(.minutes(10)))
struct ErasedHistoryTests {
    private let actors = ["a", "b", "c"]

    @Test(.needsFile) func offsetsAndCursorsGoOnAboveTheNewestThoughItWasErased() async throws {
        try await withDirectory { directory in
            let first = try openStore(directory)
            try await first.commit([event(radar, "1", by: "b"), event(radar, "2", by: "a")])
            let base = first.cursorBase
            _ = try await first.commit(Change(erasures: [erasure(radar, "a")]))
            let next = try await first.publish(event(radar, "3", by: "a"))
            expectEqual([next].publications.map(\.offset), [3])
            _ = try await first.commit(Change(erasures: [erasure(radar, "a")]))
            let copy = directory + "/killed"
            try copyStore(directory, to: copy)
            try await first.close()

            let second = try openStore(copy)
            expectEqual(second.epoch, first.epoch)
            expectEqual(second.memoryCursorBase, base + 3)
            let topic = try await second.loadAll()[0]
            expectEqual(topic.topOffset, 3)
            expectEqual(topic.publications.map(text), ["1"])
            let last = [try await second.publish(event(radar, "4"))].publications
            expectEqual(last.map(\.offset), [4])
            expectEqual(last.map(\.cursor), [base + 4])
            try await second.close()
        }
    }

    @Test func topicOfWhichEverythingIsErasedKeepsItsPlace() async throws {
        try await withDirectory { directory in
            let first = try openStore(directory)
            try await first.commit([event(radar, "1", by: "a"), event(radar, "2", by: "a")])
            _ = try await first.commit(Change(erasures: [erasure(radar, "a")]))
            let removal = try await first.removeHistory(of: radar)
            expectNil(removal, "there is nothing left")
            try await first.close()
            let second = try openStore(directory)
            let stored = try await second.loadAll()[0]
            expectEqual(stored.topOffset, 2)
            expectEqual(stored.evictedOffset, 0)
            expect(stored.publications.isEmpty)
            expectEqual([try await second.publish(event(radar, "3"))].publications[0].offset, 3)
            try await second.close()
        }
    }

    @Test func erasedOnesTakePartInTheLimitOfCount() async throws {
        try await withStore { store in
            try await store.commit("abcab".map { event(radar, "\($0)", by: "\($0)") })
            _ = try await store.commit(Change(erasures: [erasure(radar, "b")]))
            let limit = HistoryLimit(count: 3, age: nil)
            let loaded = try await store.loadTopics(now: startOfTests) { _ in limit }[0]
            expectEqual(loaded.publications.map(\.offset), [3, 4])
            expectEqual(loaded.evictedOffset, 1)
            expectEqual(loaded.evictedCursor, store.cursorBase + 1)
            let deleted = try await store.trimPublications(now: startOfTests) { _ in limit }
            expectEqual(deleted, 1, "what the limit keeps does not depend on who is left")
            let trimmed = try await store.loadAll()[0]
            expectEqual(trimmed.publications.map(\.offset), [3, 4])
            expectEqual(trimmed.topOffset, 5)
            expectEqual(trimmed.evictedOffset, 1)
        }
    }

    @Test func rowsThatWaitForATrimAreErasedToo() async throws {
        try await withStore { store in
            try await store.commit([event(radar, "1", by: "a"), event(radar, "2", by: "b")])
            try await store.removeHistory(of: radar)
            _ = try await store.commit(Change(erasures: [erasure(radar, "a")]))
            try expectEqual(store.rowCounts()["publication"], 1)
            let topic = try await store.loadAll()[0]
            expectEqual(topic.topOffset, 2)
            expectEqual(topic.evictedOffset, 2)
            expect(topic.publications.isEmpty)
        }
    }

    @Test func trimThatFoundWhatIsErasedMeanwhileHarmsNothing() async throws {
        try await withStore { store in
            try await store.commit("aabc".map { event(radar, "\($0)", by: "\($0)") })
            _ = try await store.commit(Change(erasures: [erasure(radar, "a")]))
            // A trim that looked before the erasure.
            _ = try await store.write { database in
                try database.run(SQL.deletePublications, [1, 2])
                try database.run(SQL.updateEvicted, [2, Int64(store.cursorBase) + 2, 0, 1, 2])
                return Written()
            }
            let topic = try await store.loadAll()[0]
            expectEqual(topic.publications.map(text), ["b", "c"])
            expectEqual(topic.evictedOffset, 2)
        }
    }

    @Test(.needsFile) func noByteOfItIsLeftInTheFile() async throws {
        try await withDirectory { directory in
            let store = try openStore(directory)
            let secret = "A secret that nobody may find again."
            // Longer than a page, and within one.
            let long = String(repeating: secret, count: 500)
            try await store.commit([
                event(radar, secret, by: "a"), event(radar, long, by: "a"),
                event(radar, "stays", by: "b"),
            ])
            try await store.checkpoint()
            func holdsSecret() throws -> Bool {
                let file = try Data(contentsOf: URL(fileURLWithPath: store.path))
                return file.range(of: Data(secret.utf8)) != nil
            }
            try expect(holdsSecret())
            _ = try await store.commit(Change(erasures: [erasure(radar, "a")]))
            try await store.checkpoint()
            try expect(!holdsSecret())
            expectEqual(store.fileLengths.log, 0)
            try await store.close()
        }
    }

    /// Random publications, erasures, trims and restarts: what the store has is what a loop has
    /// that was told of it all.
    @Test(arguments: [UInt64(1), 2, 3, 4, 5, 6])
    func restartGivesThePictureThatTheLoopsHad(seed: UInt64) async throws {
        try await withDirectory { directory in
            var random = SeededGenerator(seed: seed)
            let limit = HistoryLimit(
                count: Int.random(in: 0...8, using: &random),
                age: .seconds(40)
            )
            var store = try openStore(directory)
            var history = TopicHistory(epoch: store.epoch, limit: limit)
            var erased: Set<UInt64> = []
            for step in 0..<120 {
                let now = startOfTests + .seconds(step)
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<6:
                    var event = event(radar, "\(step)", by: actors.randomElement(using: &random)!)
                    event.time = now
                    let outcome = try await store.publish(event)
                    history.append([outcome].publications[0])
                case 6..<8:
                    let before = history.newest(.max).map(\.offset)
                    let erasure = erasure(radar, actors.randomElement(using: &random)!)
                    _ = try await store.commit(Change(erasures: [erasure]))
                    history.erase(erasure)
                    erased.formUnion(Set(before).subtracting(history.newest(.max).map(\.offset)))
                case 8: try await store.trimPublications(now: now) { _ in limit }
                default:
                    try await store.close()
                    store = try openStore(directory)
                }
                history.trim(now: now)
                guard let stored = try await store.loadTopics(now: now, limit: { _ in limit }).first
                else { continue }
                expectEqual(stored.topOffset, history.topOffset, "seed \(seed)")
                expectEqual(stored.publications, history.newest(.max), "seed \(seed)")
                // What was evicted and erased after that is a loss to the loop alone, which does
                // not know.
                expect(stored.evictedOffset <= history.evictedOffset, "seed \(seed)")
                expect(stored.evictedCursor <= history.evictedCursor, "seed \(seed)")
            }
            expect(!erased.isEmpty || limit.count == 0, "seed \(seed): nothing was erased")
            try await store.close()
        }
    }
}
