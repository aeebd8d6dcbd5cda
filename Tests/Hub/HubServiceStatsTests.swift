import AllDomains
import Expectations
import Foundation
import HubTesting
import LoopTesting

@testable import Hub

@Suite("Hub: statistics", .timeLimit(.minutes(10)))
struct HubServiceStatsTests {
    private static let key = "the-first-key-of-all"

    private func withHub(_ body: (HubService) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "varde-stats-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: directory,
            withIntermediateDirectories: true
        )
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let yaml = """
            listen: ["127.0.0.1:0"]
            drain: {spread: 0s, timeout: 60s}
            loops: 2
            database: \(directory)/varde.sqlite
            api: {keys: [\(Self.key)]}
            """
        let service = try await HubService.start(
            try LoadedConfiguration(
                file: (name: "varde.yaml", text: yaml),
                environment: [:],
                domains: allDomains.configurations
            ),
            environment: [:],
            logger: silentLogger,
            domains: allDomains
        )
        do {
            try await body(service)
        } catch {
            await service.stop()
            throw error
        }
        await expect(service.stop())
    }

    private func connect(_ service: HubService) throws -> LoopTestClient {
        try LoopTestClient(port: service.addresses[0].port)
    }

    @Test func readerReceivesSamplesThatTheRouteHasToo() async throws {
        try await withHub { service in
            let reader = try connect(service)
            let field = "X-API-Key: \(Self.key)"
            try await reader.send(httpRequest("GET", "/events?topics=hub:stats", [field]))
            try await expectEqual(reader.receiveHead().status, 200)
            _ = try await reader.receive(through: "\n\n")
            let event = try await reader.receive(through: "\n\n")
            let start = "event: hub:stats\ndata: "
            expect(event.hasPrefix(start + #"{"time":""#))
            expect(event.contains(#""connections":1,"subscriptions":1,"#))
            let client = try connect(service)
            let response = try await client.get("/api/stats", field)
            expectEqual(response.status, 200)
            expect(response.body.contains(event.dropFirst(start.count).dropLast(2)))
            await client.close()
            await reader.close()
        }
    }

    @Test func backendCannotUseTheTopic() async throws {
        try await withHub { service in
            for (method, more) in [("publish", #","data":1"#), ("history", ""), ("presence", "")] {
                let client = try connect(service)
                try await client.send(
                    httpRequest(
                        "POST",
                        "/api/\(method)",
                        ["X-API-Key: \(Self.key)"],
                        body: #"{"channel":"hub:stats"\#(more)}"#
                    )
                )
                let body = try await client.receiveResponse().body
                expect(body.contains(#""code":102"#), "\(method): \(body)")
                await client.close()
            }
        }
    }
}
