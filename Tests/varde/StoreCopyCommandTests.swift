import ArgumentParser
import Foundation
import PostgresTesting
import Store
import Testing
import Timekeeping

@testable import varde

@Suite("varde store copy", .timeLimit(.minutes(10)))
struct StoreCopyCommandTests {
    @Test func bothPlacesAreNeeded() throws {
        let command = try Varde.parseAsRoot(["store", "copy", "--from", "a", "--to", "b"])
        let copy = try #require(command as? StoreCopyCommand)
        #expect(copy.from == "a" && copy.to == "b")
        #expect(throws: (any Error).self) {
            try Varde.parseAsRoot(["store", "copy", "--from", "a"])
        }
    }

    /// Every table of every domain has a key and types that both engines have.
    @Test func tablesOfAllDomainsAreCopiedThereAndBack() async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "varde-copy-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appending(path: "hub.sqlite").path
        let schema = "v" + UUID().uuidString.replacing("-", with: "").lowercased()
        let url = try testServer() + "&schema=" + schema
        let store = try await HubStore.opened(
            StoreOptions(path: file, migrations: allMigrations),
            wall: Timestamp(milliseconds: 1_767_225_600_000),
            newEpoch: "epoch-1"
        )
        try await store.close()
        let copy = StoreCopy(migrations: allMigrations, bootIdentifier: nil)
        let there = try tables(copy, from: file, to: url)
        #expect(
            there.isSuperset(of: ["hub", "publication", "radar", "account", "aurora_forecast"])
        )
        let back = try tables(copy, from: url, to: directory.appending(path: "back.sqlite").path)
        #expect(back == there)
    }

    private func tables(
        _ copy: StoreCopy,
        from source: String,
        to target: String
    ) throws -> Set<String> {
        var names: Set<String> = []
        try copy.copy(from: source, to: target) { names.insert($0.name) }
        return names
    }
}
