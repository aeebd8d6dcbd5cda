import Expectations
import Foundation
import StoreTesting

@testable import Store

@Suite("Copying a store to the other engine", .timeLimit(.minutes(10)))
struct StoreCopyTests {
    /// Runs `body` with a source that is filled and closed.
    private func withSource(
        _ direction: CopyDirection,
        _ body: (CopyPlaces) async throws -> Void
    ) async throws {
        try await withDirectory { directory throws in
            let places = try CopyPlaces(direction, directory)
            let store = try places.open(places.source)
            try await CopyPlaces.fill(store)
            try await store.close()
            try await body(places)
        }
    }

    /// What a hub reads of its store at the start.
    private struct Contents: Equatable {
        var epoch: String
        var base: UInt64
        var topics: [StoredTopic]
        var state: [StateRow]
        var feeds: [FeedRow]
        var alerts: [AlertRow]
        var deliveries: [StoredDelivery]
        var counts: DeliveryCounts
        var clock: Timestamp?
        var things: [String]

        init(_ store: HubStore) async throws {
            epoch = store.epoch
            base = store.cursorBase
            topics = try await store.loadAll()
            state = try await store.state(domain: "d")
            feeds = try await store.feedValidators()
            alerts = try await store.alertStates()
            deliveries = try await store.pendingDeliveries(perEndpoint: 9)
            counts = try await store.deliveryCounts()
            clock = try await store.lastClock()
            things = try await store.read(CopiedThings.self) { things in
                try things.session.rows("SELECT name, weight, user FROM thing ORDER BY id") {
                    let (name, weight): (String, Double?) = (try $0[0], try $0[1])
                    let user: [UInt8]? = try $0[2]
                    return "\(name) \(weight, default: "-") \(user, default: "-")"
                }
            }
        }
    }

    @Test(arguments: CopyDirection.allCases)
    func copyHasAllThatTheSourceHas(_ direction: CopyDirection) async throws {
        try await withSource(direction) { places in
            let tables = try places.copy()
            let names = Dictionary(uniqueKeysWithValues: tables.map { ($0.name, $0.rows) })
            expectEqual(names["publication"], 7)
            expect(names["film_text"] == 3 && names["article"] == 3 && names["a_tag"] == 3)
            expect(names["hub"] == 1 && names["version"] == 1 && names["delivery_tag"] == 1)
            expect(names["migration"] == nil && names["delivery_tally"] == nil)
            expect(names["article_text"] == nil && names["film_text_data"] == nil)

            let source = try places.open(places.source, epoch: "epoch-2")
            let target = try places.open(places.target, epoch: "epoch-3")
            let contents = try await Contents(source)
            try await expectEqual(Contents(target), contents)
            expectEqual(contents.epoch, "epoch-1")
            expect(contents.topics.count == 2 && contents.deliveries.count == 2)
            try await source.close()
            try await target.close()
        }
    }

    @Test(arguments: CopyDirection.allCases)
    func storeGoesOnAfterTheMove(_ direction: CopyDirection) async throws {
        try await withSource(direction) { places in
            _ = try places.copy()
            let store = try places.open(places.target, epoch: "epoch-2")
            expectEqual(store.epoch, "epoch-1")
            var again = event(news, "again", at: 11)
            again.idempotencyKey = "key"
            let duplicate = try await store.publish(again)
            expectEqual(duplicate, .duplicate(Position(offset: 1, epoch: store.epoch)))
            var stale = event(news, "stale", at: 11)
            stale.version = EventVersion(number: 1, epoch: "v")
            let outcome = try await store.publish(stale)
            expectEqual(outcome, .stale(Position(offset: 2, epoch: store.epoch)))
            let next = try await store.publish(event(radar, "radar 9", at: 12))
            expectEqual([next].publications.map(\.offset), [9])
            let cursor = try require([next].publications.first?.cursor)
            // Ten publications with rows, and the block of cursors that was reserved for the one
            // in memory.
            expect(cursor > store.cursorBase + 11)
            // Ids of rows that were deleted before the move.
            _ = try await store.commit(Change(deliveries: [delivery("m-4")]))
            let deliveries = try await store.pendingDeliveries(perEndpoint: 9)
            expectEqual(deliveries.map(\.id), [1, 2, 4])
            let id = try await store.commit(CopiedThings.self) { things in
                let insert = "INSERT INTO thing (name) VALUES ('n') RETURNING id"
                return (Change(), try things.session.insert(insert))
            }
            expectEqual(id, 5)
            try await store.close()
        }
    }

