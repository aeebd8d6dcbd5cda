import AllDomains
import Expectations
import Foundation
import HubTesting

@testable import Hub

@Suite("A hub that has stopped", .timeLimit(.minutes(10)))
struct HubServiceEndTests {
    /// With every domain, whose parts know each other in circles while the hub runs.
    private static let yaml = """
        listen: ["127.0.0.1:0"]
        drain: {spread: 0s, timeout: 60s}
        development: true
        radar: {sources: [{name: made-up, kind: sample}]}
        activity: {}
        """

    @Test func leavesNothingBehind() async throws {
        let directory = NSTemporaryDirectory() + "varde-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: directory,
            withIntermediateDirectories: true
        )
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let file = directory + "/varde.yaml"
        try Self.yaml.write(toFile: file, atomically: true, encoding: .utf8)
        weak var store: HubStore?
        weak var loop: Loop?
        do {
            let source = ConfigurationSource(
                path: file,
                environment: ["VARDE_DATABASE": directory + "/varde.sqlite"],
                domains: allDomains.configurations
            )
            let service = try await HubService.start(
                try source.load(),
                environment: source.environment,
                logger: silentLogger,
                domains: allDomains
            )
            store = await service.store
            loop = await service.transport.loops.first
            expect(store != nil && loop != nil)
            await expect(service.stop())
        }
        // Threads that have ended let go of what they had a moment later.
        for _ in 0..<1000 where store != nil || loop != nil { await Task.yield() }
        expectNil(store)
        expectNil(loop)
    }
}
