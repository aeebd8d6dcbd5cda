import Configuration
import ConfigurationTesting
import Expectations
import TokenTesting

@testable import Service

@Suite("Credentials of the configuration: the secret of access tokens", .timeLimit(.minutes(10)))
struct CredentialsTests {
    private let now = HubClock.wall

    private func credentials(
        _ yaml: String,
        signsTokens: Bool = true
    ) async throws -> Credentials {
        try await Credentials.load(load(yaml), signsTokens: signsTokens)
    }

    private func token(_ credentials: Credentials) throws -> String {
        let issuer = try require(credentials.issuer)
        return try issuer.accessToken(user: "7", login: "l", lifetime: .seconds(60), now: now)
    }

    @Test func firstSecretSignsAndAllVerify() async throws {
        let (one, two) = (String(repeating: "1", count: 32), String(repeating: "2", count: 32))
        let both = try await credentials("tokens: {secrets: ['\(one)', '\(two)']}")
        let first = try await credentials("tokens: {secrets: ['\(one)']}")
        let second = try await credentials("tokens: {secrets: ['\(two)']}")
        try expectEqual(first.verifier.verifyConnection(token(both), now: now).user, "7")
        try expectEqual(both.verifier.verifyConnection(token(second), now: now).user, "7")
        #expect(throws: TokenError.signature) {
            try second.verifier.verifyConnection(token(both), now: now)
        }
    }

    @Test func tokenIsWhatTheVerifierAsksFor() async throws {
        let secret = String(repeating: "1", count: 32)
        let found = try await credentials(
            "tokens: {secrets: ['\(secret)'], audience: films, issuer: hub}"
        )
        try expectEqual(found.verifier.verifyConnection(token(found), now: now).user, "7")
    }

    @Test func developmentHasASecretOfItsOwnAsLongAsTheProcessRuns() async throws {
        let yaml = "development: true"
        let (first, again) = (try await credentials(yaml), try await credentials(yaml))
        try expectEqual(again.verifier.verifyConnection(token(first), now: now).user, "7")
    }

    @Test func nothingIsSignedWithoutAccountsOrASecret() async throws {
        let development = try await credentials("development: true", signsTokens: false)
        expectNil(development.issuer)
        expect(development.verifier.keys.isEmpty)
    }

    @Test func secretIsNeededUnlessItIsDevelopment() async throws {
        let error = await #expect(throws: ConfigurationError.self) {
            try await credentials("database: a.sqlite")
        }
        expectEqual(
            error?.problems.map(\.message),
            [
                "tokens.secrets: found none, expected one, or VARDE_TOKEN_SECRET: accounts are on,"
                    + " and their access tokens are signed with it"
            ]
        )
        try await expectNil(credentials("database: a.sqlite", signsTokens: false).issuer)
        let environment = ["VARDE_TOKEN_SECRET": "a secret of at least thirty-two bytes"]
        let loaded = try load("database: a.sqlite", environment: environment)
        try await expect(Credentials.load(loaded, signsTokens: true).issuer != nil)
    }
}
