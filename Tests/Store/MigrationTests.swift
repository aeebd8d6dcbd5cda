import Expectations
import GRDB
import StoreTesting

@testable import Store

@Suite("Files of former schema versions", .needsFile, .timeLimit(.minutes(10)))
struct MigrationTests {
    /// The schema as its first version was, with a row in the tables that changed since.
    private static let version1 = """
        PRAGMA journal_mode = WAL;
        PRAGMA application_id = \(0x5661_7264);
        PRAGMA user_version = 1;

        CREATE TABLE hub (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            epoch TEXT NOT NULL CHECK (epoch <> ''),
            cursor_base INTEGER NOT NULL CHECK (cursor_base >= 0),
            clock INTEGER,
            unsynced_boot TEXT
        ) STRICT;
        CREATE TABLE topic (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            evicted_offset INTEGER NOT NULL DEFAULT 0,
            evicted_cursor INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE TABLE publication (
            cursor INTEGER PRIMARY KEY,
            topic_id INTEGER NOT NULL REFERENCES topic (id),
            topic_offset INTEGER NOT NULL CHECK (topic_offset > 0),
            time INTEGER NOT NULL,
            payload BLOB NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX publication_by_topic
            ON publication (topic_id, topic_offset);
        CREATE TABLE state (
            domain TEXT NOT NULL CHECK (length(domain) BETWEEN 1 AND 512),
            key TEXT NOT NULL CHECK (length(key) BETWEEN 1 AND 512),
            value BLOB NOT NULL,
            PRIMARY KEY (domain, key)
        ) STRICT;
        CREATE TABLE feed (
            name TEXT PRIMARY KEY NOT NULL CHECK (length(name) BETWEEN 1 AND 512),
            validators BLOB NOT NULL
        ) STRICT;
        CREATE TABLE alert (
            rule TEXT NOT NULL CHECK (length(rule) BETWEEN 1 AND 512),
            subject TEXT NOT NULL CHECK (length(subject) BETWEEN 1 AND 512),
            state BLOB NOT NULL,
            PRIMARY KEY (rule, subject)
        ) STRICT;
        CREATE TABLE delivery (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            endpoint TEXT NOT NULL CHECK (length(endpoint) BETWEEN 1 AND 512),
            message_id TEXT NOT NULL CHECK (length(message_id) BETWEEN 1 AND 512),
            event_type TEXT NOT NULL,
            subject TEXT,
            body BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            status INTEGER NOT NULL CHECK (status BETWEEN 0 AND 2),
            status_at INTEGER NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
            status_code INTEGER,
            state BLOB NOT NULL DEFAULT x'',
            UNIQUE (endpoint, message_id)
        ) STRICT;
        CREATE INDEX delivery_by_status ON delivery (status, status_at);
        CREATE INDEX delivery_by_endpoint ON delivery (endpoint);
        CREATE INDEX delivery_pending ON delivery (endpoint) WHERE status = 0;

        INSERT INTO hub (id, epoch, cursor_base) VALUES (1, 'epoch-of-1', 1000);
        INSERT INTO topic (id, name, evicted_offset, evicted_cursor)
            VALUES (1, 'radar:1', 1, 1001), (2, 'news:global', 0, 0);
        INSERT INTO publication (cursor, topic_id, topic_offset, time, payload)
            VALUES (1002, 1, 2, 5, x'61'), (1003, 2, 1, 6, x'62');
        """

    private func makeVersion1(_ directory: String) throws {
        let database = try DatabaseQueue(path: directory + "/varde.sqlite")
        try database.writeWithoutTransaction { try $0.execute(sql: Self.version1) }
        try database.close()
    }

