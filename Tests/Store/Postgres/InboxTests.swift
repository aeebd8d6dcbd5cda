import Expectations
import Foundation
import StoreTesting

@testable import Store

@Suite("PostgreSQL: publications from SQL", .timeLimit(.minutes(10)))
struct InboxTests {
    private let fixture: InboxFixture

    init() throws { fixture = try InboxFixture() }

    // MARK: Transactions of applications

    @Test func committedRowsArePublishedInOrderAndDeleted() async throws {
        try await fixture.withStore { store in
            let application = try fixture.application()
            try application.execute("BEGIN")
            for number in 1...3 { try fixture.publish(number, in: application) }
            try await expectEqual(store.hasInboxRows(), false)
            try await expect(store.takeAll().isEmpty)
            try application.execute("COMMIT")
            try await expect(store.hasInboxRows())
            try await expectEqual(store.inboxCount(), 3)
            let batch = try await store.takeAll()
            expectEqual(batch, InboxBatch(takenCount: 3))
            try await expectEqual(store.published(), ["1", "2", "3"])
            try await expectEqual(store.hasInboxRows(), false)
            try expectEqual(fixture.count("inbox"), 0)
            expectEqual(store.inboxCounts, InboxCounts(taken: 3, refused: 0))
        }
    }

    @Test func rolledBackTransactionPublishesNothing() async throws {
        try await fixture.withStore { store in
            let application = try fixture.application()
            try application.execute("BEGIN")
            try fixture.publish(1, in: application)
            try application.execute("ROLLBACK")
            try fixture.publish(2)
            try await expectEqual(store.takeAll().takenCount, 1)
            try await expectEqual(store.published(), ["2"])
        }
    }

    /// Neither the other application nor the hub waits; the row with the lower id comes later.
    @Test func openTransactionDelaysOnlyItself() async throws {
        try await fixture.withStore { store in
            let sleeper = try fixture.application()
            try sleeper.execute("BEGIN")
            try fixture.publish(1, in: sleeper)
            try fixture.publish(2)
            try await expectEqual(store.takeAll().takenCount, 1)
            try await expectEqual(store.published(), ["2"])
            try sleeper.execute("COMMIT")
            try await expectEqual(store.takeAll().takenCount, 1)
            try await expectEqual(store.published(), ["2", "1"])
        }
    }

    @Test func rowThatTheOwnerHasLockedIsLeftOut() async throws {
        try await fixture.withStore { store in
            try fixture.publish(1)
            try fixture.publish(2)
            let owner = try fixture.application()
            try owner.execute("BEGIN")
            try fixture.run("DELETE FROM varde.inbox WHERE data = '1'", in: owner)
            try await expectEqual(store.takeAll().takenCount, 1)
            try owner.execute("COMMIT")
            try await expect(store.takeAll().isEmpty)
            try await expectEqual(store.published(), ["2"])
        }
    }

    @Test func publicationsThatWaitedAreTakenByTheNextHub() async throws {
        try await fixture.withStore { _ in }
        try fixture.publish(1)
        try await fixture.withStore { store in
            let batch = try await store.takeAll()
            expectEqual(batch.takenCount, 1)
            try await expectEqual(store.published(), ["1"])
        }
    }

    // MARK: Bounds

    @Test func batchIsBoundedInRows() async throws {
        try await fixture.withStore { store in
            for number in 1...5 { try fixture.publish(number) }
            try await expectEqual(store.takeAll(rowsMax: 2).takenCount, 2)
            try await expectEqual(store.takeAll(rowsMax: 2).takenCount, 2)
            try await expectEqual(store.takeAll(rowsMax: 2).takenCount, 1)
            try await expectEqual(store.published(), ["1", "2", "3", "4", "5"])
        }
    }

