import Expectations
import Foundation
import GRDB
import StoreTesting

@testable import Store

@Suite("When the file fails", .timeLimit(.minutes(10)))
struct FailureTests {
    @Test(.needsFile) func fullDiskIsToldAndTheStoreRecoversWithIt() async throws {
        try await withStore { store in
            let log = CommitLog()
            store.observe(\.committed) { log.append($0) }
            try await store.commit([event(radar, "a")])
            try await store.limitPages(by: "(SELECT page_count FROM pragma_page_count)")
            let big = event(radar, String(repeating: "x", count: 100_000))
            for _ in 0..<2 {
                let error = await #expect(throws: StoreError.self) { try await store.publish(big) }
                expectEqual(error?.code, .diskFull)
            }
            expectEqual(store.health.refusal, "disk is full")
            await store.probeIfFailing()
            expect(store.health != .ok, "the disk is full for the probe, too")

            try await store.limitPages(by: "1000000")
            try await expectRecovery(store, log)
        }
    }

    @Test(.needsFile) func writeLockOfAnotherProcessIsToldAndTheStoreRecoversAfterIt() async throws
    {
        try await withStore { store in
            let log = CommitLog()
            store.observe(\.committed) { log.append($0) }
            try await store.commit([event(radar, "a")])
            var configuration = Configuration()
            configuration.allowsUnsafeTransactions = true
            let other = try DatabaseQueue(path: store.path, configuration: configuration)
            try await other.writeWithoutTransaction { database in
                try database.execute(sql: "BEGIN IMMEDIATE")
            }
            let error = await #expect(throws: StoreError.self) {
                try await store.publish(event(radar, "lost"))
            }
            expectEqual(error?.code, .locked)
            expectEqual(store.health.refusal, "database is held by another process")
            await store.probeIfFailing()
            expect(store.health != .ok)

            try await other.writeWithoutTransaction { database in
                try database.execute(sql: "ROLLBACK")
            }
            try other.close()
            try await expectRecovery(store, log)
        }
    }

    /// The log may not grow beyond a length: `write` fails with EFBIG in the middle of a commit,
    /// which is a failure of input or output for SQLite. In a process of its own, because the limit
    /// holds for every file.
    @Test(.needsFile) func commitThatFailsHalfWrittenIsToldAndTheStoreRecovers() async {
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            try await withStore { store in
                let log = CommitLog()
                store.observe(\.committed) { log.append($0) }
                try await store.commit([event(radar, "a")])
                let length = store.fileLengths.log
                // Room for some pages of the commit, not for all.
                limitFiles(to: length + 10_000)
                let texts = ["b", String(repeating: "x", count: 50_000), "c"]
                let change = Change(events: texts.map { event(radar, $0) })
                for _ in 0..<2 {
                    do {
                        _ = try await store.commit(change)
                        fatalError("committed beyond the limit")
                    } catch let error as StoreError {
                        precondition(error.code == .ioFailed, "\(error)")
                    }
                }
                precondition(store.health.refusal == "input or output failed")
                await store.probeIfFailing()
                precondition(store.health != .ok)
                precondition(log.publications.map(text) == ["a"])

                limitFiles(to: nil)
                await store.probeIfFailing()
                precondition(store.health == .ok)
                let published = try await store.commit(change).publications
                precondition(published.map(\.offset) == [2, 3, 4])
                precondition(published[0].cursor == store.cursorBase + 2)
                let stored = try await store.loadAll()[0].publications
                precondition(stored == log.publications)
            }
        }
    }

    @Test(.needsFile) func damagedPageFailsTheChangeThatNeedsIt() async throws {
        try await withDirectory { directory in
            let first = try openStore(directory)
            try await first.commit((0..<200).map { event(radar, "\($0)") })
            let root = try await first.pool.read { database in
                try Int.fetchOne(
                    database,
                    sql: "SELECT rootpage FROM sqlite_schema WHERE name = 'publication_by_topic'"
                )
            }
            try await first.close()
            let path = directory + "/varde.sqlite"
            var bytes = try require(FileManager.default.contents(atPath: path))
            let start = (try require(root) - 1) * 4096
            for index in start..<start + 4096 { bytes[index] = 0xA5 }
            try bytes.write(to: URL(fileURLWithPath: path))

            let store = try openStore(directory, isDurable: isDurable)
            store.observe(\.committed) { publications in
                expect(publications.allSatisfy { $0.topic == chat }, "nothing else is shown")
            }
            let error = await #expect(throws: StoreError.self) {
                try await store.publish(event(radar, "lost"))
            }
            expectEqual(error?.code, .corrupt)
            expectEqual(store.health.refusal, "database is corrupt")
            let read = await #expect(throws: StoreError.self) {
                try await store.history(of: radar, count: 1)
            }
            expectEqual(read?.code, .corrupt)
            try await store.close()
        }
    }

    @Test func changeThatIsAtFaultItselfLeavesTheHealth() async throws {
        try await withStore(limits: StoreLimits(changeBytesMax: 1000)) { store in
            let flawed = Flaw.emptyKey.added(to: Change(events: [event(radar, "a")]))
            await #expect(throws: StoreError.self) { try await store.commit(flawed) }
            let big = event(radar, String(repeating: "x", count: 1000))
            await #expect(throws: StoreError.self) { try await store.publish(big) }
            expectEqual(store.health, .ok)
        }
    }

    @Test func eventsWithoutRowsAreTakenAndProveNothing() async throws {
        try await withStore(isDurable: isDurable) { store in
            _ = try await store.publish(event(chat, "a"))
            try await store.setQueryOnly(true)
            await #expect(throws: StoreError.self) {
                try await store.publish(event(radar, "lost"))
            }
            let outcome = try await store.publish(event(chat, "b"))
            expectEqual([outcome].publications.map(\.offset), [2])
            expectEqual(store.health.refusal, "database may not be written")
            try await store.setQueryOnly(false)
        }
    }

    @Test(.needsFile) func transactionThatWroteNothingProvesNothing() async throws {
        try await withStore { store in
            var keyed = event(radar, "a")
            keyed.idempotencyKey = "k"
            _ = try await store.publish(keyed)
            try await store.limitPages(by: "(SELECT page_count FROM pragma_page_count)")
            let big = event(radar, String(repeating: "x", count: 100_000))
            await #expect(throws: StoreError.self) { try await store.publish(big) }
            let repeated = try await store.publish(keyed)
            expectEqual(repeated, .duplicate(Position(offset: 1, epoch: store.epoch)))
            try await expectEqual(store.trimPublications(now: startOfTests) { _ in unlimited }, 0)
            expect(store.health != .ok)
            _ = try await store.publish(event(radar, "fits into a page that is there"))
            expectEqual(store.health, .ok)
        }
    }

    @Test func keysAndVersionsOfAFailedCommitAreForgotten() async throws {
        try await withStore { store in
            var keyed = event(radar, "a")
            keyed.idempotencyKey = "k"
            keyed.version = EventVersion(number: 1)
            try await store.setQueryOnly(true)
            await #expect(throws: StoreError.self) { try await store.publish(keyed) }
            try await store.setQueryOnly(false)
            let outcome = try await store.publish(keyed)
            expectEqual([outcome].publications.map(\.offset), [1])
        }
    }

    @Test func probeDoesNothingWhileAllIsWell() async throws {
        try await withStore { store in
            let before = store.statistics.transactions
            await store.probeIfFailing()
            expectEqual(store.statistics.transactions, before)
        }
    }

    @Test func healthTellsTheFirstFailureUntilASuccess() {
        let full = StoreError(.diskFull, "full", path: "p")
        let locked = StoreError(.locked, "locked", path: "p")
        var health = StoreHealth.ok
        expectNil(health.refusal)
        health.note(full, at: startOfTests)
        health.note(locked, at: startOfTests + .seconds(1))
        expectEqual(health, .failing(since: startOfTests, full))
        health.note(nil, at: startOfTests + .seconds(2))
        expectEqual(health, .ok)
        health.note(locked, at: startOfTests + .seconds(3))
        expectEqual(health, .failing(since: startOfTests + .seconds(3), locked))
    }

    /// The second publication of `radar` follows the first without gap or repeat, and nothing of
    /// what failed was shown or is in the file.
    private func expectRecovery(_ store: HubStore, _ log: CommitLog) async throws {
        await store.probeIfFailing()
        expectEqual(store.health, .ok, "found by the probe, without a publisher")
        let published = try await store.commit(Change(events: [event(radar, "b")])).publications
        expectEqual(published.map(\.offset), [2])
        expectEqual(published.map(\.cursor), [store.cursorBase + 2])
        expectEqual(log.publications.map(text), ["a", "b"])
        try await expectEqual(store.loadAll()[0].publications, log.publications)
    }
}

extension HubStore {
    /// Lets the database have no more pages, as on a full disk.
    func limitPages(by count: String) async throws {
        try await pool.writeWithoutTransaction { database in
            let pages = try Int.fetchOne(database, sql: "SELECT \(count)") ?? 0
            try database.execute(sql: "PRAGMA max_page_count = \(pages)")
        }
    }
}

/// Limits the length of the files that this process writes; nil for as much as it may.
private func limitFiles(to length: Int?) {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    precondition(getrlimit(resource, &limit) == 0)
    limit.rlim_cur = length.map { rlim_t($0) } ?? limit.rlim_max
    precondition(setrlimit(resource, &limit) == 0)
}
