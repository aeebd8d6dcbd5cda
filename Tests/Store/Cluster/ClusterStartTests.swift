import Expectations
import StoreTesting

@testable import Store

@Suite("The start of nodes", .timeLimit(.minutes(10)))
struct ClusterStartTests {
    private let fixture = ClusterFixture()

    /// What others commit while a node starts is either in its first snapshot or told afterwards.
    @Test func aLateNodeMissesNothingAndIsToldNothingTwice() async throws {
        try await fixture.withNodes(["a"]) { nodes in
            try await nodes[0].publish(radar, "1")
            let late = try await Node(fixture.open("b"), follows: false)
            try await nodes[0].publish(radar, "2")
            // A write of its own takes in the second one before the snapshot.
            _ = try await late.store.commit(
                Change(state: [StateRow(domain: "d", key: "k", value: [1])])
            )
            let newest = try await late.store.newestCursor()
            _ = await nodes[0].told()
            expectEqual(newest, nodes[0].toldCursors[1])
            try await nodes[0].publish(radar, "3")
            _ = try await late.store.commit(
                Change(state: [StateRow(domain: "d", key: "k", value: [2])])
            )
            try await nodes[0].publish(radar, "4")
            expect(late.toldCursors.isEmpty)
            late.store.follow()
            await expectEqual(
                late.told(),
                [.publication(radar, 3, "3"), .publication(radar, 4, "4")]
            )
            try await late.store.close()
        }
    }

    /// The store has the publications of these batches, but nothing of their notes.
    @Test func notesOfTheFirstSnapshotAreTold() async throws {
        try await fixture.withNodes(["a"]) { nodes in
            let late = try await Node(fixture.open("b"), follows: false)
            _ = try await nodes[0].store.commit(
                Change(events: [event(radar, "1")], notes: [ClusterNote(kind: "n", body: [])])
            )
            try await expect(late.store.newestCursor() > late.store.cursorBase)
            late.store.follow()
            await expectEqual(late.told(), [.note("n")])
            try await late.store.close()
        }
    }

    /// The row of a node whose start fails would keep the log for minutes.
    @Test func aFailedStartLeavesNoRow() async throws {
        try await fixture.withNodes(["a"]) { _ in
            try fixture.run("ALTER TABLE hub RENAME COLUMN timeline TO other")
            #expect(throws: StoreError.self) { try fixture.open("b") }
            try fixture.run("ALTER TABLE hub RENAME COLUMN other TO timeline")
            try expectEqual(fixture.run("SELECT count(*) FROM node").integer(0, 0), 1)
        }
    }

    /// Nodes that start while others publish continue right behind their first snapshot.
    @Test func nodesThatStartUnderLoadMissNothing() async throws {
        try await fixture.withNodes(["a"]) { nodes in
            let load = Task {
                while !Task.isCancelled { try await nodes[0].publish(radar, "load") }
            }
            for _ in 0..<20 {
                let late = try await Node(fixture.open("b"), follows: false)
                _ = try await late.store.commit(
                    Change(state: [StateRow(domain: "d", key: "k", value: [1])])
                )
                let newest = try await late.store.newestCursor()
                late.store.follow()
                try await late.publish(radar, "late")
                _ = await late.told()
                let cursors = late.toldCursors
                try expect(require(cursors.first) > max(newest, late.store.memoryCursorBase))
                let stored = try await late.store.history(of: radar, count: unlimited.count)
                let later = stored?.publications.map(\.cursor).filter { $0 > newest } ?? []
                expectEqual(Array(later.prefix(cursors.count)), cursors)
                try await late.store.close()
            }
            load.cancel()
            try await load.value
        }
    }

    /// A topic that is deleted while a node starts has the same epoch there.
    @Test func topicsDeletedMeanwhileAreKnown() async throws {
        try await fixture.withNodes(["a"]) { nodes in
            let late = try fixture.open("b")
            try await nodes[0].publish(radar, "1")
            let later = startOfTests + .seconds(1_000)
            try await nodes[0].store.trimPublications(now: later) { _ in
                HistoryLimit(count: 1, age: .seconds(1))
            }
            try await nodes[0].store.forgetTopics(
                now: later,
                quietTime: { _ in .seconds(1) },
                unused: { $0 }
            )
            expectEqual(late.forgotten, ForgottenCursors())
            _ = try await late.newestCursor()
            expect(late.forgotten[radar] > 0)
            try await late.close()
        }
    }

