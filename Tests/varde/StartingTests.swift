import AllDomains
import Expectations
import Foundation
import Hooks

@testable import varde

@Suite("varde dev, varde init, tokens of varde subscribe", .timeLimit(.minutes(10)))
struct StartingTests {
    private let secrets = GeneratedSecrets { [UInt8](repeating: 7, count: $0) }

    private func load(_ text: String) throws -> LoadedConfiguration {
        try LoadedConfiguration(file: ("test", text), domains: allDomains.configurations)
    }

    private func withDirectory(_ body: (URL) throws -> Void) throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "varde-starting-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try body(directory)
    }

    @Test func developmentHubIsOpenToAllClients() throws {
        let text = DevelopmentHub.configuration(secrets, namespaces: ["orders", "chat", "orders"])
        let configuration = try load(text).configuration
        expect(configuration.development)
        let names = configuration.namespaces.map(\.name)
        expectEqual(names, DevelopmentHub.namespaces + ["orders"])
        for namespace in configuration.namespaces {
            expect(namespace.anonymousSubscribe)
            expectEqual(namespace.publish, .anyone)
            expectEqual(namespace.historySize, 1000)
        }
        expectEqual(configuration.webhookLimits.allowAddresses.count, 2)
        expectEqual(configuration.api.keys.map(\.key.revealed), [secrets.apiKey])
        expectEqual(configuration.tokens.secrets.map(\.revealed), [secrets.tokenSecret])
    }

    @Test(arguments: [
        ("http://127.0.0.1:3000/hooks", "http://127.0.0.1:3000/hooks/{event}"),
        ("http://localhost:3000/", "http://localhost:3000/{event}"),
        ("http://localhost:3000/{event}/it's", "http://localhost:3000/{event}/it's"),
    ])
    func backEndOfADevelopmentHubIsAskedAboutEverything(url: String, asked: String) throws {
        let text = DevelopmentHub.configuration(secrets, namespaces: [], hook: .init(url: url))
        let configuration = try load(text).configuration
        let hooks = configuration[HooksSection.self]?.items ?? []
        expectEqual(hooks.map(\.url), [asked])
        expectEqual(configuration.clients.connectHook, "app")
        expectEqual(configuration.clients.refreshHook, "app")
        expectEqual(configuration.clients.rpcHooks, ["*": "app"])
        for namespace in configuration.namespaces {
            expectEqual(namespace.hooks.subscribe, "app")
            expectEqual(namespace.hooks.subRefresh, "app")
            expectEqual(namespace.hooks.publish, "app")
        }
    }

    @Test func secretOfABackEndSignsTheQuestions() throws {
        let secret = "whsec_YSBrZXkgb2YgdHdlbnR5LWZvdXIgYnl0ZQ=="
        let hook = DevelopmentHub.Hook(url: "http://localhost:3000", secret: secret)
        let text = DevelopmentHub.configuration(secrets, namespaces: [], hook: hook)
        let hooks = try load(text).configuration[HooksSection.self]?.items ?? []
        expectEqual(hooks.map(\.secret?.revealed), [secret])
    }

    @Test func urlOfABackEndIsChecked() {
        #expect(throws: ConfigurationError.self) {
            try load(
                DevelopmentHub.configuration(secrets, namespaces: [], hook: .init(url: "no url"))
            )
        }
    }

    // MARK: Secrets

    private func secrets(
        beside database: URL?,
        _ environment: [String: String] = [:],
        random: UInt8
    ) throws -> GeneratedSecrets {
        let secrets = try DevelopmentSecrets(database: database?.path, environment: environment) {
            [UInt8](repeating: random, count: $0)
        }
        try secrets.keep()
        return secrets.used
    }

    @Test func secretsAreKeptWithTheDatabase() throws {
        try withDirectory { directory in
            let (a, b) = (directory.appending(path: "a.db"), directory.appending(path: "b.db"))
            let first = try secrets(beside: a, random: 1)
            try expectEqual(secrets(beside: a, random: 2), first)
            try expect(secrets(beside: b, random: 2) != first)
            let path = DevelopmentSecrets.path(besideDatabase: a.path)
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
            expectEqual(mode as? Int, 0o600)
            try expect(secrets(beside: nil, random: 3) != secrets(beside: nil, random: 4))
        }
    }

    @Test func secretsOfTheEnvironmentAreUsedAndNotKept() throws {
        try withDirectory { directory in
            let database = directory.appending(path: "a.db")
            let kept = try secrets(beside: database, random: 1)
            let environment = ["VARDE_API_KEY": "it's mine: #1", "VARDE_TOKEN_SECRET": ""]
            let used = try secrets(beside: database, environment, random: 2)
            expectEqual(used.apiKey, "it's mine: #1")
            let loaded = try DevelopmentSecrets(database: nil, environment: environment) {
                [UInt8](repeating: 1, count: $0)
            }
            expectEqual(loaded.shown.apiKey, "$VARDE_API_KEY")
            expectEqual(loaded.shown.tokenSecret, loaded.used.tokenSecret)
            expectEqual(used.tokenSecret, kept.tokenSecret)
            try expectEqual(secrets(beside: database, random: 3), kept)
            let text = DevelopmentHub.configuration(used, namespaces: [])
            try expectEqual(load(text).configuration.api.keys.map(\.key.revealed), [used.apiKey])
        }
    }

    @Test(arguments: [
        ("VARDE_API_KEY", 1), ("VARDE_API_KEY=a\nkey: b\n", 2), ("VARDE_API_KEY=a\n\u{0}", 2),
    ])
    func damagedFileOfSecretsIsRefused(text: String, line: Int) throws {
        try withDirectory { directory in
            let database = directory.appending(path: "a.db")
            let path = DevelopmentSecrets.path(besideDatabase: database.path)
            try Data(text.utf8).write(to: URL(filePath: path))
            let error = #expect(throws: Failure.self) { try secrets(beside: database, random: 1) }
            expectEqual(error?.description.contains("line \(line) is not VARDE_API_KEY=KEY"), true)
            try expectEqual(Data(contentsOf: URL(filePath: path)), Data(text.utf8))
        }
    }

    @Test(arguments: ["", "Chat", "a b", "a: b", "'", "x\n- name: y", "#"])
    func namespaceThatIsNoNameIsRefused(name: String) {
        #expect(throws: ConfigurationError.self) {
            try load(DevelopmentHub.configuration(secrets, namespaces: [name]))
        }
    }

    @Test func greetingHasTheSecretsAndLinesForTheAddress() {
        let text = DevelopmentHub.greeting(secrets, address: "127.0.0.1:9000", isKept: false)
        expect(text.contains("API key:      \(secrets.apiKey)\n"))
        expect(text.contains("token secret: \(secrets.tokenSecret)\n"))
        expect(text.contains("curl http://127.0.0.1:9000/api/publish"))
        expect(text.contains("new EventSource(\"http://127.0.0.1:9000/events?"))
        let variables = """
            export VARDE_URL=http://127.0.0.1:9000 VARDE_API_KEY="\(secrets.apiKey)"
            """
        expect(text.contains(variables))
        expect(text.contains("--database FILE keeps them"))
        let kept = DevelopmentHub.greeting(secrets, address: "127.0.0.1:9000", isKept: true)
        expect(!kept.contains("--database"))
    }

    @Test func templateIsAConfigurationWithoutDevelopment() throws {
        let configuration = try load(ConfigurationTemplate.text(secrets)).configuration
        expect(!configuration.development)
        expectEqual(configuration.namespaces.map(\.name), ["updates", "chat", "user"])
        expectEqual(configuration.api.keys.map(\.key.revealed), [secrets.apiKey])
        expectEqual(configuration.tokens.secrets.map(\.revealed), [secrets.tokenSecret])
    }

    @Test func newFileIsTheOwnersAndAnExistingOneIsKept() throws {
        try withDirectory { directory in
            let path = directory.appending(path: "varde.yaml").path
            try InitCommand.write("first", to: path)
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
            expectEqual((mode as? NSNumber)?.intValue, 0o600)
            let error = #expect(throws: Failure.self) {
                try InitCommand.write("second", to: path)
            }
            expectEqual(error?.description, "cannot write \(path): it exists")
            try expectEqual(String(contentsOfFile: path, encoding: .utf8), "first")
        }
    }

    @Test func onlyDatabasesOfEndedProcessesAreRemoved() throws {
        try withDirectory { directory in
            for name in ["varde-dev-1", "varde-dev-2", "varde-dev-x", "other-2"] {
                let path = directory.appending(path: name)
                try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
            }
            ScratchDatabase.removeLeftovers(in: directory.path) { $0 == 1 }
            let left = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            expectEqual(left.sorted(), ["other-2", "varde-dev-1", "varde-dev-x"])
        }
    }

    // MARK: Tokens

    private let now = Timestamp(seconds: 1_766_340_300)

    private func token(
        _ arguments: [String],
        _ environment: [String: String] = [:]
    ) throws -> String? {
        try ClientTokenOptions.parse(arguments).token(now: now, environment: environment)
    }

    @Test func clientHasNoTokenUnlessOneIsGiven() throws {
        try expectNil(token([]))
        try expectEqual(token(["--token", " abc\n"]), "abc")
        #expect(throws: Failure.self) { try token(["--token", " "]) }
    }

    @Test func tokenOfAFileIsUsed() throws {
        try withDirectory { directory in
            let file = directory.appending(path: "token")
            try Data("abc\n".utf8).write(to: file)
            try expectEqual(token(["--token-file", file.path]), "abc")
        }
    }

    @Test(arguments: [
        ["--token", "a", "--user", "kari"], ["--token", "a", "--token-file", "b"],
        ["--config", "varde.yaml"],
    ])
    func tokensFromTwoPlacesAreRefused(arguments: [String]) {
        #expect(throws: (any Error).self) { try ClientTokenOptions.parse(arguments) }
    }

    @Test func tokenOfAUserIsSignedWithTheConfiguredSecret() throws {
        try withDirectory { directory in
            let file = directory.appending(path: "varde.yaml").path
            try InitCommand.write(
                "tokens: {secrets: [\"\(secrets.tokenSecret)\"], audience: app, issuer: me}",
                to: file
            )
            let text = try require(token(["--user", "kari", "--config", file]))
            let verifier = TokenVerifier(
                keys: TokenKeySet(configured: [try .secret(Array(secrets.tokenSecret.utf8))]),
                audience: "app",
                issuer: "me"
            )
            let claims = try verifier.verifyConnection(text, now: now)
            expectEqual(claims.user, "kari")
        }
    }

    @Test func tokenOfAUserNeedsASecret() {
        #expect(throws: Failure.self) { try token(["--user", "kari"]) }
        #expect(throws: Never.self) {
            try token(["--user", "kari"], ["VARDE_TOKEN_SECRET": secrets.tokenSecret])
        }
    }
}
