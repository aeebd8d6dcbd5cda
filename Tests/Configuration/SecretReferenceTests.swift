import Expectations
import Foundation

@testable import Configuration

/// `{file: PATH}`, `{env: NAME}` and `{credential: NAME}` in the place of a secret.
@Suite("Configuration: references to secrets", .timeLimit(.minutes(10)))
struct SecretReferenceTests {
    private static let secret = "0123456789abcdef0123456789abcdef"

    private func load(
        _ yaml: String,
        _ environment: [String: String] = [:]
    ) throws(ConfigurationError) -> LoadedConfiguration {
        try LoadedConfiguration(
            file: ("varde.yaml", yaml),
            environment: environment,
            domains: []
        )
    }

    private func withDirectory(_ body: (URL) throws -> Void) throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "varde-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try body(directory)
    }

    @Test func secretIsReadFromEachPlaceWithoutWhiteSpaceAround() throws {
        try withDirectory { directory throws in
            let file = directory.appending(path: "token")
            try " \(Self.secret)\n".write(to: file, atomically: true, encoding: .utf8)
            let environment = [
                "TOKEN": "\(Self.secret)\n", "CREDENTIALS_DIRECTORY": directory.path,
            ]
            for reference in ["{file: \(file.path)}", "{env: TOKEN}", "{credential: token}"] {
                let loaded = try load("tokens: {secrets: [\(reference)]}", environment)
                let secrets = loaded.configuration.tokens.secrets
                expectEqual(secrets, [Secret(Self.secret)], "\(reference)")
                expectNil(loaded.exposure(ofSecretAt: "tokens.secrets[0]", instead: "x"))
                expect(!loaded.describe().contains(Self.secret))
            }
        }
    }

    @Test func keyOfTheServerAPIMayBeAReferenceInBothForms() throws {
        let yaml = "api: {keys: [{env: A}, {key: {env: B}, name: shop, methods: [publishing]}]}"
        let loaded = try load(yaml, ["A": "key-a", "B": "key-b"])
        let keys = loaded.configuration.api.keys
        expectEqual(keys.map(\.key), [Secret("key-a"), Secret("key-b")])
        expectEqual(keys[1].name, "shop")
        expect(loaded.describe().contains("name: shop, methods: [publishing]"))
    }

    @Test func fileMayBeACredential() throws {
        let yaml = "tls: {certificate: {credential: chain.pem}, key: {credential: key.pem}}"
        let loaded = try load(yaml, ["CREDENTIALS_DIRECTORY": "/run/credentials/varde.service"])
        let tls = loaded.configuration.tls
        expectEqual(tls?.key, "/run/credentials/varde.service/key.pem")
        #expect(throws: ConfigurationError.self) { try load(yaml) }
        let other = yaml.replacing("{credential: key.pem}", with: "{env: KEY}")
        #expect(throws: ConfigurationError.self) { try load(other, ["KEY": "/a"]) }
    }

    @Test(arguments: [
        "{env: MISSING}", "{env: BLANK}", "{file: /nonexistent/secret}", "{credential: token}",
        "{credential: a/b}", "{credential: ..}", "{file: ''}", "{env: A, file: b}", "{}",
        "{Env: A}", "{hunter2hunter2: A}", "[A]", "{file: {env: A}}",
    ])
    func referenceThatNamesNoSecretIsRefused(reference: String) {
        let environment = ["BLANK": " \n", "A": "long enough"]
        let error = #expect(throws: ConfigurationError.self) {
            try load("tokens: {secrets: [\(reference)]}", environment)
        }
        expectEqual(error?.description.contains("tokens.secrets[0]"), true)
        expectEqual(error?.description.contains("hunter2"), false)
    }

    @Test func emptyFileAndALongOneAreRefused() throws {
        try withDirectory { directory throws in
            let file = directory.appending(path: "token")
            for count in [0, (64 << 10) + 1] {
                try Data(repeating: 0x61, count: count).write(to: file)
                let error = #expect(throws: ConfigurationError.self) {
                    try load("tokens: {secrets: [{file: \(file.path)}]}")
                }
                expectEqual(error?.description.contains(file.path), true)
            }
        }
    }
}
