import Expectations
import StoreTesting

@testable import Store

@Suite("Nodes that are far behind", .timeLimit(.minutes(10)))
struct ClusterPagesTests {
    private let fixture = ClusterFixture()

    /// The numbers of batches that fill one page of the log, and those next to it.
    @Test(arguments: [255, 256, 257, 600])
    func everyPageIsApplied(count: Int) async throws {
        try await fixture.withNodes(["a", "b"]) { nodes in
            let blocker = try await nodes[1].blockedWriter()
            for number in 1...count { try await nodes[0].publish(radar, "\(number)") }
            // Its transaction begins with what it has missed.
            let own = Task { try await nodes[1].publish(radar, "own") }
            while nodes[1].store.statistics.writesWaiting == 0 { await Task.yield() }
            blocker.signal()
            guard case .published(let publication, _) = try await own.value else {
                Issue.record("not published")
                return
            }
            expectEqual(publication.offset, UInt64(count + 1))
            let told = await nodes[0].told()
            expectEqual(told.count, count + 1)
            await expectEqual(nodes[1].told(), told)
        }
    }

    /// What a page has brought stays when the next one cannot be read.
    @Test func whatWasAppliedStaysIfALaterPageFails() async throws {
        try await fixture.withNodes(["a", "b"]) { nodes in
            let (a, b) = (nodes[0], nodes[1])
            try await b.publish(radar, "first")
            let blocker = try await b.blockedWriter()
            let count = SharedLog.batchesMax + 10
            for number in 1...count { try await a.publish(radar, "\(number)") }
            // The last batch cannot be read until it is mended.
            try fixture.run(
                "CREATE TABLE kept AS SELECT * FROM batch WHERE number = (SELECT max(number) FROM batch)"
            )
            try fixture.run(
                "UPDATE batch SET records = '\\x09' WHERE number = (SELECT number FROM kept)"
            )
            let failed = Task { try await b.publish(radar, "fails") }
            while b.store.statistics.writesWaiting == 0 { await Task.yield() }
            blocker.signal()
            await #expect(throws: StoreError.self) { try await failed.value }
            try fixture.run(
                "UPDATE batch SET records = kept.records FROM kept WHERE batch.number = kept.number"
            )
            guard case .published(let publication, _) = try await b.publish(radar, "own") else {
                Issue.record("not published")
                return
            }
            expectEqual(publication.offset, UInt64(count + 2))
            let told = await a.told()
            expectEqual(told.count, count + 2)
            await expectEqual(b.told(), told)
            expectEqual(b.toldCursors, a.toldCursors)
        }
    }

    @Test func aNodeOfAFormerEpochIsRefused() async throws {
        try await fixture.withNodes(["a"]) { nodes in
            try await nodes[0].publish(radar, "1")
            try fixture.run("UPDATE hub SET epoch = 'other'")
            let refusal = await #expect(throws: StoreError.self) {
                try await nodes[0].publish(radar, "2")
            }
            expectEqual(refusal?.code, .gone)
            expectEqual(nodes[0].store.restartReason?.contains("has ended the epoch"), true)
            await expectEqual(nodes[0].told().count, 1)
        }
    }

    /// A note is as long as a change may be, and not longer.
    @Test(arguments: [0, 1]) func notesAreBounded(excess: Int) async throws {
        try await fixture.withNodes(["a"]) { nodes in
            let lengthMax = nodes[0].store.limits.changeBytesMax - Change.rowBytes
            let note = ClusterNote(
                kind: "n",
                body: [UInt8](repeating: 0, count: lengthMax + excess)
            )
            guard excess == 1 else {
                try await nodes[0].store.tell(note)
                await expectEqual(nodes[0].told(), [.note("n")])
                return
            }
            let refusal = await #expect(throws: StoreError.self) {
                try await nodes[0].store.tell(note)
            }
            expectEqual(refusal?.code, .changeTooBig)
            await expectEqual(nodes[0].told(), [])
        }
    }
}