    /// A file as the second version made it of one of the first.
    private func makeVersion2(_ directory: String) throws {
        try makeVersion1(directory)
        let database = try DatabaseQueue(path: directory + "/varde.sqlite")
        try database.writeWithoutTransaction { database in
            try database.execute(
                sql: """
                    PRAGMA user_version = 2;

                    ALTER TABLE hub ADD COLUMN cursors_reserved INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE publication ADD COLUMN tags BLOB;
                    ALTER TABLE publication ADD COLUMN info BLOB;
                    ALTER TABLE publication ADD COLUMN allows_delta INTEGER NOT NULL DEFAULT 0;
                    CREATE TABLE idempotency (
                        id INTEGER PRIMARY KEY,
                        topic_id INTEGER NOT NULL REFERENCES topic (id),
                        key TEXT NOT NULL,
                        topic_offset INTEGER NOT NULL CHECK (topic_offset >= 0),
                        time INTEGER NOT NULL,
                        UNIQUE (topic_id, key)
                    ) STRICT;
                    CREATE TABLE version (
                        topic_id INTEGER PRIMARY KEY REFERENCES topic (id),
                        number INTEGER NOT NULL,
                        epoch TEXT NOT NULL
                    ) STRICT;
                    CREATE TABLE probe (
                        id INTEGER PRIMARY KEY CHECK (id = 1),
                        filler BLOB NOT NULL
                    ) STRICT;

                    UPDATE hub SET cursors_reserved = 5000;
                    INSERT INTO version (topic_id, number, epoch) VALUES (1, 7, 'v');
                    """
            )
        }
        try database.close()
    }

    @Test func fileOfVersion2KeepsWhatItHas() async throws {
        try await withDirectory { directory in
            try makeVersion2(directory)
            let store = try openStore(directory)
            expectEqual(store.epoch, "epoch-of-1")
            expectEqual(store.memoryCursorBase, 5000)
            try await expectEqual(store.loadAll().flatMap(\.publications).map(text), ["a", "b"])
            var versioned = event(radar, "c")
            versioned.version = EventVersion(number: 7, epoch: "v")
            let outcome = try await store.publish(versioned)
            expectEqual(outcome, .stale(Position(offset: 2, epoch: store.epoch)))
            try await store.close()
        }
    }

    @Test func fileOfVersion1IsBroughtUpToDateAndKeepsWhatItHas() async throws {
        try await withDirectory { directory in
            try makeVersion1(directory)
            let store = try openStore(directory)
            expectEqual(store.epoch, "epoch-of-1")
            expectEqual(store.memoryCursorBase, 1003)
            let topics = try await store.loadAll()
            expectEqual(topics.map(\.topic), [radar, news])
            expectEqual(topics[0].evictedCursor, 1001)
            expectEqual(topics.flatMap(\.publications).map(text), ["a", "b"])
            expect(topics.flatMap(\.publications).allSatisfy { $0.tags.isEmpty && $0.info == nil })

            var full = event(radar, "c")
            full.tags = ["a": "b"]
            full.idempotencyKey = "k"
            full.version = EventVersion(number: 1)
            let published = [try await store.publish(full)].publications
            expectEqual(published.map(\.offset), [3])
            expectEqual(published.map(\.cursor), [1004])
            try await expectEqual(store.loadAll()[0].publications.last, published[0])
            try await store.close()
        }
    }

    /// A file as the third version made it: the same as the latest, but for what came since.
    private func makeVersion3(_ directory: String) async throws {
        try await openStore(directory).close()
        let database = try DatabaseQueue(path: directory + "/varde.sqlite")
        try await database.writeWithoutTransaction { database in
            try database.execute(
                sql: """
                    PRAGMA user_version = 3; DROP TABLE delivery_tag;
                    \(Self.withoutVersion5)
                    """
            )
        }
        try database.close()
    }

