import Activity
import Expectations
import Foundation
import HubTesting
import Repository
import Service

@testable import ActivityApp

@Suite("Film app: people are the accounts", .timeLimit(.minutes(10)))
struct PersonAccountsTests {
    private static let start = Timestamp(milliseconds: 1_780_000_000_000)

    private struct Vectors: Decodable {
        struct Form: Decodable {
            var name: String
            var text: String
        }

        var forms: [Form]
    }

    private func form(_ name: String) throws -> String {
        let path = repositoryRoot + "/protocol/vectors/activity.json"
        let data = try Data(contentsOf: URL(filePath: path))
        let vectors = try JSONDecoder().decode(Vectors.self, from: data)
        return try require(vectors.forms.first { $0.name == name }).text
    }

    @Test func loginAnswersAsDocumented() throws {
        let kari = Person(
            id: 2,
            name: "Kari",
            avatarURL: "https://images.example/kari.jpg",
            email: "kari@example.com",
            createdAt: Self.start
        )
        let answer = LoginAnswer(
            accessToken: "a.b.c",
            refreshToken: "r1",
            lifetime: .seconds(86_400),
            account: Account(kari)
        )
        expectEqual(String(decoding: answer.json(), as: UTF8.self), (try form("login")))
    }

    @Test func identityLeadsToOnePersonWhoseIdIsTheUser() async throws {
        try await withTemporaryStore(migrations: filmMigrations) { store in
            let stored = StoredAccounts(store: store, directory: PersonAccounts())
            func login(_ byte: UInt8) -> NewLogin {
                NewLogin(
                    identity: ProvidedIdentity(provider: .apple, subject: "001.k"),
                    newcomer: Newcomer(name: "Kari", email: "kari@example.org", at: Self.start),
                    hash: [UInt8](repeating: byte, count: 32),
                    family: "f\(byte)",
                    expiresAt: Self.start + .seconds(60)
                )
            }
            let first = try await stored.begin(login(1), familiesMax: 9).account
            expectEqual(first.user, "1")
            try await expectEqual(stored.begin(login(2), familiesMax: 9).account, first)
            let person = try await store.readActivity { try $0.person(1) }
            expectEqual(person?.email, "kari@example.org")
            expectEqual(person?.lastActiveAt, Self.start)
        }
    }

    @Test func onlyNumbersOfPeopleAreUsers() async throws {
        try await withTemporaryStore(migrations: filmMigrations) { store in
            try await store.commitActivity { tables in
                let new = NewPerson(
                    provider: "test",
                    subject: "1",
                    name: "Kari",
                    createdAt: Self.start
                )
                return (Change(), try tables.findOrInsert(new).person.id)
            }
            for (user, isThere) in [
                ("1", true), ("2", false), ("01", false), ("+1", false), ("0", false), ("", false),
                ("5f3c0f2e-7a51-4a0e-9d5b-6f0f1f8f9b1c", false),
            ] {
                let account = try await store.read(AccountTables.self) { tables in
                    try PersonAccounts().account(user, tables.session, path: tables.path)
                }
                expectEqual((account != nil), isThere, "\(user)")
            }
        }
    }

    // MARK: Errors

    /// protocol/activity.md, Errors.
    @Test(
        arguments: [
            (.request(.missing(field: "provider", expected: "text")), 400, "INVALID_REQUEST"),
            (.bodyTooLong(bytesMax: 1), 413, "INVALID_REQUEST"),
            (.unknownProvider("other"), 400, "INVALID_REQUEST"),
            (.nameTooLong(101), 400, "INVALID_REQUEST"),
            (.token(.signature), 401, "AUTHENTICATION_REQUIRED"),
            (.refresh(.reused), 401, "AUTHENTICATION_REQUIRED"),
            (.rateLimited(retryAfterSeconds: 2), 429, "RATE_LIMIT_EXCEEDED"),
            (.unavailable, 503, "UNAVAILABLE"), (.internal, 500, "INTERNAL"),
        ] as [(AccountError, Int, String)]
    )
    func errorHasTheFormOfTheApp(error: AccountError, status: Int, code: String) {
        let response = PersonAccounts().form.response(error)
        let text = String(decoding: response.body, as: UTF8.self)
        expectEqual(response.head.status, status)
        expect(text.hasPrefix(#"{"error":{"code":"\#(code)","message":""#), "\(text)")
        expect(text.contains(#""details":{"#))
        let challenge = response.head.headers.first("WWW-Authenticate")
        expectEqual(challenge, (status == 401 ? "Bearer" : nil))
    }

    @Test func detailsSayWhatAnAppCanUse() {
        func details(_ error: AccountError) -> ActivityError.Details {
            ActivityError(error).details
        }
        expectEqual(details(.token(.expired)), .reason(.expired))
        expectEqual(details(.token(.signature)), .reason(.invalid))
        expectEqual(details(.refresh(.expired)), .reason(.expired))
        expectEqual(details(.refresh(.unknown)), .reason(.invalid))
        expectEqual(details(.refresh(.reused)), .reason(.invalid))
        expectEqual(details(.rateLimited(retryAfterSeconds: 1)), .retryAfter(seconds: 1))
        let provider = ActivityError.Details.field(
            "provider",
            expected: "a provider that is configured",
            found: "other"
        )
        expectEqual(details(.unknownProvider("other")), provider)
    }
}
