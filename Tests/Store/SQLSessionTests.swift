import Expectations
import StoreTesting

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
            let first = try require(session.row(Self.select, [id]))
            try expectEqual(first[0] as Int64, .min)
            try expectEqual(first[1] as Double, -0.5)
            try expectEqual(first[2] as String, "é")
            try expectEqual(first[3] as [UInt8], [0, 255])
            let second = try require(session.row(Self.select, [id + 1]))
            try expect(second[0] as Bool)
            try expectEqual(second[0] as Int, 1)
            try expectEqual(second[1] as Double, .infinity)
            try expectEqual(second[2] as String, "")
            try expectEqual(second[3] as [UInt8], [])
        }
    }

    @Test func nilIsNull() async throws {
        try await withSession { session in
            let id = try session.insert(
                Self.insert,
                [nil as Int?, nil as Double?, nil as String?, nil as [UInt8]?]
            )
            let row = try require(session.row(Self.select, [id]))
            expect((0..<4).allSatisfy { row.isNull($0) })
            try expectNil(row[0] as Int?)
            try expectNil(row[1] as Double?)
            try expectNil(row[2] as String?)
            try expectNil(row[3] as [UInt8]?)
            try expectNil(row.optionalInstant(0))
            try expectNil(session.integer("SELECT number FROM thing"))
        }
    }

    @Test func rowsComeInOrderAndChangesAreCounted() async throws {
        try await withSession { session in
            for number in 1...3 { try session.run(Self.insert, [number, nil, nil, nil]) }
            try expectEqual(session.integers("SELECT number FROM thing ORDER BY 1"), [1, 2, 3])
            let large = SQLArguments([2]) + [3]
            try expectEqual(
                session.changes("UPDATE thing SET text = 'x' WHERE number IN (?, ?)", large),
                2
            )
            try expectEqual(session.changes("DELETE FROM thing WHERE number = ?", [9]), 0)
            let none = try session.row("SELECT id FROM thing WHERE number = ?", [9])
            try expectNil(none.map { try $0[0] as Int })
            let texts: [String?] = try session.rows("SELECT text FROM thing ORDER BY id") {
                try $0[0]
            }
            expectEqual(texts, [nil, "x", "x"])
        }
    }

    @Test(.needsFile) func statementIsPreparedOnce() async throws {
        try await withSession { session in
            try session.run(Self.insert, [1, nil, nil, nil])
            let first = try session.database.cachedStatement(sql: Self.insert)
            try session.run(Self.insert, [2, nil, nil, nil])
            try expect(session.database.cachedStatement(sql: Self.insert) === first)
        }
    }

    @Test func numberThatMakesNoValueIsCorruption() async throws {
        try await withSession { session in
            let id = try session.insert(Self.insert, [7, nil, nil, nil])
            let row = try require(session.row(Self.select, [id]))
            try expectEqual(row.value(0) { $0 }, 7)
            let error = #expect(throws: (any Error).self) {
                try row.value(0) { _ in nil as Int? }
            }
            let found = error.map { StoreError.translating($0, path: "p") } as? StoreError
            expectEqual(found?.code, .corrupt)
        }
    }
}
