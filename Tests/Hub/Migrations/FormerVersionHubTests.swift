import ActivityApp
import AllDomains
import AuroraApp
import Expectations
import Foundation
import HubTesting
import RadarApp
import StoreTesting

@testable import Hub

@Suite("A hub and the file of each former schema version", .timeLimit(.minutes(10)))
struct FormerVersionHubTests {
    /// The domains are off: their steps belong to the schema all the same.
    private func start(
        _ directory: String,
        domains: [any Domain.Type] = allDomains
    ) async throws -> HubService {
        let file = directory + "/varde.yaml"
        let yaml = """
            listen: ["127.0.0.1:0"]
            loops: 1
            database: \(directory)/varde.sqlite
            drain: {spread: 0s, timeout: 1s}
            """
        try yaml.write(toFile: file, atomically: true, encoding: .utf8)
        return try await HubService.start(
            try ConfigurationSource(path: file, domains: domains.configurations).load(),
            environment: [:],
            logger: silentLogger,
            domains: domains
        )
    }

    @Test(arguments: FormerFile.versions)
    func hubOpensItAndOpensItAgain(_ version: Int) async throws {
        try await withDirectory { directory in
            try FormerFile.copy(version, to: directory)
            for _ in 1...2 {
                let service = try await start(directory)
                let store = await service.store
                expectEqual(store.epoch, "epoch-of-1")
                try expectEqual(store.schemaVersion(), 7)
                let radar = try await store.readRadars { try $0.radar("r1") }
                expectEqual(radar?.userID, (version >= 3 ? "u1" : nil))
                let person = try await store.readActivity { try $0.person(1) }
                expectEqual(person?.name, (version >= 3 ? "Ada" : nil))
                await service.stop()
            }
        }
    }

    /// Of versions 3 to 6 the file has only the tables; the hub has written the names of all steps into its own.
    @Test(arguments: [3, 4, 5, 6, 7])
    func hubWithoutADomainRefusesAFileWithItsSteps(_ version: Int) async throws {
        try await withDirectory { directory in
            if version <= 6 {
                try FormerFile.copy(version, to: directory)
            } else {
                await (try await start(directory)).stop()
            }
            let others: [any Domain.Type] = [AuroraDomain.self, ActivityDomain.self]
            let error = await #expect(throws: StoreError.self) {
                await (try await start(directory, domains: others)).stop()
            }
            expectEqual(error?.code, .newerSchema)
            expectEqual(error?.message.contains("radar"), true)
            expectEqual(error?.message.contains("film"), false)
            await (try await start(directory)).stop()
        }
    }
}