    @Test(arguments: CopyDirection.allCases)
    func copyOfTheCopyIsTheFirst(_ direction: CopyDirection) async throws {
        try await withSource(direction) { places in
            let first = try places.open(places.source)
            let contents = try await Contents(first)
            try await first.close()
            let there = try places.copy()
            try empty(places)
            try expectEqual(places.back.copy(), there)
            let last = try places.open(places.source, epoch: "epoch-2")
            try await expectEqual(Contents(last), contents)
            try await last.close()
        }
    }

    /// Makes room for a copy where the source was.
    private func empty(_ places: CopyPlaces) throws {
        guard places.direction == .toPostgres else {
            try places.run("DROP SCHEMA \(places.schema) CASCADE")
            return
        }
        try FileManager.default.removeItem(atPath: places.file)
        // The mark stays, and is that of the former file.
        expect(FileManager.default.fileExists(atPath: places.file + "-mark"))
    }

    /// The mark of a store that was in the same place has higher cursors.
    @Test func filesOfAFormerStoreDoNotCount() async throws {
        try await withSource(.toFile) { places in
            let other = try places.open(places.file, epoch: "other")
            try await other.commit((1...99).map { event(radar, "\($0)") })
            try await other.close()
            try FileManager.default.removeItem(atPath: places.file)
            expect(FileManager.default.fileExists(atPath: places.file + "-mark"))
            _ = try places.copy()
            expect(!FileManager.default.fileExists(atPath: places.file + "-mark"))
            let store = try places.open(places.file, epoch: "epoch-2")
            expectEqual(store.epoch, "epoch-1")
            try await store.close()
        }
    }

    /// A full-text search finds the same texts.
    @Test(arguments: CopyDirection.allCases)
    func textsAreFoundAfterTheMove(_ direction: CopyDirection) async throws {
        try await withSource(direction) { places in
            _ = try places.copy()
            let store = try places.open(places.target)
            let sql =
                direction == .toFile
                ? "SELECT count(*) FROM article_text WHERE article_text MATCH 'article'"
                : "SELECT count(*) FROM article WHERE words @@ to_tsquery('simple', 'article')"
            try await expectEqual(store.onSession { try $0.integer(sql) }, 3)
            try await store.close()
        }
    }

    @Test func schemaOfTheCopyIsThatOfANewStore() async throws {
        try await withSource(.toPostgres) { places in
            _ = try places.copy()
            let other = try CopyPlaces(.toPostgres, "/nowhere")
            try await other.open(other.url).close()
            func constraints(_ places: CopyPlaces) throws -> String? {
                try places.run(
                    """
                    SELECT string_agg(conname || ' ' || pg_get_constraintdef(oid), E'\\n'
                        ORDER BY conname)
                    FROM pg_constraint WHERE connamespace = '\(places.schema)'::regnamespace
                    """
                ).text(0, 0)
            }
            let expected = try require(constraints(other))
            expect(expected.contains("REFERENCES topic"))
            try expectEqual(constraints(places), expected)
        }
    }

    /// The last commits of a killed hub are in the write-ahead log.
    @Test func commitsInTheLogOfAKilledHubAreCopied() async throws {
        try await withDirectory { directory throws in
            let places = try CopyPlaces(.toPostgres, directory + "/killed")
            let live = try places.open(directory + "/varde.sqlite")
            try await live.commit([event(radar, "a")])
            try copyStore(directory, to: directory + "/killed")
            let before = try Data(contentsOf: URL(filePath: places.file))
            let tables = try places.copy()
            expectEqual(tables.first { $0.name == "publication" }?.rows, 1)
            try expectEqual(Data(contentsOf: URL(filePath: places.file)), before)
            try await live.close()
        }
    }

    /// A domain that was never on has no tables in PostgreSQL, and all of them in a file.
    @Test func tablesThatOnlyTheTargetHasAreEmpty() async throws {
        try await withDirectory { directory throws in
            let places = try CopyPlaces(.toFile, directory)
            let things = [CopyPlaces.migrations[0]]
            let store = try places.open(places.url, migrations: things)
            try await store.commit([event(radar, "a")])
            try await store.close()
            let tables = try places.copy()
            expect(tables.contains { $0.name == "thing" })
            expect(!tables.contains { $0.name == "film_text" })
            let copied = try places.open(places.file)
            try await expectEqual(copied.loadAll().map(\.topOffset), [1])
            try await copied.close()
        }
    }
}