    /// A file as the fourth version made it: with a topic of which all was evicted, at offset 3.
    private func makeVersion4(_ directory: String) async throws {
        let store = try openStore(directory)
        try await store.commit((1...3).map { event(radar, "\($0)") })
        try await store.trimPublications(now: startOfTests) { _ in HistoryLimit.none }
        try await store.close()
        let database = try DatabaseQueue(path: directory + "/varde.sqlite")
        try await database.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA user_version = 4; \(Self.withoutVersion5)")
        }
        try database.close()
    }

    private static let withoutVersion5 = """
        ALTER TABLE topic DROP COLUMN beginning; ALTER TABLE topic DROP COLUMN past_time;
        DROP TABLE forgotten;
        \(withoutVersion6)
        """

    private static let withoutVersion6 = """
        ALTER TABLE publication DROP COLUMN checksum; ALTER TABLE delivery DROP COLUMN checksum;
        ALTER TABLE hub DROP COLUMN unchecked_cursor; ALTER TABLE hub DROP COLUMN unchecked_delivery;
        \(withoutCore7)
        DROP TABLE migration;
        """

    /// The steps since the numbered versions.
    private static let withoutCore7 = """
        ALTER TABLE delivery DROP COLUMN topic; DROP TABLE attempt; DROP TABLE alert_record;
        """

    /// A file as the fifth version made it: without checksums.
    private func makeVersion5(_ directory: String) async throws {
        let store = try openStore(directory)
        try await store.commit((1...3).map { event(radar, "\($0)") })
        _ = try await store.commit(Change(deliveries: [delivery("m")]))
        try await store.close()
        let database = try DatabaseQueue(path: directory + "/varde.sqlite")
        try await database.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA user_version = 5; \(Self.withoutVersion6)")
        }
        try database.close()
    }

    @Test func rowsOfVersion5AreReadUncheckedAndLaterOnesAreNot() async throws {
        try await withDirectory { directory in
            try await makeVersion5(directory)
            let store = try openStore(directory)
            _ = try await store.publish(event(radar, "4"))
            let topics = try await store.loadAll()
            expectEqual(topics[0].publications.map(text), ["1", "2", "3", "4"])
            let pending = try await store.pendingDeliveries(perEndpoint: 9)
            expectEqual(pending.map(\.messageID), ["m"])
            try await store.pool.writeWithoutTransaction { database in
                try database.execute(sql: "UPDATE publication SET checksum = NULL")
            }
            let damaged = try await store.loadAll()[0]
            expect(damaged.publications.isEmpty, "the fourth cannot be without a checksum")
            expectEqual(damaged.damagedOffset, 4)
            try await store.close()
        }
    }

    /// The file does not say since when its topics are empty, so their time begins with the first
    /// look.
    @Test func emptyTopicOfVersion4IsForgottenOnlyAfterItsTime() async throws {
        try await withDirectory { directory in
            try await makeVersion4(directory)
            let store = try openStore(directory)
            func forget(at seconds: Int) async throws -> Int {
                try await store.forgetTopics(
                    now: startOfTests + .seconds(seconds),
                    quietTime: { _ in .seconds(1000) },
                    unused: { $0 }
                )
            }
            try await expectEqual(forget(at: 50_000), 0)
            try await expectEqual(store.loadAll().map(\.topOffset), [3])
            try await expectEqual(forget(at: 51_000), 0)
            try await expectEqual(forget(at: 51_001), 1)
            try await store.close()
        }
    }

    @Test(arguments: [1, 2, 3, 4, 5])
    func migratedFileHasTheSchemaOfANewOne(_ version: Int) async throws {
        try await withDirectory { directory in
            switch version {
            case 1: try makeVersion1(directory)
            case 2: try makeVersion2(directory)
            case 3: try await makeVersion3(directory)
            case 4: try await makeVersion4(directory)
            default: try await makeVersion5(directory)
            }
            let migrated = try openStore(directory)
            let new = try await withStore { try await columns(of: $0) }
            try await expectEqual(columns(of: migrated), new)
            try await migrated.close()
        }
    }

    /// Of all tables and indexes, in the order of their names.
    private func columns(of store: HubStore) async throws -> [String] {
        try await store.pool.read { database in
            try String.fetchAll(
                database,
                sql: """
                    SELECT entry.name || '.' || info.name || ' ' || info.type || ' ' || info."notnull"
                    FROM sqlite_schema AS entry JOIN pragma_table_xinfo(entry.name) AS info
                    UNION ALL
                    SELECT entry.name || ': ' || coalesce(info.name, '')
                    FROM sqlite_schema AS entry JOIN pragma_index_info(entry.name) AS info
                    ORDER BY 1
                    """
            )
        }
    }
}
