import Expectations
import GRDB
import StoreTesting

@testable import Store

@Suite("A change is committed as a whole or not at all", .timeLimit(.minutes(10)))
struct ChangeTests {
    /// One row of each kind.
    private let whole = Change(
        events: [event(radar, "a"), event(news, "b")],
        state: [StateRow(domain: "radar", key: "1", value: [1, 2])],
        feeds: [FeedRow(name: "kp", validators: [3])],
        alerts: [AlertRow(rule: "storm", subject: "tromso", state: [4])],
        deliveries: [delivery("message-1")],
        clock: startOfTests
    )

    @Test func everyPartIsReadBack() async throws {
        try await withStore { store in
            _ = try await store.commit(whole)
            try await expectEqual(store.loadAll().map(\.topic), [radar, news])
            try await expectEqual(store.state(domain: "radar"), whole.state)
            try await expectEqual(store.feedValidators(), whole.feeds)
            try await expectEqual(store.alertStates(), whole.alerts)
            try await expectEqual(store.lastClock(), startOfTests)
            let pending = try await store.pendingDeliveries(perEndpoint: 10)
            expectEqual(pending.map(\.messageID), ["message-1"])
        }
    }

    @Test func rowsAreReplacedAndDeleted() async throws {
        try await withStore { store in
            _ = try await store.commit(whole)
            let replacing = Change(
                state: [StateRow(domain: "radar", key: "1", value: [9])],
                feeds: [FeedRow(name: "kp", validators: [])],
                alerts: [AlertRow(rule: "storm", subject: "tromso", state: [8])],
                clock: startOfTests + .seconds(1)
            )
            _ = try await store.commit(replacing)
            try await expectEqual(store.state(domain: "radar"), replacing.state)
            try await expectEqual(store.feedValidators(), replacing.feeds)
            try await expectEqual(store.alertStates(), replacing.alerts)
            try await expectEqual(store.lastClock(), startOfTests + .seconds(1))

            let deleting = Change(
                state: [
                    StateRow(domain: "radar", key: "1", value: nil),
                    StateRow(domain: "radar", key: "never there", value: nil),
                ],
                feeds: [FeedRow(name: "kp", validators: nil)],
                alerts: [AlertRow(rule: "storm", subject: "tromso", state: nil)]
            )
            _ = try await store.commit(deleting)
            try await expect(store.state(domain: "radar").isEmpty)
            try await expect(store.feedValidators().isEmpty)
            try await expect(store.alertStates().isEmpty)
            try await expectEqual(store.lastClock(), startOfTests + .seconds(1))
        }
    }

    @Test func storedClockNeverRunsBack() async throws {
        try await withStore { store in
            for seconds: Int64 in [5, 3, 5] {
                _ = try await store.commit(Change(clock: startOfTests + .seconds(seconds)))
                try await expectEqual(store.lastClock(), startOfTests + .seconds(5))
            }
        }
    }

    @Test func stateIsKeptPerDomainInTheOrderOfKeys() async throws {
        try await withStore { store in
            let rows = ["b", "a"].flatMap { key in
                ["radar", "news"].map { StateRow(domain: $0, key: key, value: Array($0.utf8)) }
            }
            _ = try await store.commit(Change(state: rows))
            try await expectEqual(store.state(domain: "news").map(\.key), ["a", "b"])
            try await expect(store.state(domain: "aurora").isEmpty)
        }
    }

    @Test func emptyStoreHasNothing() async throws {
        try await withStore { store in
            let topics = try await store.loadAll()
            expect(topics.isEmpty)
            let clock = try await store.lastClock()
            expectNil(clock)
            let history = try await store.history(of: radar, count: 5)
            expectNil(history)
            let counts = try await store.deliveryCounts()
            expectEqual(counts, DeliveryCounts())
        }
    }

