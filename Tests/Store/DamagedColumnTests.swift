import Expectations
import StoreTesting

@testable import Store

@Suite("Columns that are not as the schema says", .timeLimit(.minutes(10)))
struct DamagedColumnTests {
    private static let columns = """
        SELECT CAST(NULLIF(1, 1) AS INTEGER), CAST('text' AS TEXT), CAST(7 AS INTEGER)
        """

    @Test func nullAndOtherTypesAreErrors() async throws {
        try await withStore { store in
            try await store.reading { session in
                let row = try require(session.row(Self.columns))
                #expect(throws: DamagedValue.self) { try row[0] as Int }
                #expect(throws: DamagedValue.self) { try row[0] as String }
                #expect(throws: DamagedValue.self) { try row[0] as [UInt8] }
                #expect(throws: DamagedValue.self) { try row.instant(0) }
                #expect(throws: DamagedValue.self) { try row[1] as Int64 }
                #expect(throws: DamagedValue.self) { try row[1] as Int64? }
                #expect(throws: DamagedValue.self) { try row[1] as Double }
                #expect(throws: DamagedValue.self) { try row[1] as Bool }
                #expect(throws: DamagedValue.self) { try row[1] as [UInt8] }
                #expect(throws: DamagedValue.self) { try row[2] as String }
                #expect(throws: DamagedValue.self) { try row[2] as String? }
                #expect(throws: DamagedValue.self) { try row.value(1) { $0 } }
                try expectNil(row[0] as Int?)
                try expectNil(row.optionalInstant(0))
                try expectEqual(row[1] as String, "text")
                try expectEqual(row[2] as Double, 7)
                #expect(throws: DamagedValue.self) {
                    try session.integer("SELECT CAST('text' AS TEXT)")
                }
                try expectNil(session.integer("SELECT CAST(NULLIF(1, 1) AS INTEGER)"))
            }
        }
    }

    private static let numbers = """
        SELECT 9007199254740992, 9007199254740993, -9007199254740993, 9223372036854775807,
            CAST(-1 AS INTEGER), 4611686018427387903
        """

    /// A sum with such a number would end the process.
    @Test func numbersThatNoHubCountsToAreErrors() async throws {
        try await withStore { store in
            try await store.reading { session in
                let row = try require(session.row(Self.numbers))
                try expectEqual(row[0] as Int, 1 << 53)
                for column in 1...3 {
                    #expect(throws: DamagedValue.self) { try row[column] as Int }
                    #expect(throws: DamagedValue.self) { try row[column] as Int? }
                }
                try expectEqual(row[3] as Int64, .max)
                try expectEqual(row[4] as Int, -1)
                #expect(throws: DamagedValue.self) { try row.count(4) }
                #expect(throws: DamagedValue.self) { try row.place(3) }
                try expectEqual(row.place(4), 0)
                try expectEqual(row.place(5), UInt64(SQLRow.placeMax))
            }
        }
    }

    @Test(arguments: ["evicted_cursor", "evicted_offset", "erased_cursor", "erased_offset"])
    func topicWithADamagedPlaceDoesNotKeepTheOthers(column: String) async throws {
        try await withDirectory { directory in
            let former = try openStore(directory)
            try await former.commit([event(radar, "a"), event(news, "b")])
            try await former.onSession { session in
                try session.run(
                    "UPDATE topic SET \(column) = 9223372036854775807 WHERE name = ?",
                    [radar.name]
                )
            }
            try await former.close()
            let store = try openStore(directory)
            _ = try await store.publish(event(news, "c"))
            let found = try await store.history(of: news, count: 9)
            expectEqual(found?.publications.map(text), ["b", "c"])
            _ = try await store.trimPublications(now: startOfTests) { _ in
                HistoryLimit(count: 1, age: nil)
            }
            try await store.close()
        }
    }

    @Test(.needsFile, arguments: ["cursor_base", "cursors_reserved"])
    func hubWithADamagedPlaceDoesNotStart(column: String) async throws {
        try await withDirectory { directory in
            let former = try openStore(directory)
            try await former.onSession { session in
                try session.run("UPDATE hub SET \(column) = 9223372036854775807")
            }
            try await former.close()
            let error = #expect(throws: StoreError.self) { try openStore(directory) }
            expectEqual(error?.code, .corrupt)
        }
    }

    private static let threeRows = """
        SELECT number FROM (SELECT 1 AS place, 5 AS number UNION ALL
        SELECT 2, CAST(NULLIF(1, 1) AS INTEGER) UNION ALL SELECT 3, 6) AS rows ORDER BY place
        """

    @Test func damagedRowOfASnapshotIsLeftOutAndReported() async throws {
        try await withStore { store in
            let notices = Locked<[StoreNotice]>([])
            store.setNoticeHandler { notice in notices.withLock { $0.append(notice) } }
            let numbers = try await store.reading { try $0.integers(Self.threeRows) }
            expectEqual(numbers, [5, 6])
            let damaged = StoreNotice.damaged(
                .row(statement: Self.threeRows, reason: "column 0 is NULL")
            )
            expect(notices.withLock { $0 }.contains(damaged))
            expectEqual(store.losses.rows, 1)
        }
    }

    @Test func damagedRowFailsAWriteAndNoOther() async throws {
        try await withStore { store in
            let error = await #expect(throws: StoreError.self) {
                _ = try await store.write { session in
                    Written(rowCount: try session.integers(Self.threeRows).count)
                }
            }
            expectEqual(error?.code, .corrupt)
            try await store.commit([event(news, "goes on")])
        }
    }
}
