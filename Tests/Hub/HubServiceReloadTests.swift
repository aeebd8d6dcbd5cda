import AllDomains
import Expectations
import Foundation
import HubTesting
import LoopTesting

@testable import Hub

/// A hub with a configuration file and a database of its own.
private struct ReloadedHub {
    let service: HubService
    let source: ConfigurationSource
    let threshold: LogThreshold
    let file: String

    /// Starts the hub in a directory where another may have been before.
    init(in directory: String, _ yaml: String, logger: Logger = silentLogger) async throws {
        file = directory + "/varde.yaml"
        try ReloadedHub.write(yaml, to: file)
        source = ConfigurationSource(
            path: file,
            environment: ["VARDE_DATABASE": directory + "/varde.sqlite"],
            domains: allDomains.configurations
        )
        threshold = LogThreshold(.info)
        service = try await HubService.start(
            try source.load(),
            environment: source.environment,
            logger: logger,
            threshold: threshold,
            domains: allDomains
        )
    }

    /// With what all configurations here have in common.
    private static func write(_ yaml: String, to file: String) throws {
        let text = "listen: [\"127.0.0.1:0\"]\ndrain: {spread: 0s, timeout: 1s}\n" + yaml + "\n"
        try text.write(toFile: file, atomically: true, encoding: .utf8)
    }

    func reload(_ yaml: String) async throws -> HubService.ReloadOutcome {
        try ReloadedHub.write(yaml, to: file)
        return await service.reload(from: source)
    }

    /// Asks the server API; the answer's content, or its status when that is not 200.
    func ask(_ method: String, _ body: String, key: String = "the-first-key-of-all") async throws
        -> String
    {
        let client = try LoopTestClient(port: service.addresses[0].port)
        try await client.send(
            httpRequest("POST", "/api/\(method)", ["X-API-Key: \(key)"], body: body)
        )
        let response = try await client.receiveResponse()
        await client.close()
        return response.status == 200 ? response.body : "\(response.status)"
    }