    /// Each `data` has one byte; the first row may exceed the bound.
    @Test(arguments: [(0, 1), (1, 1), (2, 2), (4, 4), (5, 5), (6, 5)])
    func batchIsBoundedInBytes(bytesMax: Int, count: Int) async throws {
        try await fixture.withStore { store in
            for number in 1...5 { try fixture.publish(number) }
            try await expectEqual(store.takeAll(bytesMax: bytesMax).takenCount, count)
            try await expectEqual(store.published(), (1...count).map { "\($0)" })
        }
    }

    // MARK: Keys and versions

    @Test func repeatedKeyIsPublishedOnce() async throws {
        try await fixture.withStore { store in
            for number in 1...2 {
                try fixture.run("SELECT varde.publish('radar:1', '\(number)', 'key')")
            }
            try await expectEqual(store.takeAll().takenCount, 2)
            try fixture.run("SELECT varde.publish('radar:1', '3', 'key')")
            try await expectEqual(store.takeAll().takenCount, 1)
            try await expectEqual(store.published(), ["1"])
            try expectEqual(fixture.count("inbox_refused"), 0)
        }
    }

    @Test func staleVersionIsNotPublished() async throws {
        try await fixture.withStore { store in
            for version in [2, 1, 3] {
                try fixture.run(
                    "SELECT varde.publish('radar:1', '\(version)', version => \(version))"
                )
            }
            try await expectEqual(store.takeAll().takenCount, 3)
            try await expectEqual(store.published(), ["2", "3"])
        }
    }

    // MARK: Refused rows

    @Test func refusedRowIsMovedAndTheNextOneIsPublished() async throws {
        try await fixture.withStore { store in
            try fixture.run(
                """
                SELECT varde.publish('nowhere:1', '{"a": 1}', 'key', '{"tag": "value"}', 7, 'epoch',
                    true, true)
                """
            )
            try fixture.publish(2)
            let batch = try await store.takeInbox(rowsMax: 9, bytesMax: 99) { row in
                row.channel == "nowhere:1" ? .refuse(reason: "unknown") : .publish(change(row))
            }
            expectEqual(batch.takenCount, 1)
            expectEqual(batch.refusals.map(\.channel), ["nowhere:1"])
            expectEqual(batch.refusals.map(\.reason), ["unknown"])
            try await expectEqual(store.published(), ["2"])
            try expectEqual(fixture.count("inbox"), 0)
            expectEqual(store.inboxCounts, InboxCounts(taken: 1, refused: 1))
            let row = try fixture.run(
                """
                SELECT concat_ws('|', reason, channel, data, idempotency_key, tags, version,
                    version_epoch, skip_history, delta, refused_at > now() - interval '1 hour')
                FROM varde.inbox_refused
                """
            )
            expectEqual(row.rowCount, 1)
            try expectEqual(
                row.text(0, 0),
                #"unknown|nowhere:1|{"a": 1}|key|{"tag": "value"}|7|epoch|t|t|t"#
            )
        }
    }

    @Test func onlyTheNewestRefusedRowsAreKept() async throws {
        try await fixture.withStore { store in
            try fixture.run(
                """
                INSERT INTO varde.inbox_refused
                    (reason, inbox_id, channel, data, skip_history, delta)
                SELECT 'old', number, 'a', '1', false, false
                FROM generate_series(1, \(InboxTable.refusedMax)) AS number
                """
            )
            try fixture.publish(1)
            _ = try await store.takeInbox(rowsMax: 9, bytesMax: 99) { _ in .refuse(reason: "new") }
            try expectEqual(fixture.count("inbox_refused"), Int64(InboxTable.refusedMax))
            let oldest = try fixture.run("SELECT min(id) FROM varde.inbox_refused")
            try expectEqual(oldest.integer(0, 0), 2)
            try expectEqual(fixture.count("inbox_refused WHERE reason = 'new'"), 1)
        }
    }

