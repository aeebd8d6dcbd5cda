import AllDomains
import Expectations
import Foundation
import HubTesting
import LoopTesting

@testable import Hub

/// The whole hub, whose data's clock goes so fast that what takes minutes is over in milliseconds.
@Suite("Hub: topics that are forgotten", .timeLimit(.minutes(10)))
struct HubServiceForgettingTests {
    private static let key = "the-only-key-of-all"

    private static func yaml(_ directory: String) -> String {
        """
        listen: ["127.0.0.1:0"]
        loops: 2
        database: \(directory)/varde.sqlite
        drain: {spread: 0s, timeout: 1s}
        api: {keys: [\(key)]}
        clock: {start: 2024-12-09T16:00:00Z, speed: 100000}
        namespaces:
          - {name: chat, history_age: 1s, forget_after: 5m}
          - {name: live, history_age: 1s, forget_after: 5m, durable: false}
          - {name: kept, history_age: 1s, forget_after: 0s}
        """
    }

    private func start(in directory: String) async throws -> HubService {
        let file = directory + "/varde.yaml"
        try Self.yaml(directory).write(toFile: file, atomically: true, encoding: .utf8)
        let source = ConfigurationSource(
            path: file,
            environment: [:],
            domains: allDomains.configurations
        )
        return try await HubService.start(
            try source.load(),
            environment: [:],
            logger: silentLogger,
            domains: allDomains
        )
    }

    private func withHub(
        in directory: String,
        _ body: (HubService) async throws -> Void
    ) async throws {
        let service = try await start(in: directory)
        do {
            try await body(service)
        } catch {
            await service.stop()
            throw error
        }
        await service.stop()
    }

    private func inDirectory(_ body: (String) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "varde-forgetting-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: directory,
            withIntermediateDirectories: true
        )
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await body(directory)
    }

    /// The answer of the server API.
    private func ask(
        _ service: HubService,
        _ method: String,
        _ body: String
    ) async throws -> String {
        let client = try LoopTestClient(port: service.addresses[0].port)
        try await client.send(
            httpRequest("POST", "/api/\(method)", ["X-API-Key: \(Self.key)"], body: body)
        )
        let response = try await client.receiveResponse()
        await client.close()
        return response.body
    }

    private func publish(_ topic: String, _ service: HubService) async throws -> String {
        try await ask(service, "publish", #"{"channel":"\#(topic)","data":1}"#)
    }

    /// Maintains the hub until it has forgotten so many topics.
    private func maintain(_ service: HubService, forgetting count: UInt64) async throws {
        while await service.store.statistics.topicsForgotten < count {
            try Task.checkCancellation()
            try await maintainOnce(service)
        }
    }

    private func maintainOnce(_ service: HubService) async throws {
        try await HubService.maintainOnce(
            service.store,
            now: service.clock.now,
            wall: HubClock.wall,
            service.namespaces,
            service.transport,
            allDomains
        )
    }

    @Test func stepThatFailsIsNamedAndTheOthersRun() async throws {
        try await inDirectory { directory in
            try await withHub(in: directory) { service in
                _ = try await publish("chat:a", service)
                try await service.store.onSession { try $0.run("DROP TABLE attempt") }
                var failures: [String] = []
                while await service.store.statistics.topicsForgotten == 0 {
                    try Task.checkCancellation()
                    do {
                        try await maintainOnce(service)
                    } catch let error as StepFailures {
                        failures = error.failures.map(\.step)
                    }
                }
                expectEqual(failures, ["attempts"])
            }
        }
    }

    @Test(arguments: ["chat:a", "live:a"])
    func topicThatComesBackHasAnotherEpochOnEveryLoopAndInEveryAnswer(topic: String) async throws {
        try await inDirectory { directory in
            try await withHub(in: directory) { service in
                let first = try await publish(topic, service)
                expectEqual(number("offset", in: first), 1)
                _ = try await publish("kept:a", service)
                try await maintain(service, forgetting: 1)
                for loop in await service.transport.loops {
                    await expectEqual(loop.perform { $0.snapshot().topics }, 1)
                }
                let second = try await publish(topic, service)
                expectEqual(number("offset", in: second), 1)
                let epoch = try require(text("epoch", in: second))
                expect(epoch != text("epoch", in: first))
                for loop in await service.transport.loops {
                    let name = Topic(trusted: topic)
                    let position = await loop.perform { $0.hub.position(of: name) }
                    expectEqual(position, Position(offset: 1, epoch: epoch))
                }
                let statistics = await service.store.statistics
                expectEqual(statistics.topicsForgotten, 1, "not those that are kept for ever")
            }
        }
    }

    @Test func hubThatStartsAgainGoesOnWithTheEpoch() async throws {
        try await inDirectory { directory in
            var before = ""
            try await withHub(in: directory) { service in
                _ = try await publish("chat:a", service)
                try await maintain(service, forgetting: 1)
                before = try await publish("chat:a", service)
            }
            try await withHub(in: directory) { service in
                let after = try await publish("chat:a", service)
                expectEqual(text("epoch", in: after), text("epoch", in: before))
                expectEqual(number("offset", in: after), 2)
            }
        }
    }
}
