import Expectations
import HubTesting
import StoreTesting

@testable import Service

private let start = Timestamp(milliseconds: 1_780_000_000_000)

@Suite("Accounts: tables", .timeLimit(.minutes(10)))
struct AccountTablesTests {
    private func record(
        _ byte: UInt8,
        of user: String = "u1",
        _ family: String = "f1",
        expiresIn seconds: Int = 60
    ) -> RefreshRecord {
        RefreshRecord(
            hash: [UInt8](repeating: byte, count: 32),
            user: user,
            family: family,
            expiresAt: start + .seconds(seconds)
        )
    }

    private func withTables(
        _ body: @escaping @Sendable (AccountTables) throws -> Void
    ) async throws {
        try await withTemporaryStore(migrations: AccountTables.migrations) { store in
            try await store.commit(AccountTables.self) { tables in
                try body(tables)
                return (Change(), ())
            }
        }
    }

    @Test func tokensAreFoundByHashAndUsedOnce() async throws {
        let (first, second) = (record(1), record(2))
        try await withTables { tables in
            try tables.insert(first)
            try expectEqual(tables.record(hash: first.hash), first)
            try expectNil(tables.record(hash: second.hash))
            try expect(tables.noteUse(of: first.hash, at: start))
            try expectEqual(tables.record(hash: first.hash)?.usedAt, start)
            try expect(!tables.noteUse(of: second.hash, at: start))
        }
    }

    @Test func tokenIsStoredOnlyOnce() async throws {
        let record = record(1)
        await #expect(throws: StoreError.self) {
            try await withTables { tables in
                try tables.insert(record)
                try tables.insert(record)
            }
        }
    }

    @Test func loginEndsAsAWholeAndOthersStay() async throws {
        let rows = [record(1), record(2), record(3, "f2"), record(4, of: "u2", "f3")]
        try await withTables { tables in
            for row in rows { try tables.insert(row) }
            try expectEqual(tables.endLogin("f1", at: start), 2)
            try expectEqual(tables.endLogin("f1", at: start), 0)
            try expectNil(tables.record(hash: rows[1].hash))
            try expect(tables.record(hash: rows[2].hash) != nil)
            try expectEqual(tables.endLogins(of: "u1", at: start), ["f2"])
            try expect(tables.record(hash: rows[3].hash) != nil)
        }
    }

    @Test func familyIsReadAsAWholeAndTheLatestLoginsStay() async throws {
        let rows = [
            record(1, "f1", expiresIn: 1), record(2, "f1", expiresIn: 9),
            record(3, "f2", expiresIn: 5), record(4, "f3", expiresIn: 7),
            record(5, of: "u2", "f4", expiresIn: 1),
        ]
        try await withTables { tables in
            for row in rows { try tables.insert(row) }
            let family = try tables.records(family: "f1")
            expectEqual(Set(family.map(\.hash)), Set(rows.prefix(2).map(\.hash)))
            try expect(tables.records(family: "f9").isEmpty)
            try expectEqual(tables.endLogins(of: "u1", butLatest: 3, at: start), [])
            try expectEqual(tables.endLogins(of: "u1", butLatest: 2, at: start), ["f2"])
            try expect(tables.records(family: "f2").isEmpty, "expires first")
            try expectEqual(tables.records(family: "f4").count, 1, "another user's")
            try expect(tables.deleteRecord(hash: rows[0].hash))
            try expect(!tables.deleteRecord(hash: rows[0].hash))
            try expectEqual(tables.records(family: "f1"), [rows[1]])
        }
    }

    @Test func usersAreComparedByTheirBytes() async throws {
        // U+212A, the Kelvin sign, equals K in Swift; a trailing space equals none in some collations.
        let rows = [
            record(1, of: "K", "f1"), record(2, of: "\u{212a}", "f2"), record(3, of: "K ", "f3"),
        ]
        try await withTables { tables in
            for row in rows { try tables.insert(row) }
            try expectEqual(tables.endLogins(of: "K", at: start), ["f1"])
        }
    }

    @Test func loginsThatHaveEndedAreKnownUntilTheyAreTrimmed() async throws {
        try await withTemporaryStore(migrations: AccountTables.migrations) { store in
            @Sendable func ended(_ seconds: Int) -> EndedLogin {
                EndedLogin(family: "f\(seconds)", endedAt: start + .seconds(seconds))
            }
            let rows = (1...5).map { record(UInt8($0), "f\($0)") }
            try await store.commit(AccountTables.self) { tables in
                for (number, row) in zip(1..., rows) {
                    try tables.insert(row)
                    try tables.endLogin(row.family, at: ended(number).endedAt)
                }
                // An unknown login has not ended, and one that has does not end again.
                try tables.endLogin("f6", at: start)
                try tables.endLogin("f5", at: start)
                let all = try tables.endedLogins(after: start, limit: 9)
                expectEqual(all, [5, 4, 3, 2, 1].map(ended))
                let some = try tables.endedLogins(after: ended(2).endedAt, limit: 2)
                expectEqual(some, [5, 4].map(ended))
                return (Change(), ())
            }
            let stored = StoredAccounts(store: store, directory: AccountTableDirectory())
            try await stored.trimEndedLogins(endedBefore: ended(4).endedAt)
            let left = try await stored.endedLogins(after: start, limit: 9)
            expectEqual(left, [5, 4].map(ended))
        }
    }

    /// More than one batch of them.
    @Test func expiredTokensAreTrimmed() async throws {
        try await withTemporaryStore(migrations: AccountTables.migrations) { store in
            let count = 600
            let rows = (1...count).map { number in
                RefreshRecord(
                    hash: (0..<32).map { UInt8(number >> ($0 % 2 * 8) & 0xFF) },
                    user: "u",
                    family: "f",
                    expiresAt: start + .seconds(number)
                )
            }
            try await store.commit(AccountTables.self) { tables in
                for row in rows { try tables.insert(row) }
                return (Change(), ())
            }
            let stored = StoredAccounts(store: store, directory: AccountTableDirectory())
            try await stored.trimRefreshRecords(expiredBefore: start + .seconds(count))
            let left = try await store.read(AccountTables.self) { try $0.records(family: "f") }
            expectEqual(left, [rows[count - 1]])
        }
    }

    /// The tables may have millions of rows.
    @Test func rowsAreFoundByIndex() async throws {
        try await withTables { tables in
            for sql in [
                AccountTables.insertToken, AccountTables.selectToken, AccountTables.selectFamily,
                AccountTables.deleteToken, AccountTables.useToken, AccountTables.deleteFamily,
                AccountTables.selectOldFamilies, AccountTables.deleteExpiredTokens,
                AccountTables.insertEndedLogin, AccountTables.selectEndedLogins,
                AccountTables.deleteEndedLogins, AccountTables.selectAccount,
                AccountTables.selectAccountOfProvider, AccountTables.insertAccount,
            ] {
                let steps = try tables.session.plan(of: sql)
                expect(!steps.contains { $0.hasPrefix("SCAN") }, "\(steps) in: \(sql)")
            }
        }
    }

    @Test func textWithAZeroByteIsRefused() async throws {
        let record = record(1, of: "u\0")
        await #expect(throws: StoreError.self) {
            try await withTables { try $0.insert(record) }
        }
    }
}