    @Test(arguments: Flaw.allCases)
    func changeThatFailsLeavesNothingBehind(_ flaw: Flaw) async throws {
        try await withStore { store in
            _ = try await store.commit(Change(deliveries: [delivery("taken")]))
            let before = try store.rowCounts()
            let error = await #expect(throws: StoreError.self) {
                try await store.commit(flaw.added(to: whole))
            }
            expectEqual(error?.code, .constraint)
            expectEqual(error?.sql?.contains("INSERT INTO"), true)
            try expectEqual(store.rowCounts(), before)
            try await expectNil(store.lastClock())
            let committed = try await store.commit(whole)
            expectEqual(committed.publications.map(\.offset), [1, 1])
            expectEqual(committed.publications[0].cursor, store.cursorBase + 1)
        }
    }

    @Test func changeThatFailsDoesNotHurtItsNeighbours() async throws {
        try await withStore { store in
            let changes = [
                Change(events: [event(radar, "a")]), Flaw.emptyKey.added(to: whole),
                Change(events: [event(news, "b"), event(radar, "c")]),
                Flaw.emptyKey.added(to: whole), Change(events: [event(news, "d")]),
            ]
            let results = try await commitTogether(changes, in: store)
            expectEqual(results.map { $0 == nil }, [false, true, false, true, false])
            let publications = results.compactMap { $0 }.flatMap { $0 }
            expectEqual(publications.map(text), ["a", "b", "c", "d"])
            expectEqual(publications.map(\.offset), [1, 1, 2, 2])
            let base = store.cursorBase
            expectEqual(publications.map(\.cursor), [base + 1, base + 2, base + 3, base + 4])
            let stored = try await store.loadAll().flatMap(\.publications).sorted {
                $0.cursor < $1.cursor
            }
            expectEqual(stored, publications)
        }
    }

    @Test func handlerHearsOnlyOfCommittedChanges() async throws {
        try await withStore { store in
            let log = CommitLog()
            store.observe(\.committed) { log.append($0) }
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<40 {
                    let change = Change(events: [event(radar, "\(number)")])
                    let flawed = number.isMultiple(of: 3)
                    group.addTask {
                        _ = try? await store.commit(
                            flawed ? Flaw.emptyKey.added(to: change) : change
                        )
                    }
                }
            }
            expectEqual(log.publications.map(\.offset), Array(1...26))
            let stored = try await store.loadAll()[0].publications
            expectEqual(stored, log.publications)
            expectEqual(store.statistics.writesFailed, 14)
        }
    }

    @Test(.needsFile) func fullDiskFailsTheChangeAndNothingElse() async throws {
        try await withStore { store in
            _ = try await store.commit(whole)
            let log = CommitLog()
            store.observe(\.committed) { log.append($0) }
            try await store.limitPages(by: "(SELECT page_count FROM pragma_page_count)")
            let big = Change(events: [event(radar, String(repeating: "x", count: 100_000))])
            let error = await #expect(throws: StoreError.self) { try await store.commit(big) }
            expectEqual(error?.code, .diskFull)
            expect(log.publications.isEmpty)

            try await store.limitPages(by: "1000000")
            let committed = try await store.commit(big)
            expectEqual(committed.publications.map(\.offset), [2])
        }
    }

    @Test(.needsFile) func commitThatFailsAtTheEndFailsAllItsChanges() async throws {
        try await withStore { store in
            let results = try await store.pool.writeWithoutTransaction { database in
                let writer = store.testWriter
                // A foreign key that is checked at COMMIT only.
                let orphan = Write.statements { session in
                    try session.run("PRAGMA defer_foreign_keys = ON")
                    try session.run(
                        """
                        INSERT INTO publication (cursor, topic_id, topic_offset, time, payload)
                        VALUES (1, 999, 1, 0, x'')
                        """
                    )
                    return Written()
                }
                let good = Write.change(Change(events: [event(radar, "a")]))
                return writer.commit([good, orphan], in: database).map { $0.isSuccess }
            }
            expectEqual(results, [false, false])
            try await expect(store.loadAll().isEmpty)
        }
    }

    /// SQLite itself may roll back everything, after a grave error within one write.
    @Test(.needsFile) func transactionThatIsGivenUpFailsAllItsChanges() async throws {
        try await withStore { store in
            let writer = store.testWriter
            let good = Write.change(Change(events: [event(radar, "a")]))
            let grave = Write.statements { database in
                try database.rollback()
                throw DatabaseError(resultCode: .SQLITE_IOERR)
            }
            let results = try await store.pool.writeWithoutTransaction { database in
                writer.commit([good, grave, good], in: database).map { $0.isSuccess }
            }
            expectEqual(results, [false, false, false])
            let topics = try await store.loadAll()
            expect(topics.isEmpty)
            let later = try await store.pool.writeWithoutTransaction { database in
                try writer.commit([good], in: database)[0].get().outcomes.publications
            }
            expectEqual(later.map(\.offset), [1])
            expectEqual(later.map(\.cursor), [store.cursorBase + 1])
        }
    }

    /// Commits all changes in one transaction; nil for a change that failed.
    private func commitTogether(
        _ changes: [Change],
        in store: HubStore
    ) async throws -> [[Publication]?] {
        try await store.onSession { session in
            store.testWriter.commit(changes.map { .change($0) }, in: session).map { result in
                try? result.get().outcomes.publications
            }
        }
    }
}

/// A row that the schema refuses, of each table.
enum Flaw: CaseIterable {
    case emptyKey
    case longKey
    case emptyFeed
    case emptyRule
    case messageTwice

    func added(to change: Change) -> Change {
        var change = change
        switch self {
        case .emptyKey:
            change.state.append(StateRow(domain: "radar", key: "", value: [1]))
        case .longKey:
            let key = String(repeating: "k", count: StateRow.nameLengthMax + 1)
            change.state.append(StateRow(domain: "radar", key: key, value: [1]))
        case .emptyFeed:
            change.feeds.append(FeedRow(name: "", validators: [1]))
        case .emptyRule:
            change.alerts.append(AlertRow(rule: "", subject: "s", state: [1]))
        case .messageTwice:
            change.deliveries.append(delivery("taken"))
        }
        return change
    }
}
