import Expectations
import Foundation
import PostgresTesting
import StoreTesting

@testable import Store

/// From which engine to which a store is copied.
enum CopyDirection: CaseIterable, CustomTestStringConvertible {
    case toPostgres
    case toFile

    var testDescription: String { self == .toPostgres ? "to PostgreSQL" : "to a file" }
}

/// A file and a schema of a test, of which one is the source and the other the target.
struct CopyPlaces {
    let direction: CopyDirection
    let file: String
    let schema: String
    let url: String

    static let boot = "boot-1"

    init(_ direction: CopyDirection, _ directory: String) throws {
        self.direction = direction
        file = directory + "/varde.sqlite"
        schema = "c" + UUID().uuidString.replacing("-", with: "").lowercased()
        url = try testServer() + "&schema=" + schema
    }

    var source: String { direction == .toPostgres ? file : url }
    var target: String { direction == .toPostgres ? url : file }

    var back: CopyPlaces {
        get throws {
            try CopyPlaces(direction == .toPostgres ? .toFile : .toPostgres, self)
        }
    }

    private init(_ direction: CopyDirection, _ other: CopyPlaces) throws {
        self.direction = direction
        (file, schema, url) = (other.file, other.schema, other.url)
    }

    func open(
        _ path: String,
        boot: String? = CopyPlaces.boot,
        epoch: String = "epoch-1",
        migrations: [Migration] = CopyPlaces.migrations
    ) throws -> HubStore {
        try HubStore(
            StoreOptions(
                path: path,
                synchronous: .normal,
                busyTimeout: .milliseconds(1),
                bootIdentifier: boot,
                isDurable: isDurable,
                wallClock: { startOfTests },
                migrations: migrations
            ),
            wall: startOfTests,
            newEpoch: epoch
        )
    }

    func copy(
        migrations: [Migration] = CopyPlaces.migrations,
        _ planted: @escaping @Sendable (any CopyEnd) throws -> Void = { _ in }
    ) throws -> [StoreCopy.Table] {
        var copy = StoreCopy(migrations: migrations, bootIdentifier: Self.boot)
        copy.beforeComparison = planted
        var tables: [StoreCopy.Table] = []
        try copy.copy(from: source, to: target) { tables.append($0) }
        return tables
    }