    @Test func cursorsContinueOverAllStarts() async throws {
        let first = try await Node(fixture.open(nil), follows: false)
        var fleeting = event(radar, "0")
        fleeting.keepsHistory = false
        _ = try await first.store.publish(fleeting)
        try await first.publish(chat, "in memory")
        let ofFirst = try require(first.toldCursors.last)
        try await first.store.close()

        var last = ofFirst
        for round in 1...2 {
            try await fixture.withNodes(["a", "b"]) { nodes in
                for node in nodes {
                    _ = try await node.store.publish(fleeting)
                    try await node.publish(radar, "\(round)")
                }
                _ = await nodes[0].told()
                expectEqual(nodes[0].toldCursors.count, 4)
                expect(nodes[0].toldCursors.allSatisfy { $0 > last })
                last = try require(nodes[0].toldCursors.last)
            }
        }
        let again = try await Node(fixture.open(nil), follows: false)
        try await again.publish(radar, "again")
        try expect(require(again.toldCursors.first) > last)
        try expectEqual(fixture.run("SELECT count(*) FROM batch").integer(0, 0), 0)
        try await again.store.close()
    }

    @Test func aHubAloneAndNodesExcludeEachOther() async throws {
        let alone = try fixture.open(nil)
        let refusal = #expect(throws: StoreError.self) { try fixture.open("a") }
        expectEqual(refusal?.code, .locked)
        expectEqual(refusal?.message.contains("a hub without cluster runs on it"), true)
        try await alone.close()
        try await fixture.withNodes(["a", "b"]) { _ in
            let refusal = #expect(throws: StoreError.self) { try fixture.open(nil) }
            expectEqual(refusal?.code, .locked)
        }
        try await fixture.open(nil).close()
    }

    @Test func aNameIsOfOneNodeOnly() async throws {
        try await fixture.withNodes(["a"]) { _ in
            let refusal = #expect(throws: StoreError.self) { try fixture.open("a") }
            expectEqual(refusal?.code, .locked)
            expectEqual(refusal?.message.contains("another hub has the name a"), true)
        }
        try await fixture.open("a").close()
    }

    @Test func aFileHasNoCluster() async throws {
        try await withDirectory { directory in
            var options = StoreOptions(path: directory + "/varde.sqlite")
            options.cluster = ClusterOptions(node: "a")
            let refusal = #expect(throws: StoreError.self) {
                try HubStore(options, wall: startOfTests, newEpoch: "epoch-1")
            }
            expectEqual(refusal?.message.contains("a cluster needs a database in PostgreSQL"), true)
        }
    }

    /// Batches are kept for the node that has read the least, and then deleted.
    @Test func theLogIsKeptForEveryLivingNode() async throws {
        try await fixture.withNodes(["a", "b"]) { nodes in
            for number in 1...5 { try await nodes[0].publish(radar, "\(number)") }
            try fixture.run("UPDATE node SET applied = CASE name WHEN 'b' THEN 3 ELSE 6 END")
            let engine = try require(nodes[0].store.engine as? PostgresEngine)
            let connection = try PostgresEngine.connect(engine.target)
            let starting = try fixture.open("c")
            try NodeTable.trimLog(in: connection)
            try expectEqual(fixture.run("SELECT min(number) FROM batch").integer(0, 0), 1)
            try await starting.close()
            try NodeTable.trimLog(in: connection)
            try expectEqual(fixture.run("SELECT min(number) FROM batch").integer(0, 0), 3)
            try fixture.run("UPDATE node SET seen_at = now() - interval '6 minutes', applied = 3")
            try fixture.run("UPDATE node SET seen_at = now(), applied = 6 WHERE name = 'a'")
            try NodeTable.trimLog(in: connection)
            try expectEqual(fixture.run("SELECT min(number) FROM batch").integer(0, 0), 6)
            try fixture.run("UPDATE node SET applied = 100")
            try NodeTable.trimLog(in: connection)
            // The newest stays.
            try expectEqual(fixture.run("SELECT count(*) FROM batch").integer(0, 0), 1)
        }
    }
}
