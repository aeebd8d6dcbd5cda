import Configuration
import ConfigurationTesting
import Foundation
import Tasks
import Testing
import Timekeeping
import TokenTesting
import Tokens

@testable import Access

@Suite("Credentials of the configuration: what the film app signs with", .timeLimit(.minutes(10)))
struct CredentialsTests {
    private let now = HubClock.wall

    private func credentials(_ yaml: String) async throws -> Credentials {
        try await Credentials.load(load(yaml))
    }

    private func token(_ credentials: Credentials) throws -> String {
        let issuer = try #require(credentials.issuer)
        return try issuer.accessToken(user: "7", login: "l", lifetime: .seconds(60), now: now)
    }

    @Test func firstSecretSignsAndAllVerify() async throws {
        let (one, two) = (String(repeating: "1", count: 32), String(repeating: "2", count: 32))
        let both = try await credentials("tokens: {secrets: ['\(one)', '\(two)']}")
        let first = try await credentials("tokens: {secrets: ['\(one)']}")
        let second = try await credentials("tokens: {secrets: ['\(two)']}")
        #expect(try first.verifier.verifyConnection(token(both), now: now).user == "7")
        #expect(try both.verifier.verifyConnection(token(second), now: now).user == "7")
        #expect(throws: TokenError.signature) {
            try second.verifier.verifyConnection(token(both), now: now)
        }
    }

    @Test func tokenIsWhatTheVerifierAsksFor() async throws {
        let secret = String(repeating: "1", count: 32)
        let found = try await credentials(
            "tokens: {secrets: ['\(secret)'], audience: films, issuer: hub}"
        )
        #expect(try found.verifier.verifyConnection(token(found), now: now).user == "7")
    }

    @Test func developmentHasASecretOfItsOwnAsLongAsTheProcessRuns() async throws {
        let yaml = "development: true\nactivity: {}"
        let (first, again) = (try await credentials(yaml), try await credentials(yaml))
        #expect(try again.verifier.verifyConnection(token(first), now: now).user == "7")
    }

    @Test func nothingIsSignedWithoutTheFilmAppOrASecret() async throws {
        let development = try await credentials("development: true")
        #expect(development.issuer == nil)
        #expect(development.verifier.keys.isEmpty)
    }

    @Test func keysOfAppleAreReadFromAFile() async throws {
        let issuer = try await TestIssuer()
        let file = FileManager.default.temporaryDirectory
            .appending(path: "keys-\(UUID().uuidString).json")
        try Data(issuer.document.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let yaml = "development: true\nactivity: {apple: {client_ids: [a], keys_file: "
        let found = try await credentials(yaml + "\(file.path())}}")
        #expect(found.appleKeys?.map(\.id) == ["k1"])
        try Data("{}".utf8).write(to: file)
        let error = await #expect(throws: ConfigurationError.self) {
            try await credentials(yaml + "\(file.path())}}")
        }
        #expect(error?.description.contains("activity.apple.keys_file: ") == true)
    }
}