    /// The error of a copy that must fail, after which the target must have nothing.
    func refusal(
        migrations: [Migration] = CopyPlaces.migrations,
        _ planted: @escaping @Sendable (any CopyEnd) throws -> Void = { _ in }
    ) throws -> StoreError? {
        let error = #expect(throws: StoreError.self) {
            try copy(migrations: migrations, planted)
        }
        try expectNothingInTarget()
        return error
    }

    func expectNothingInTarget() throws {
        guard direction == .toFile else {
            try expectEqual(entries, 0)
            return
        }
        let directory = URL(filePath: file).deletingLastPathComponent().path
        let names = Set(try FileManager.default.contentsOfDirectory(atPath: directory))
        expect(names.isSubset(of: ["varde.sqlite-lock"]), "\(names)")
    }

    /// The number of tables, indexes and sequences in the schema.
    private var entries: Int64? {
        get throws {
            try run(
                """
                SELECT count(*) FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
                WHERE nspname = '\(schema)'
                """
            ).integer(0, 0)
        }
    }

    /// Runs a statement in the schema, as somebody else.
    @discardableResult
    func run(_ sql: String) throws -> PostgresResult {
        let connection = try PostgresConnection(testServer())
        try connection.execute("SET search_path = \(schema), pg_catalog")
        return try connection.run(sql)
    }

    // MARK: Rows

    /// Tables as domains have them. Those of `texts.1` differ: PostgreSQL has ordinary tables with
    /// generated columns in place of SQLite's full-text tables.
    static let migrations = [
        Migration(
            "things.1",
            sql: """
                CREATE TABLE thing (
                    id INTEGER PRIMARY KEY AUTOINCREMENT,
                    name TEXT NOT NULL,
                    weight REAL,
                    "user" BLOB
                ) STRICT;
                CREATE TABLE a_tag (
                    tag TEXT NOT NULL,
                    rank REAL NOT NULL,
                    thing_id INTEGER NOT NULL REFERENCES thing (id),
                    PRIMARY KEY (tag, rank, thing_id)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE written (number INTEGER, key BLOB NOT NULL UNIQUE) STRICT;
                """
        ),
        Migration(
            "texts.1",
            sql: """
                CREATE VIRTUAL TABLE film_text USING fts5 (title, people, tokenize = 'ascii');
                CREATE TABLE article (id INTEGER PRIMARY KEY, title TEXT NOT NULL) STRICT;
                CREATE VIRTUAL TABLE article_text USING fts5 (
                    title, content = 'article', content_rowid = 'id'
                );
                CREATE TRIGGER article_inserted AFTER INSERT ON article BEGIN
                    INSERT INTO article_text (rowid, title) VALUES (new.id, new.title);
                END;
                """,
            postgres: """
                CREATE TABLE film_text (
                    "rowid" BIGINT PRIMARY KEY, title TEXT NOT NULL, people TEXT NOT NULL,
                    words TSVECTOR GENERATED ALWAYS AS (to_tsvector('simple', title)) STORED
                );
                CREATE TABLE article (
                    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
                    title TEXT NOT NULL,
                    words TSVECTOR GENERATED ALWAYS AS (to_tsvector('simple', title)) STORED
                );
                """
        ),
    ]

    /// Writes rows of every table of the hub, and of the tables above.
    static func fill(_ store: HubStore) async throws {
        try await store.commit((1...8).map { event(radar, "radar \($0)", at: $0) })
        var tagged = event(news, "\0 é ☃", at: 9)
        tagged.tags = ["kind": "a", "é": ""]
        tagged.info = ClientInfo(user: "ann", client: "c")
        tagged.allowsDelta = true
        tagged.idempotencyKey = "key"
        tagged.version = EventVersion(number: .max, epoch: "v")
        try await store.commit([tagged, event(chat, "in memory"), event(news, "", at: 10)])
        try await store.trimPublications(now: startOfTests) { _ in HistoryLimit(count: 5, age: nil)
        }
        var sent = delivery("m-1")
        (sent.topics, sent.tags) = ([news], ["kind": "a"])
        let change = Change(
            state: [StateRow(domain: "d", key: "é", value: [0, 255])],
            feeds: [
                FeedRow(name: "f", validators: []),
                FeedRow(name: "long", validators: Array(repeating: 0xA5, count: 1 << 20)),
            ],
            alerts: [AlertRow(rule: "r", subject: "s", state: [1])],
            deliveries: [sent, delivery("m-2"), delivery("m-3", to: "endpoint-2")],
            clock: startOfTests
        )
        _ = try await store.commit(change)
        let last = try await require(store.pendingDeliveries(perEndpoint: 9).last)
        _ = try await store.removeDeliveries(of: last.endpoint)
        try await store.commit(CopiedThings.self) { things in
            try things.fill()
            return (Change(), ())
        }
    }
}

/// The rows of `CopyPlaces.migrations`.
struct CopiedThings: DomainTables {
    let session: SQLSession

    init(_ session: SQLSession, path _: String) { self.session = session }

    func fill() throws {
        let things: [(String, Double?, [UInt8]?)] = [
            ("Z", 0.1, nil), ("a", nil, []), ("é", -1e300, [0]),
            ("", 5, Array(repeating: 7, count: 99)),
        ]
        for thing in things {
            let id = try session.insert(
                "INSERT INTO thing (name, weight, user) VALUES (?, ?, ?) RETURNING id",
                [thing.0, thing.1, thing.2]
            )
            try session.run(
                "INSERT INTO a_tag (tag, rank, thing_id) VALUES (?, ?, ?)",
                [thing.0, thing.1 ?? -0.0, id]
            )
        }
        try session.run("DELETE FROM a_tag WHERE thing_id = 4")
        try session.run("DELETE FROM thing WHERE id = 4")
        for key: [UInt8] in [[9], [], [0], [0, 1]] {
            try session.run("INSERT INTO written (number, key) VALUES (?, ?)", [key.count, key])
        }
        for number in [3, 1, 70_000] {
            // "rowid" in quotation marks is a column in both engines.
            try session.run(
                "INSERT INTO film_text (\"rowid\", title, people) VALUES (?, ?, ?)",
                [number, "film \(number)", ""]
            )
            try session.run(
                "INSERT INTO article (id, title) VALUES (?, ?)",
                [number, "article \(number)"]
            )
        }
    }
}