    /// What a client with a token is answered.
    func connect(signedWith secret: String) async throws -> String {
        let draft = TokenDraft(
            user: "42",
            issuedAt: HubClock.wall,
            lifetime: nil,
            kind: .connection(topics: [])
        )
        let token = try draft.signed(with: try .secret(Array(secret.utf8)))
        let client = try LoopTestClient(port: service.addresses[0].port)
        try await client.upgrade()
        try await client.sendText(#"{"id":1,"connect":{"token":"\#(token)"}}"#)
        let frame = try await client.receiveFrame()
        await client.close()
        guard frame.opcode == LoopTestClient.Frame.close else {
            return String(decoding: frame.payload, as: UTF8.self)
        }
        return "closed with \(Int(frame.payload[0]) << 8 | Int(frame.payload[1]))"
    }

    func publish(_ topic: String, _ data: String) async throws -> String {
        try await ask("publish", #"{"channel":"\#(topic)","data":\#(data)}"#)
    }
}

@Suite("Hub: the configuration is read again", .timeLimit(.minutes(10)))
struct HubServiceReloadTests {
    private static let base = "loops: 2\napi: {keys: [the-first-key-of-all]}\n"
    private static let chat = base + "namespaces: [{name: chat}]"
    private static let none = base + "namespaces: [{name: news}]"

    private func inDirectory(_ body: (String) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "varde-reload-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: directory,
            withIntermediateDirectories: true
        )
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await body(directory)
    }

    private func withHub(
        _ yaml: String,
        in directory: String? = nil,
        logger: Logger = silentLogger,
        _ body: (ReloadedHub) async throws -> Void
    ) async throws {
        guard let directory else {
            return try await inDirectory {
                try await withHub(yaml, in: $0, logger: logger, body)
            }
        }
        let hub = try await ReloadedHub(in: directory, yaml, logger: logger)
        do {
            try await body(hub)
        } catch {
            await hub.service.stop()
            throw error
        }
        await hub.service.stop()
    }

    // MARK: What changes

    @Test func keysOfTheServerAPIChange() async throws {
        try await withHub(Self.chat) { hub async throws in
            try await expect(hub.publish("chat:a", "1").hasPrefix(#"{"result""#))
            let outcome = try await hub.reload(
                Self.chat.replacingOccurrences(
                    of: "the-first-key-of-all",
                    with: "the-second-key-of-all"
                )
            )
            expectEqual(outcome, .reloaded(["api.keys"]))
            try await expectEqual(hub.ask("info", "{}"), "401")
            try await expect(
                hub.ask("info", "{}", key: "the-second-key-of-all").hasPrefix(
                    #"{"result""#
                )
            )
            let closed = try await hub.reload("loops: 2\nnamespaces: [{name: chat}]")
            expectEqual(closed, .reloaded(["api.keys"]))
            try await expectEqual(hub.ask("info", "{}", key: "the-second-key-of-all"), "401")
        }
    }

    @Test func streamOfAnAPIKeyEndsWithTheKey() async throws {
        let yaml = Self.chat.replacingOccurrences(
            of: "{name: chat}",
            with: "{name: chat, subscribe: nobody}"
        )
        try await withHub(yaml) { hub async throws in
            let client = try LoopTestClient(port: hub.service.addresses[0].port)
            let key = "X-API-Key: the-first-key-of-all"
            try await client.send(httpRequest("GET", "/events?topics=chat:a", [key]))
            try await expectEqual(client.receiveHead().status, 200)
            _ = try await client.receive(through: "\n\n")
            _ = try await hub.reload(yaml + "\nlog_level: debug")
            _ = try await hub.publish("chat:a", "1")
            try await expect(client.receive(through: "\n\n").hasSuffix("data: 1\n\n"))
            _ = try await hub.reload(yaml.replacingOccurrences(of: "first", with: "second"))
            try await expect(client.receiveAll().hasPrefix("retry: "))
            await client.close()
        }
    }

    @Test func secretsOfTokensChange() async throws {
        let secrets = ["the first secret of all tokens here", "the second secret of tokens here"]
        let yaml = Self.chat + "\ntokens: {required: true, secrets: "
        try await withHub(yaml + "[\(secrets[0])]}") { hub async throws in
            try await expect(hub.connect(signedWith: secrets[0]).contains(#""connect":{"client""#))
            let both = try await hub.reload(yaml + "[\(secrets[1]), \(secrets[0])]}")
            expectEqual(both, .reloaded(["tokens.secrets"]))
            for secret in secrets {
                try await expect(hub.connect(signedWith: secret).contains(#""client""#))
            }
            _ = try await hub.reload(yaml + "[\(secrets[1])]}")
            try await expect(hub.connect(signedWith: secrets[1]).contains(#""client""#))
            try await expectEqual(hub.connect(signedWith: secrets[0]), "closed with 3500")
        }
    }

    @Test func logLevelChanges() async throws {
        try await withHub(Self.chat) { hub async throws in
            let outcome = try await hub.reload(Self.chat + "\nlog_level: debug")
            expectEqual(outcome, .reloaded(["log_level"]))
            expectEqual(hub.threshold.level, .debug)
        }
    }

    @Test func sameFileChangesNothingAndIsNoError() async throws {
        try await withHub(Self.chat) { hub async throws in
            try await expectEqual(hub.reload(Self.chat), .reloaded([]))
            try await expect(hub.publish("chat:a", "1").contains(#""offset":1"#))
        }
    }

    // MARK: Namespaces that come and go

    @Test func namespaceGoesAndComesBackWithItsOffsets() async throws {
        try await withHub(Self.chat) { hub async throws in
            try await expect(hub.publish("chat:a", "1").contains(#""offset":1"#))
            try await expectEqual(
                hub.reload(Self.none),
                .reloaded(["namespaces[chat]", "namespaces[news]"])
            )
            try await expect(hub.publish("chat:a", "2").contains(#""code":102"#))
            try await expect(hub.publish("news:a", "1").contains(#""offset":1"#))
            _ = try await hub.reload(Self.chat)
            try await expect(hub.publish("chat:a", "3").contains(#""offset":2"#))
            let history = try await hub.ask("history", #"{"channel":"chat:a","limit":-1}"#)
            expect(history.contains(#""data":1,"offset":1},{"data":3,"offset":2}"#))
        }
    }

    /// The store has topics of it that no loop has taken in.
    @Test func namespaceOfAFormerProcessGoesOnWithItsOffsets() async throws {
        try await inDirectory { directory in
            try await withHub(Self.chat, in: directory) { hub async throws in
                _ = try await hub.publish("chat:a", "1")
                _ = try await hub.publish("chat:a", "2")
            }
            try await withHub(Self.none, in: directory) { hub async throws in
                try await expect(hub.publish("chat:a", "0").contains(#""code":102"#))
                _ = try await hub.publish("news:a", "1")
                try await expectEqual(
                    hub.reload(Self.base + "namespaces: [{name: news}, {name: chat}]"),
                    .reloaded(["namespaces[chat]"])
                )
                try await expect(hub.publish("chat:a", "3").contains(#""offset":3"#))
                try await expect(hub.publish("chat:b", "1").contains(#""offset":1"#))
                // A client may be on any loop.
                for _ in 0..<4 {
                    let history = try await hub.ask(
                        "history",
                        #"{"channel":"chat:a","limit":-1}"#
                    )
                    expect(history.contains(#"[{"data":1,"offset":1},{"data":2,"offset":2},"#))
                }
            }
        }
    }

    @Test func namespaceInMemoryMayComeIn() async throws {
        try await withHub(Self.none) { hub async throws in
            _ = try await hub.publish("news:a", "1")
            _ = try await hub.reload(
                Self.base + "namespaces: [{name: news}, {name: live, durable: false}]"
            )
            let news = try await hub.publish("news:a", "2")
            let live = try await hub.publish("live:a", "1")
            expect(news.contains(#""offset":2"#))
            expect(live.contains(#""offset":1"#))
            let epochs = [news, live].map { $0.components(separatedBy: "epoch").last }
            expect(epochs[0] != epochs[1])
        }
    }

    @Test func namespaceDoesNotComeBackWithAnotherDurability() async throws {
        try await withHub(Self.chat) { hub async throws in
            _ = try await hub.reload(Self.none)
            let other = Self.base + "namespaces: [{name: chat, durable: false}]"
            try await expectEqual(hub.reload(other), .needsRestart(["namespaces[chat].durable"]))
            try await expect(hub.reload(Self.chat) != .refused)
            try await expect(hub.publish("chat:a", "1").contains(#""offset":1"#))
        }
    }

    // MARK: What is refused

    @Test func keyThatNeedsARestartHoldsEverythingBack() async throws {
        let (log, lines) = ReloadLog.make()
        try await withHub(Self.chat, logger: log) { hub async throws in
            let yaml =
                "loops: 3\nsynchronous: full\nnamespaces: [{name: chat}]\napi: {keys: [another-key-than-before]}"
            try await expectEqual(hub.reload(yaml), .needsRestart(["synchronous", "loops"]))
            try await expect(hub.ask("info", "{}").hasPrefix(#"{"result""#))
        }
        expectEqual(
            lines.withLock { $0 },
            [
                "error configuration not reloaded, nothing was changed needs_restart=synchronous loops"
            ]
        )
    }

    @Test func fileWithProblemsIsRefusedWithAllOfThemInOneLine() async throws {
        let (log, lines) = ReloadLog.make()
        try await withHub(Self.chat, logger: log) { hub async throws in
            let yaml =
                "loops: 2\napi: {keys: [another-key-than-before]}\nlimits: {fragments: 0, headr_bytes: 1KiB}"
            try await expectEqual(hub.reload(yaml), .refused)
            try await expect(hub.ask("info", "{}").hasPrefix(#"{"result""#))
            try FileManager.default.removeItem(atPath: hub.file)
            await expectEqual(hub.service.reload(from: hub.source), .refused)
        }
        let told = lines.withLock { $0 }
        expectEqual(told.count, 2)
        expect(told[0].hasPrefix("error configuration not reloaded, nothing was changed problems="))
        expect(told[0].contains("limits.fragments: found 0"))
        expect(told[0].contains(#"unknown key "headr_bytes""#))
        expect(!told[0].contains("another-key-than-before"))
        expect(told[1].contains("cannot be read"))
    }

    @Test func keyOfTokensThatCannotBeUsedIsRefused() async throws {
        try await withHub(Self.chat) { hub async throws in
            let yaml = "\ntokens: {secrets: [short]}"
            try await expectEqual(hub.reload(Self.chat + yaml), .refused)
            let missing = "\ntokens: {public_keys: [/nowhere/at/all.pem]}"
            try await expectEqual(hub.reload(Self.chat + missing), .refused)
            try await expectEqual(hub.reload(Self.chat), .reloaded([]))
        }
    }

    @Test func hubThatStopsReadsNothingMore() async throws {
        try await inDirectory { directory in
            let hub = try await ReloadedHub(in: directory, Self.chat)
            await hub.service.stop()
            try await expectEqual(hub.reload(Self.chat + "\nlog_level: debug"), .refused)
            expectEqual(hub.threshold.level, .info)
        }
    }
}

/// Remembers what is logged of reloads that came to nothing.
private struct ReloadLog: LogHandler {
    let lines: Locked<[String]>
    var logLevel = Logger.Level.error
    var metadata: Logger.Metadata = [:]

    static func make() -> (logger: Logger, lines: Locked<[String]>) {
        let lines = Locked<[String]>([])
        return (Logger(label: "test") { _ in ReloadLog(lines: lines) }, lines)
    }

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let fields = (event.metadata ?? [:]).map { " \($0)=\($1)" }.sorted().joined()
        lines.withLock { $0.append("\(event.level) \(event.message)\(fields)") }
    }
}
