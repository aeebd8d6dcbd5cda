import StoreTesting
import Testing

@testable import Store

@Suite("Sessions: statements of domain tables", .timeLimit(.minutes(10)))
struct SQLSessionTests {
    private func withSession<Value: Sendable>(
        _ body: @escaping @Sendable (SQLSession) throws -> Value
    ) async throws -> Value {
        try await withStore(migrations: [things]) { store in
            try await store.onSession(body)
        }
    }

    private let things = Migration(
        "things.1",
        sql: """
            CREATE TABLE thing (
                id INTEGER PRIMARY KEY, number INTEGER, share REAL, text TEXT, bytes BLOB
            ) STRICT
            """
    )

    private static let insert =
        "INSERT INTO thing (number, share, text, bytes) VALUES (?, ?, ?, ?) RETURNING id"
    private static let select = "SELECT number, share, text, bytes FROM thing WHERE id = ?"

    @Test func valuesComeBackAsTheyWere() async throws {
        try await withSession { session in
            let id = try session.insert(
                Self.insert,
                [Int64.min, -0.5, "é", [0, 255] as [UInt8]]
            )
            try session.run(Self.insert, [true, Double.infinity, "", [] as [UInt8]])
            let first = try #require(try session.row(Self.select, [id]))
            #expect(try first[0] as Int64 == .min)
            #expect(try first[1] as Double == -0.5)
            #expect(try first[2] as String == "é")
            #expect(try first[3] as [UInt8] == [0, 255])
            let second = try #require(try session.row(Self.select, [id + 1]))
            #expect(try second[0] as Bool)
            #expect(try second[0] as Int == 1)
            #expect(try second[1] as Double == .infinity)
            #expect(try second[2] as String == "")
            #expect(try second[3] as [UInt8] == [])
        }
    }

    @Test func nilIsNull() async throws {
        try await withSession { session in
            let id = try session.insert(
                Self.insert,
                [nil as Int?, nil as Double?, nil as String?, nil as [UInt8]?]
            )
            let row = try #require(try session.row(Self.select, [id]))
            #expect((0..<4).allSatisfy { row.isNull($0) })
            #expect(try row[0] as Int? == nil)
            #expect(try row[1] as Double? == nil)
            #expect(try row[2] as String? == nil)
            #expect(try row[3] as [UInt8]? == nil)
            #expect(try row.optionalInstant(0) == nil)
            #expect(try session.integer("SELECT number FROM thing") == nil)
        }
    }

    @Test func rowsComeInOrderAndChangesAreCounted() async throws {
        try await withSession { session in
            for number in 1...3 { try session.run(Self.insert, [number, nil, nil, nil]) }
            #expect(try session.integers("SELECT number FROM thing ORDER BY 1") == [1, 2, 3])
            let large = SQLArguments([2]) + [3]
            #expect(
                try session.changes("UPDATE thing SET text = 'x' WHERE number IN (?, ?)", large)
                    == 2
            )
            #expect(try session.changes("DELETE FROM thing WHERE number = ?", [9]) == 0)
            let none = try session.row("SELECT id FROM thing WHERE number = ?", [9])
            #expect(try none.map { try $0[0] as Int } == nil)
            let texts: [String?] = try session.rows("SELECT text FROM thing ORDER BY id") {
                try $0[0]
            }
            #expect(texts == [nil, "x", "x"])
        }
    }

    @Test(.needsFile) func statementIsPreparedOnce() async throws {
        try await withSession { session in
            try session.run(Self.insert, [1, nil, nil, nil])
            let first = try session.database.cachedStatement(sql: Self.insert)
            try session.run(Self.insert, [2, nil, nil, nil])
            #expect(try session.database.cachedStatement(sql: Self.insert) === first)
        }
    }

    @Test func numberThatMakesNoValueIsCorruption() async throws {
        try await withSession { session in
            let id = try session.insert(Self.insert, [7, nil, nil, nil])
            let row = try #require(try session.row(Self.select, [id]))
            #expect(try row.value(0) { $0 } == 7)
            let error = #expect(throws: (any Error).self) {
                try row.value(0) { _ in nil as Int? }
            }
            let found = error.map { StoreError.translating($0, path: "p") } as? StoreError
            #expect(found?.code == .corrupt)
        }
    }
}
