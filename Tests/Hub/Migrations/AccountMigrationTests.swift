import AllDomains
import Expectations
import LoopTesting
import StoreTesting
import TokenTesting

@testable import Core
@testable import Hub

/// Files of versions whose logins are in the film app's tables.
@Suite("Accounts: logins of former versions", .timeLimit(.minutes(10)))
struct AccountMigrationTests {
    /// A copy of the fixture, with the logins of Ada, who is its person 1.
    private func prepare(_ version: Int, _ directory: String) throws {
        try FormerFile.copy(version, to: directory)
        let now = HubClock.wall
        for (text, family, usedAt) in [
            ("unused", "phone", nil), ("first", "tablet", now - .seconds(600)),
            ("second", "tablet", now - .seconds(60)), ("third", "tablet", nil),
        ] as [(String, String, Timestamp?)] {
            let hash = hexadecimal(RefreshToken.hash(of: text))
            let end = (now + .seconds(3600)).milliseconds
            let used = usedAt.map { "\($0.milliseconds)" } ?? "NULL"
            try FormerFile.execute(
                "INSERT INTO refresh_token VALUES (x'\(hash)', 1, '\(family)', \(end), \(used))",
                in: directory
            )
        }
        guard version >= 4 else { return }
        try FormerFile.execute(
            "INSERT INTO ended_login VALUES ('laptop', \(now.milliseconds))",
            in: directory
        )
    }

    private func withHub(
        _ version: Int,
        _ body: (AccountHub) async throws -> Void
    ) async throws {
        try await withDirectory { directory in
            try prepare(version, directory)
            let yaml = "activity: {}"
            try await AccountHub.run(in: directory, yaml, domains: allDomains, body)
            // The step ran once: a restart does not bring back what has ended since.
            try await AccountHub.run(in: directory, yaml, domains: allDomains) { hub async throws in
                try await expectEqual(hub.refresh("third").status, 401)
            }
        }
    }

    @Test(arguments: [3, 4, 5, 6])
    func refreshTokensStillWorkAndUsedOnesAreStillDetected(version: Int) async throws {
        try await withHub(version) { hub in
            let renewed = try await hub.refresh("unused")
            expectEqual(renewed.status, 200)
            expect(renewed.body.contains(#""user":{"user_id":1,"name":"Ada","#))
            let access = try require(text("access_token", in: renewed.body))
            try await expectEqual(hub.send("GET", "/users/me", token: access).status, 200)
            // The login of a token that is used again ends, with the token that was good.
            try await expectEqual(hub.refresh("first").status, 401)
            try await expectEqual(hub.refresh("third").status, 401)
        }
    }

    @Test(arguments: [4, 5, 6])
    func loginsThatHaveEndedStayEnded(version: Int) async throws {
        let tokens = try await TestTokens(secret: AccountHub.secret)
        try await withHub(version) { hub in
            for (login, status) in [("laptop", 401), ("phone", 200)] {
                let token = try tokens.connection("1", login: login)
                let answer = try await hub.send("GET", "/users/me", token: token)
                expectEqual(answer.status, status, "\(login)")
            }
            try await expectEqual(hub.refresh("first").status, 401)
        }
    }
}
