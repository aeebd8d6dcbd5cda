import Expectations
import Foundation
import GRDB
import SeededRandom
import StoreTesting

@testable import Store

/// Bytes of the closed file are changed, as a disk does it that fails.
@Suite("Damaged rows", .needsFile, .timeLimit(.minutes(10)))
struct DamageTests {
    @Test func historyBeginsBehindADamagedPublication() async throws {
        try await withDamagedStore { path in
            try replace("payload of 3", by: "payload of X", in: path)
        } opened: { store in
            let topic = try await store.loadAll()[0]
            expectEqual(topic.publications.map(text), ["payload of 4", "payload of 5"])
            expectEqual(topic.damagedOffset, 3)
            expectEqual(topic.evictedOffset, 3, "so that positions before it have a gap")
            expectEqual(topic.evictedCursor, store.cursorBase + 3)
            expectEqual(topic.topOffset, 5)
            expectEqual(notices(of: store), [.damaged(.publication(topic: "radar:1", offset: 3))])
            expectEqual(store.losses.rows, 1)
            let history = try TopicHistory(
                epoch: "e",
                limit: unlimited,
                topOffset: topic.topOffset,
                evictedOffset: topic.evictedOffset,
                evictedCursor: topic.evictedCursor,
                publications: topic.publications
            )
            let recovery = history.recover(since: Position(offset: 2, epoch: "e"))
            expectEqual(recovery, .gap(available: topic.publications, missing: 3...3))
            expect(history.recover(since: Position(offset: 3, epoch: "e")).isComplete)
        }
    }

    @Test func damagedNewestPublicationKeepsItsOffset() async throws {
        try await withDamagedStore { path in
            try replace("payload of 5", by: "payload of X", in: path)
        } opened: { store in
            let topic = try await require(store.history(of: radar, count: 10))
            expect(topic.publications.isEmpty)
            expectEqual(topic.topOffset, 5)
            expectEqual(topic.evictedOffset, 5)
            let outcome = try await store.publish(event(radar, "next"))
            expectEqual([outcome].publications.map(\.offset), [6])
            let after = try await require(store.history(of: radar, count: 10))
            expectEqual(after.publications.map(text), ["next"])
        }
    }

    /// Whatever column is damaged: values that SQLite would take, in the file by other means.
    @Test(arguments: [
        "payload = x''", "time = time + 1", "tags = NULL", "tags = x'00'", "info = x'00'",
        "allows_delta = 1", "checksum = checksum + 1", "checksum = NULL",
    ])
    func everyColumnIsCovered(_ assignment: String) async throws {
        try await withStore { store in
            var tagged = event(radar, "a")
            tagged.tags = ["k": "v"]
            try await store.commit([tagged, event(radar, "b")])
            try await store.pool.writeWithoutTransaction { database in
                try database.execute(
                    sql: "UPDATE publication SET \(assignment) WHERE topic_offset = 1"
                )
            }
            let topic = try await store.loadAll()[0]
            expectEqual(topic.publications.map(text), ["b"])
            expectEqual(topic.damagedOffset, 1)
        }
    }

    @Test func damagedWebhookIsNotSentAndEndsAsFailed() async throws {
        try await withDirectory { directory in
            let first = try openStore(directory)
            var odd = delivery("odd")
            odd.subject = "with a zero\0in it"
            var damaged = delivery("damaged")
            damaged.body = Array("body to be damaged".utf8)
            _ = try await first.commit(Change(deliveries: [delivery("a"), damaged, odd]))
            try await first.close()
            try replace("body to be damaged", by: "body to be DAMAGED", in: first.path)

            let store = try openStore(directory)
            let pending = try await store.pendingDeliveries(perEndpoint: 10)
            expectEqual(pending.map(\.messageID), ["a", "odd"])
            expectEqual(notices(of: store), [.damaged(.delivery(id: 2))])
            try await expectEqual(store.deliveryCounts().failed, 1)
            let again = try await store.pendingDeliveries(perEndpoint: 10)
            expectEqual(again.count, 2)
            expectEqual(store.losses.rows, 1, "it is read no more")
            let log = try await store.deliveries(of: "endpoint-1", limit: 10)
            expectEqual(log.map(\.messageID), ["odd", "a"])
            try await store.close()
        }
    }

    /// Seeds of damage: what is served is what was written, and what is missing is named as a gap.
    @Test(arguments: 1...60)
    func noDamagedByteIsServed(_ seed: Int) async throws {
        try await withDirectory { directory in
            let first = try openStore(directory)
            var written: [UInt64: Publication] = [:]
            for number in 1...120 {
                let padding = String(repeating: "x", count: number * 7 % 300)
                let outcome = try await first.publish(event(radar, "\(number) \(padding)"))
                let publication = try require([outcome].publications.first)
                written[publication.offset] = publication
            }
            try await first.close()
            var bytes = [UInt8](try require(FileManager.default.contents(atPath: first.path)))
            damage(&bytes, seed: seed)
            try Data(bytes).write(to: URL(fileURLWithPath: first.path))
            do {
                let store = try openStore(directory)
                let topics = try? await store.loadAll()
                for topic in topics ?? [] {
                    for publication in topic.publications {
                        expectEqual(publication, written[publication.offset])
                    }
                    let isWhole = topic.publications.count == written.count
                    expect(isWhole || topic.evictedOffset > 0 || store.epoch != "epoch-1")
                }
                try? await store.close()
            } catch let error as StoreError {
                expect(error.isOfTheFile, "\(error)")
            }
        }
    }

    @Test func rateOfNoticesCountsWhatItHoldsBack() {
        var rate = NoticeRate()
        for _ in 0..<NoticeRate.countMax { expectEqual(rate.admit(at: .seconds(5)), 0) }
        expectNil(rate.admit(at: .seconds(6)))
        expectNil(rate.admit(at: .seconds(64)))
        expectEqual(rate.admit(at: .seconds(65)), 2)
        expectEqual(rate.admit(at: .seconds(65)), 0)
    }

    // MARK: Helpers

    private func withDamagedStore(
        _ damage: (_ path: String) throws -> Void,
        opened body: (HubStore) async throws -> Void
    ) async throws {
        try await withDirectory { directory in
            let first = try openStore(directory)
            try await first.commit((1...5).map { event(radar, "payload of \($0)") })
            try await first.close()
            try damage(first.path)
            let store = try openStore(directory)
            try await body(store)
            try await store.close()
        }
    }

    private func replace(_ old: String, by new: String, in path: String) throws {
        var data = try require(FileManager.default.contents(atPath: path))
        let range = try require(data.range(of: Data(old.utf8)))
        data.replaceSubrange(range, with: Data(new.utf8))
        try data.write(to: URL(fileURLWithPath: path))
    }

    /// Flips, zeros or fills a stretch of up to a sector, anywhere behind the first page.
    private func damage(_ bytes: inout [UInt8], seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let start = Int.random(in: 4096..<bytes.count, using: &random)
        let length = seed.isMultiple(of: 3) ? 1 : Int.random(in: 1...512, using: &random)
        for index in start..<min(start + length, bytes.count) {
            switch seed % 4 {
            case 0: bytes[index] = 0
            case 1: bytes[index] ^= 1 << Int.random(in: 0..<8, using: &random)
            case 2: bytes[index] = 0xFF
            default: bytes[index] = UInt8.random(in: 0...255, using: &random)
            }
        }
    }
}
