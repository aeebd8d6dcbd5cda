import CommandKit
import Expectations
import Foundation

@testable import varde

@Suite("varde token", .timeLimit(.minutes(10)))
struct TokenCommandTests {
    private let now = Timestamp(milliseconds: 1_780_000_000_500)
    private let secret = "a secret for these tests alone, long enough"
    private var environment: [String: String] { ["VARDE_TOKEN_SECRET": secret] }

    private func create(_ arguments: String...) async throws -> String {
        try await TokenCreateCommand.parse(arguments).token(now: now, environment: environment)
    }

    private func inspect(
        _ token: String,
        _ arguments: String...,
        after: Duration = .zero,
        environment: [String: String]? = nil
    ) async throws -> (report: String, isRefused: Bool) {
        try await TokenInspectCommand.parse(arguments)
            .report(on: token, now: now + after, environment: environment ?? self.environment)
    }

    @Test func tokenIsMadeAndFoundGood() async throws {
        let token = try await create("--user", "42")
        let (report, isRefused) = try await inspect(token + "\n".trimmingCharacters(in: .newlines))
        expectEqual(
            report,
            #"{"header":{"alg":"HS256","typ":"JWT"},"claims":{"sub":"42","iat":1780000000,"#
                + #""exp":1780003600},"verified":true}"#
        )
        expect(!isRefused)
    }

    @Test func everyOptionBecomesItsClaim() async throws {
        let token = try await create(
            "--user",
            "42",
            "--ttl",
            "never",
            "--info",
            #"{"name":"Åse"}"#,
            "--subs",
            "news:global,activity:42",
            "--group",
            "staff",
            "--group",
            "team:blue",
            "--audience",
            "varde",
            "--issuer",
            "app",
            "--key-id",
            "k-1"
        )
        let (report, isRefused) = try await inspect(token, "--audience", "varde", "--issuer", "app")
        expect(!isRefused)
        expectEqual(
            report,
            #"{"header":{"alg":"HS256","kid":"k-1","typ":"JWT"},"claims":{"sub":"42","#
                + #""iat":1780000000,"aud":"varde","iss":"app","info":{"name":"Åse"},"#
                + #""groups":["staff","team:blue"],"subs":{"news:global":{},"activity:42":{}}},"#
                + #""verified":true}"#
        )
    }

    @Test func refusedTokenIsSaidToBeRefusedAndWhy() async throws {
        let token = try await create("--user", "42", "--ttl", "90s")
        let expired = try await inspect(token, after: .seconds(90))
        expect(expired.isRefused)
        expect(
            expired.report.hasSuffix(
                #""verified":false,"error":"expired","reason":"token has expired"}"#
            )
        )
        let other = ["VARDE_TOKEN_SECRET": secret.uppercased()]
        let forged = try await inspect(token, environment: other)
        expect(forged.isRefused)
        expect(forged.report.contains(#""error":"signature""#))
        expect(!forged.report.contains(secret) && !forged.report.contains(secret.uppercased()))
    }

    @Test func withoutKeysThereIsNoVerdict() async throws {
        let token = try await create("--user", "42")
        let (report, isRefused) = try await inspect(token, environment: [:])
        expect(!isRefused)
        expect(!report.contains("verified"))
    }

    @Test func whatIsNoTokenIsRefusedWithoutBeingShown() async throws {
        let error = await #expect(throws: Failure.self) { try await inspect("secret.token") }
        expectEqual(error?.description, "token is malformed: not three parts with dots between")
    }

    @Test func secretsComeFromFilesToo() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        try (secret + "\n").write(to: file, atomically: true, encoding: .utf8)
        let command = try TokenCreateCommand.parse(["--user", "1", "--secret-file", file.path])
        let token = try await command.token(now: now, environment: [:])
        try await expectEqual(inspect(token).isRefused, false)
    }

    @Test func missingOrShortSecretIsSaid() async throws {
        let command = try TokenCreateCommand.parse(["--user", "1"])
        let missing = await #expect(throws: Failure.self) {
            try await command.token(now: now, environment: ["VARDE_TOKEN_SECRET": ""])
        }
        expectEqual(missing?.description.hasPrefix("no secret: set VARDE_TOKEN_SECRET"), true)
        await #expect(throws: TokenKeyError.shortSecret(5)) {
            try await command.token(now: now, environment: ["VARDE_TOKEN_SECRET": "short"])
        }
        let unread = await #expect(throws: FileError.self) {
            try await TokenCreateCommand.parse(["--user", "1", "--secret-file", "/nowhere/at/all"])
                .token(now: now, environment: [:])
        }
        expectEqual(
            unread?.description,
            "/nowhere/at/all: cannot be read: No such file or directory"
        )
    }

    @Test(arguments: [
        ["--user", "1", "--channel", "a", "--subs", "b"], ["--user", "1", "--key-file", "k"],
        ["--user", "1", "--algorithm", "ES256"], ["--user", "1", "--ttl", "1"], [],
        ["--user", "1", "--secret", "s"],
    ])
    func argumentsThatDoNotFitAreRefused(arguments: [String]) {
        #expect(throws: (any Error).self) { try TokenCreateCommand.parse(arguments) }
    }

    @Test(arguments: [["--channel", "a b"], ["--subs", "a,,b"], ["--info", "{"]])
    func valuesThatCannotBeClaimedAreRefused(arguments: [String]) async {
        await #expect(throws: (any Error).self) {
            try await TokenCreateCommand.parse(["--user", "1"] + arguments)
                .token(now: now, environment: environment)
        }
    }

    @Test(
        arguments: [
            ("1s", 1), ("90s", 90), ("15m", 900), ("1h", 3600), ("7d", 604_800),
            ("3650d", 315_360_000),
        ] as [(String, Int64)]
    )
    func lifetimeIsRead(text: String, seconds: Int64) {
        expectEqual(TokenLifetime(argument: text)?.duration, .seconds(seconds))
    }

    @Test(arguments: [
        "", "h", "1", "0s", "-1h", "+1h", "1.5h", "1 h", "1w", "3651d", "99999999999999999999s",
    ])
    func otherTextIsNoLifetime(text: String) {
        expectNil(TokenLifetime(argument: text))
    }

    @Test func apiKeyOpensByItsHash() throws {
        let line = try TokenAPIKeyCommand.line(random: [UInt8](repeating: 7, count: 32))
        let fields = Dictionary(
            uniqueKeysWithValues: try JSONReader.fields(of: Array(line.utf8)[...])
                .map { ($0.key, JSONReader.string($0.value) ?? "") }
        )
        expectEqual(Set(fields.keys), ["key", "hash"])
        let hash = try APIKeyHash(try require(fields["hash"]))
        try expect(APIKeys([hash]).accepts(require(fields["key"])))
    }
}