    @Test func refusedRowsAreKeptUpToTheirBytes() async throws {
        try await fixture.withStore { store in
            // Otherwise PostgreSQL would compress them.
            try fixture.run("ALTER TABLE varde.inbox_refused ALTER data SET STORAGE EXTERNAL")
            try fixture.run(
                """
                INSERT INTO varde.inbox_refused
                    (reason, inbox_id, channel, data, skip_history, delta)
                SELECT 'old', number, 'a', to_jsonb(repeat('a', 1048576)), false, false
                FROM generate_series(1, 70) AS number
                """
            )
            try fixture.publish(1)
            _ = try await store.takeInbox(rowsMax: 9, bytesMax: 99) { _ in .refuse(reason: "new") }
            let sizes = try fixture.run(
                "SELECT min(pg_column_size(data)), max(pg_column_size(data)) FROM varde.inbox_refused"
            )
            let new = try require(sizes.integer(0, 0))
            let old = try require(sizes.integer(0, 1))
            let kept = 1 + (Int64(InboxTable.refusedBytesMax) - new) / old
            expect(kept > 60 && kept < 70)
            try expectEqual(fixture.count("inbox_refused"), kept)
        }
    }

    @Test func rowWhoseTopicHasNoRoomInMemoryIsRefused() async throws {
        var fixture = fixture
        fixture.memoryTopicsMax = 1
        try await fixture.withStore { store in
            for topic in ["chat:1", "chat:2", "radar:1"] {
                try fixture.run("SELECT varde.publish('\(topic)', '1')")
            }
            let batch = try await store.takeAll()
            expectEqual(batch.takenCount, 2)
            expectEqual(batch.refusals.map(\.channel), ["chat:2"])
            expectEqual(batch.refusals.map(\.reason), ["1 topics in memory, the limit"])
            try expectEqual(fixture.count("inbox_refused"), 1)
            try expectEqual(fixture.count("inbox"), 0)
        }
    }

    // MARK: Failures

    /// Ends one commit in another way.
    private final class Cut: Sendable {
        let isArmed = Locked(false)

        func commit(_ session: SQLSession, arrives: Bool) throws {
            let cuts = isArmed.withLock { isArmed in
                defer { isArmed = false }
                return isArmed
            }
            if !cuts || arrives { try session.commit() }
            guard cuts, case .postgres(let session) = session.engine else { return }
            session.drop()
            throw PostgresError(.noConnection, "cut")
        }
    }

    @Test(arguments: [true, false])
    func rowIsPublishedOnceIfTheConnectionIsLostInTheCommit(arrives: Bool) async throws {
        let cut = Cut()
        var fixture = fixture
        fixture.commit = { try cut.commit($0, arrives: arrives) }
        try await fixture.withStore { store in
            try fixture.publish(1)
            cut.isArmed.withLock { $0 = true }
            if arrives {
                try await expectEqual(store.takeAll().takenCount, 1)
            } else {
                await #expect(throws: StoreError.self) { try await store.takeAll() }
                expectEqual(store.inboxCounts, InboxCounts())
                try await expectEqual(store.takeAll().takenCount, 1)
            }
            try await expect(store.takeAll().isEmpty)
            try await expectEqual(store.published(), ["1"])
        }
    }

    @Test func rowWhoseChangeIsTooBigIsRefused() async throws {
        var fixture = fixture
        fixture.limits = StoreLimits(changeBytesMax: 4096)
        try await fixture.withStore { store in
            try fixture.publish(1)
            let batch = try await store.takeInbox(rowsMax: 9, bytesMax: 99) { row in
                var change = change(row)
                change.events[0].payload = [UInt8](repeating: 0x20, count: 4096)
                return .publish(change)
            }
            expectEqual(batch.takenCount, 0)
            expectEqual(batch.refusals.map { $0.reason.hasSuffix("over limit 4096") }, [true])
        }
    }

    @Test func storeInAFileHasNoInbox() async throws {
        try await withDirectory { directory in
            let store = try HubStore(
                StoreOptions(path: directory + "/varde.sqlite"),
                wall: startOfTests,
                newEpoch: "epoch-1"
            )
            expectNil(store.inboxListener())
            expectNil(store.inboxCounts)
            try await store.close()
        }
    }
}
