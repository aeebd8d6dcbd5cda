import AllDomains
import Expectations
import Foundation
import HubTesting
import LoopTesting
import TokenTesting

@testable import Hub

@Suite("Hub: radars end to end", .timeLimit(.minutes(10)))
struct HubServiceRadarTests {
    private static let apiKey = "the-key-of-a-backend"

    /// A hub with radars, and its database in a directory.
    private struct Hub {
        let service: HubService
        let tokens: TestTokens

        init(in directory: String, _ radar: String) async throws {
            let yaml = """
                listen: ["127.0.0.1:0"]
                loops: 2
                drain: {spread: 0s, timeout: 1s}
                api: {keys: [\(HubServiceRadarTests.apiKey)]}
                tokens: {secrets: ["\(TestTokens.secret)"]}
                radar: \(radar)
                """
            let environment = ["VARDE_DATABASE": directory + "/varde.sqlite"]
            service = try await HubService.start(
                LoadedConfiguration(
                    file: (name: "varde.yaml", text: yaml),
                    environment: environment,
                    domains: allDomains.configurations
                ),
                environment: environment,
                logger: silentLogger,
                domains: allDomains
            )
            tokens = try await TestTokens()
        }

        func connect() throws -> LoopTestClient {
            try LoopTestClient(port: service.addresses[0].port)
        }

        func ask(
            _ method: String,
            _ target: String,
            _ fields: [String] = [],
            body: String = ""
        ) async throws -> LoopTestClient.Response {
            let client = try connect()
            let token = "Authorization: Bearer \(try tokens.connection("1"))"
            try await client.send(httpRequest(method, target, [token] + fields, body: body))
            let response = try await client.receiveResponse()
            await client.close()
            return response
        }

        func socket(_ id: String) async throws -> LoopTestClient {
            let client = try connect()
            let token = "Authorization: Bearer \(try tokens.connection("1"))"
            try await client.send(webSocketRequest("/api/ws/radar/\(id)", [token]))
            try await require(client.receiveHead().status == 101)
            return client
        }

        func create() async throws -> String {
            let answer = try await ask("POST", "/api/radars", body: #"{"topic":"tea"}"#)
            try require(answer.status == 201)
            return try require(text("id", in: answer.body))
        }
    }

    private func inDirectory(_ body: (String) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "varde-radar-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: directory,
            withIntermediateDirectories: true
        )
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await body(directory)
    }

    private func withHub<Result>(
        in directory: String,
        _ radar: String,
        _ body: (Hub) async throws -> Result
    ) async throws -> Result {
        let hub = try await Hub(in: directory, radar)
        let outcome: Swift.Result<Result, any Error>
        do { outcome = .success(try await body(hub)) } catch { outcome = .failure(error) }
        await hub.service.stop()
        return try outcome.get()
    }

    @Test func socketFollowsARadarUntilItIsDeleted() async throws {
        try await inDirectory { directory in
            try await withHub(in: directory, "{refresh_interval: 0s}") { hub in
                let id = try await hub.create()
                let socket = try await hub.socket(id)
                let opening = try await socket.receiveText()
                expect(opening.hasPrefix(#"{"type":"refresh","radarId":"\#(id)","data":"#))
                expectEqual(number("refreshCount", in: opening), 0)
                let opinion =
                    #"{"author":"ministry","model":"m","content":"Because.","stance":"against","#
                    + #""confidence":0.5}"#
                let key = "X-API-Key: \(Self.apiKey)"
                let pushed = try await hub.ask(
                    "POST",
                    "/api/radars/\(id)/opinions",
                    [key],
                    body: opinion
                )
                expectEqual(pushed.status, 201)
                let first = try await socket.receiveText()
                expect(first.hasPrefix(#"{"type":"newOpinion","radarId":"\#(id)","data":"#))
                expectEqual(text("stance", in: first), "against")
                let change = try await socket.receiveText()
                expect(change.hasPrefix(#"{"type":"positionChange","radarId":"\#(id)","data":"#))
                let refreshed = try await hub.ask("POST", "/api/radars/\(id)/refresh")
                expectEqual(refreshed.status, 200)
                let second = try await socket.receiveText()
                expect(second.hasPrefix(#"{"type":"refresh","radarId":"\#(id)","data":"#))
                expectEqual(number("refreshCount", in: second), 1)
                try await expectEqual(hub.ask("DELETE", "/api/radars/\(id)").status, 200)
                let close = try await socket.receiveClose()
                expectEqual(close.code, 1000)
                expectEqual(close.reason, "topic removed")
                try await expectEqual(hub.ask("GET", "/api/radars/\(id)").status, 404)
            }
        }
    }

    @Test func radarThatIsMadePrivateLosesItsStrangers() async throws {
        try await inDirectory { directory in
            try await withHub(in: directory, "{}") { hub in
                let id = try await hub.create()
                let target = "/api/radars/\(id)"
                _ = try await hub.ask("PATCH", target, body: #"{"isPublic":true}"#)
                let stranger = try hub.connect()
                try await stranger.send(webSocketRequest("/api/ws/radar/\(id)"))
                try await expectEqual(stranger.receiveHead().status, 101)
                let own = try await hub.socket(id)
                _ = try await hub.ask("PATCH", target, body: #"{"isPublic":false}"#)
                try await expectEqual(stranger.receiveClose().code, 1000)
                _ = try await hub.ask("DELETE", target)
                try await expectEqual(own.receiveClose().reason, "topic removed")
            }
        }
    }

    @Test func radarsAreThereAfterARestart() async throws {
        try await inDirectory { directory in
            let yaml = "{sources: [{name: made-up, kind: sample}]}"
            let id = try await withHub(in: directory, yaml) { hub in
                let id = try await hub.create()
                let answer = try await hub.ask("POST", "/api/radars/\(id)/refresh")
                expectEqual(answer.status, 200)
                expectEqual(text("author", in: answer.body), "sample")
                return id
            }
            try await withHub(in: directory, yaml) { hub in
                let answer = try await hub.ask("GET", "/api/radars/\(id)")
                expectEqual(answer.status, 200)
                expect(number("refreshCount", in: answer.body) ?? 0 > 0)
                expectEqual(text("author", in: answer.body), "sample")
                let socket = try await hub.socket(id)
                try await expectEqual(hub.ask("DELETE", "/api/radars/\(id)").status, 200)
                _ = try await socket.receiveClose()
            }
        }
    }
}
