import Expectations
import Foundation
import HubTesting

@testable import Service

@Suite("Accounts: logins in the store", .timeLimit(.minutes(10)))
struct StoredAccountsTests {
    private static let start = Timestamp(milliseconds: 1_780_000_000_000)

    /// A directory that knows one user, whom a test can delete.
    private struct OneUser: AccountDirectory {
        var isDeleted = false
        var form: AccountForm { .messageAndCode }

        func account(
            of identity: ProvidedIdentity,
            newcomer: Newcomer,
            _ session: SQLSession,
            path: String
        ) -> Account {
            Account(user: "u1", json: Array("{}".utf8))
        }

        func account(_ user: String, _ session: SQLSession, path: String) -> Account? {
            isDeleted ? nil : Account(user: user, json: Array("{}".utf8))
        }
    }

    private func login(
        _ subject: String = "001",
        provider: LoginProvider = .apple,
        name: String = "Kari",
        byte: UInt8 = 1
    ) -> NewLogin {
        NewLogin(
            identity: ProvidedIdentity(provider: provider, subject: subject),
            newcomer: Newcomer(name: name, email: "kari@example.org", at: Self.start),
            hash: [UInt8](repeating: byte, count: 32),
            family: "f\(byte)",
            expiresAt: Self.start + .seconds(3600)
        )
    }

    private func withStored(
        _ directory: any AccountDirectory = AccountTableDirectory(),
        _ body: (StoredAccounts, HubStore) async throws -> Void
    ) async throws {
        try await withTemporaryStore(migrations: AccountTables.migrations) { store in
            try await body(StoredAccounts(store: store, directory: directory), store)
        }
    }

    private func rotation(
        of byte: UInt8,
        to next: UInt8,
        _ family: [RefreshRecord]
    ) -> RefreshDecision {
        RefreshDecision.decide(
            [UInt8](repeating: byte, count: 32),
            successor: [UInt8](repeating: next, count: 32),
            family: family,
            lifetime: .seconds(3600),
            now: Self.start
        )
    }

    @Test func accountIsFoundByItsIdentityAndKeepsWhatItHas() async throws {
        try await withStored { stored, _ in
            let first = try await stored.begin(login(), familiesMax: 9).account
            let again = try await stored.begin(login(name: "Ola", byte: 2), familiesMax: 9).account
            expectEqual(again, first)
            let user = try require(UUID(uuidString: first.user)).uuidString.lowercased()
            let json = #"{"user_id":"\#(user)","name":"Kari","email":"kari@example.org"}"#
            expectEqual(String(decoding: first.json, as: UTF8.self), json)
            let other = try await stored.begin(login("002", byte: 3), familiesMax: 9).account
            expect(other.user != first.user)
            let development = login(provider: .development, byte: 4)
            let third = try await stored.begin(development, familiesMax: 9).account
            expect(third.user != first.user, "the same subject of another provider")
        }
    }

    @Test func loginsOfANewUserAtTheSameTimeMakeOneAccount() async throws {
        try await withStored { stored, _ in
            let users = try await withThrowingTaskGroup(of: String.self) { group in
                for byte in 1...32 as ClosedRange<UInt8> {
                    group.addTask {
                        try await stored.begin(login(byte: byte), familiesMax: 99).account.user
                    }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            expectEqual(users.count, 1)
        }
    }

    @Test func refreshRotatesTheTokenAndAnswersTheAccount() async throws {
        try await withStored { stored, store in
            let account = try await stored.begin(login(), familiesMax: 9).account
            let hash = [UInt8](repeating: 1, count: 32)
            let (_, found) = try await stored.refresh(hash, at: Self.start) {
                rotation(of: 1, to: 2, $0)
            }
            expectEqual(found, account)
            let family = try await store.read(AccountTables.self) { try $0.records(family: "f1") }
            expectEqual(family.count, 2)
            expectEqual(family.first { $0.hash == hash }?.usedAt, Self.start)
            expect(family.allSatisfy { $0.user == account.user })
        }
    }

    @Test func ofConcurrentRepetitionsOneSuccessorStaysGood() async throws {
        try await withStored { stored, store in
            _ = try await stored.begin(login(), familiesMax: 9)
            let hash = [UInt8](repeating: 1, count: 32)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for byte in 2...9 as ClosedRange<UInt8> {
                    group.addTask {
                        _ = try await stored.refresh(hash, at: Self.start) {
                            rotation(of: 1, to: byte, $0)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let family = try await store.read(AccountTables.self) { try $0.records(family: "f1") }
            expectEqual(family.count, 9)
            expectEqual(family.filter { $0.usedAt == nil }.count, 1)
            let replaced = try require(family.first { $0.usedAt.map { $0 < Self.start } ?? false })
            let (decision, _) = try await stored.refresh(replaced.hash, at: Self.start) {
                rotation(of: replaced.hash[0], to: 20, $0)
            }
            expectEqual(decision, .revoke(family: "f1", user: replaced.user))
            let rest = try await store.read(AccountTables.self) { try $0.records(family: "f1") }
            expect(rest.isEmpty)
        }
    }

    @Test func userWithoutAnAccountGetsNoOtherToken() async throws {
        try await withStored(OneUser(isDeleted: true)) { stored, store in
            _ = try await stored.begin(login(), familiesMax: 9)
            let hash = [UInt8](repeating: 1, count: 32)
            let (decision, account) = try await stored.refresh(hash, at: Self.start) {
                rotation(of: 1, to: 2, $0)
            }
            expectEqual(decision, .refuse(.unknown))
            expectNil(account)
            let family = try await store.read(AccountTables.self) { try $0.records(family: "f1") }
            expectEqual(family.map(\.usedAt), [nil], "nothing was changed")
        }
    }

    @Test func loginEndsByAnyOfItsTokens() async throws {
        try await withStored(OneUser()) { stored, _ in
            _ = try await stored.begin(login(), familiesMax: 9)
            let hash = [UInt8](repeating: 1, count: 32)
            try await expectEqual(stored.removeFamily(of: hash, at: Self.start)?.family, "f1")
            try await expectNil(stored.removeFamily(of: hash, at: Self.start))
            let ended = try await stored.endedLogins(after: Self.start - .seconds(1), limit: 9)
            expectEqual(ended, [EndedLogin(family: "f1", endedAt: Self.start)])
        }
    }

    @Test func oneLoginTooManyEndsAnother() async throws {
        try await withStored(OneUser()) { stored, _ async throws in
            for byte in [1, 2] as [UInt8] {
                try await expectEqual(stored.begin(login(byte: byte), familiesMax: 2).ended, [])
            }
            var third = login(byte: 3)
            third.expiresAt = third.expiresAt + .seconds(1)
            try await expectEqual(stored.begin(third, familiesMax: 2).ended, ["f2"])
        }
    }
}
