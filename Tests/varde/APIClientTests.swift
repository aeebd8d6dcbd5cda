import AllDomains
import Expectations
import Foundation
import Hub
import LoopTesting

@testable import varde

@Suite("varde topics, history, publish, clients: with a server", .timeLimit(.minutes(10)))
struct APIClientTests {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func client(_ address: String, key: String = "the-first-key-of-all") throws -> APIClient
    {
        APIClient(url: try require(ServerURL("http://\(address)")), key: key, isInsecure: false)
    }

    /// A server that answers every request alike, with what it was asked in the reason of a 401.
    @Test func requestHasItsKeyItsTypeAndItsContent() async throws {
        let server = try await RequestServer.start(
            listen: "127.0.0.1:0",
            logger: APIClientTests.logger
        ) { request in
            let headers = request.head.headers
            let asked = [
                request.head.method, request.head.path, headers.first("X-API-Key") ?? "",
                headers.first("Content-Type") ?? "", String(decoding: request.body, as: UTF8.self),
            ]
            return ServerResponse(status: 401, text: asked.joined(separator: " "))
        }
        let client = try client("\(server.address)")
        let error = await #expect(throws: Failure.self) {
            try await client.ask("channels", Array(#"{"pattern":"*"}"#.utf8))
        }
        await server.stop()
        expectEqual(
            error?.description,
            #"refused: POST /api/channels the-first-key-of-all application/json {"pattern":"*"}"#
        )
    }

    @Test func redirectIsNotFollowedWithTheKey() async throws {
        let server = try await RequestServer.start(
            listen: "127.0.0.1:0",
            logger: APIClientTests.logger
        ) { _ in
            var response = ServerResponse(status: 307, text: "elsewhere")
            response.head.headers.append("Location", "/api/other")
            return response
        }
        let client = try client("\(server.address)")
        let error = await #expect(throws: Failure.self) { try await client.ask("info", []) }
        await server.stop()
        expectEqual(error?.description, "answered with status 307: elsewhere")
    }

    @Test func hubThatIsNotThereIsSaidToBe() async throws {
        let server = try await RequestServer.start(
            listen: "127.0.0.1:0",
            logger: APIClientTests.logger
        ) { _ in ServerResponse(status: 200, text: "") }
        let address = "\(server.address)"
        await server.stop()
        let client = try client(address)
        let error = await #expect(throws: Failure.self) { try await client.ask("info", []) }
        expectEqual(error?.description, "no answer from http://\(address): connection refused")
    }

    @Test func certificateThatIsNotTrustedIsSaidToBe() {
        let untrusted = UpstreamError.tlsFailed(
            "tls handshake: certificate verify failed: self-signed certificate"
        )
        let plainText = UpstreamError.tlsFailed("tls handshake: wrong version number")
        struct OtherError: Error {}
        expectEqual(APIClient.reason(of: untrusted), "its certificate is not trusted")
        expectEqual(APIClient.reason(of: plainText), "tls handshake: wrong version number")
        expectEqual(APIClient.reason(of: OtherError()), "OtherError()")
    }

    @Test func runningHubAnswersEveryCommand() async throws {
        try await withHub { client in
            let first = try await output("publish", "chat:a", #"{"n":1}"#, by: client)
            expect(first.hasPrefix("published at offset 1, epoch "))
            let second = try await output("publish", "chat:a", "2", "--tag", "k=v", by: client)
            expect(second.hasPrefix("published at offset 2, epoch "))
            let unkept = try await output("publish", "chat:a", "3", "--skip-history", by: client)
            expectEqual(unkept, "published, and kept in no history")
            let history = try await output("history", "chat:a", "--reverse", by: client)
            let epoch = String(try require(first.split(separator: " ").last))
            expectEqual(history, "2  2        k=v\n1  {\"n\":1}\nat offset 2, epoch \(epoch)")
            let position = ["--since", "1", "--epoch", epoch]
            let after = try await output(["history", "chat:a"] + position + ["--json"], by: client)
            expectEqual(
                after,
                #"{"publications":[{"data":2,"offset":2,"tags":{"k":"v"}}],"#
                    + #""offset":2,"epoch":"\#(epoch)"}"#
            )
            try await expectEqual(output("topics", by: client), "no topic has subscribers")
            try await expectEqual(
                output("clients", "chat:a", by: client),
                "no client is in the topic"
            )
            try await expect(output("clients", by: client).hasPrefix("NODE "))
        }
    }

    @Test func runningHubRefusesTopicsAndKeysThatItDoesNotKnow() async throws {
        try await withHub { client in
            let unknown = await #expect(throws: Failure.self) {
                try await output("publish", "nowhere:a", "1", by: client)
            }
            expectEqual(unknown?.description.hasPrefix("refused: unknown channel: "), true)
            expectEqual(unknown?.description.contains("add an entry with name: nowhere"), true)
            let stranger = APIClient(
                url: client.url,
                key: "the-second-key-of-all",
                isInsecure: false
            )
            let refused = await #expect(throws: Failure.self) {
                try await output("clients", by: stranger)
            }
            expectEqual(refused?.description, "refused: the API key is not known")
        }
    }

    private func output(_ arguments: String..., by client: APIClient) async throws -> String {
        try await output(arguments, by: client)
    }

    private func output(_ arguments: [String], by client: APIClient) async throws -> String {
        let command = try require(Varde.parseAsRoot(arguments) as? any APICommand)
        let (method, body) = try command.request { [] }
        return try await command.output(of: client, method, body)
    }

    /// Runs `body` with a client of a hub of its own.
    private func withHub(_ body: (APIClient) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "varde-cli-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: directory,
            withIntermediateDirectories: true
        )
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let yaml = """
            listen: ["127.0.0.1:0"]
            loops: 1
            drain: {spread: 0s, timeout: 1s}
            api: {keys: [the-first-key-of-all]}
            namespaces: [{name: chat, presence: true}, {name: live, history_size: 0}]
            """
        let hub = try await HubService.start(
            LoadedConfiguration(
                file: (name: "test", text: yaml),
                environment: ["VARDE_DATABASE": directory + "/varde.sqlite"],
                domains: allDomains.configurations
            ),
            environment: [:],
            logger: APIClientTests.logger,
            domains: allDomains
        )
        do {
            try await body(try client("\(hub.addresses[0])"))
        } catch {
            await hub.stop()
            throw error
        }
        await hub.stop()
    }
}
