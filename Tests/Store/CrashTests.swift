import Expectations
import Foundation
import StoreTesting

@testable import Store

@Suite("What a killed process leaves", .needsFile, .timeLimit(.minutes(10)))
struct CrashTests {
    @Test func everyAcknowledgedCommitIsInTheFilesAtOnce() async throws {
        try await withDirectory { directory in
            let store = try openStore(directory)
            for number in 1...20 {
                let change = Change(
                    events: [event(radar, "\(number)")],
                    state: [StateRow(domain: "radar", key: "n", value: [UInt8(number)])],
                    deliveries: [delivery("\(number)")]
                )
                let committed = try await store.commit(change)
                guard number.isMultiple(of: 5) else { continue }

                let copy = directory + "/copy-\(number)"
                try copyStore(directory, to: copy)
                let survivor = try openStore(copy)
                let topic = try await survivor.loadAll()[0]
                expectEqual(topic.publications.last, committed.publications[0])
                expectEqual(topic.publications.count, number)
                try await expectEqual(survivor.state(domain: "radar")[0].value, [UInt8(number)])
                try await expectEqual(survivor.deliveryCounts().pending, number)
                expectEqual(survivor.epoch, store.epoch)
                try await survivor.close()
            }
            try await store.close()
        }
    }

    /// The log may be cut anywhere when power is lost; what is left must be the first commits, each
    /// whole.
    @Test func logThatIsCutAnywhereHoldsTheFirstCommitsWhole() async throws {
        try await withDirectory { directory in
            let store = try openStore(directory)
            try await store.checkpoint()
            for number in 1...12 {
                let change = Change(
                    events: [event(radar, "\(number)"), event(news, "\(number)")],
                    state: [StateRow(domain: "radar", key: "n", value: [UInt8(number)])]
                )
                _ = try await store.commit(change)
            }
            let wal = directory + "/varde.sqlite-wal"
            let length = try require(FileManager.default.contents(atPath: wal)).count
            var found: Set<Int> = []
            // A prime, so that the cuts wander through the frames.
            for cut in stride(from: 0, through: length, by: 3571) + [length] {
                let copy = directory + "/copy-\(cut)"
                try copyStore(directory, to: copy, walLength: cut)
                let survivor = try openStore(copy, boot: "boot-2", newEpoch: "epoch-2")
                found.insert(try await expectFirstCommitsWhole(survivor))
                expectEqual(survivor.epoch, "epoch-2")
                try await survivor.close()
            }
            expectEqual(found.min(), 0)
            expectEqual(found.max(), 12)
            expect(found.count > 6, "cuts between many of the commits: \(found.sorted())")
            try await store.close()
        }
    }

    @Test func cleanEndLeavesOneFileToBackUp() async throws {
        try await withDirectory { directory in
            let store = try openStore(directory)
            try await store.commit([event(radar, "a")])
            try await store.close()
            let bytes = try require(
                FileManager.default.contents(atPath: directory + "/varde.sqlite")
            )
            let copy = directory + "/backup"
            try FileManager.default.createDirectory(
                atPath: copy,
                withIntermediateDirectories: true
            )
            try bytes.write(to: URL(fileURLWithPath: copy + "/varde.sqlite"))
            let restored = try openStore(copy)
            try await expectEqual(restored.loadAll()[0].publications.map(text), ["a"])
            try await restored.close()
        }
    }

    /// Returns how many commits the store has.
    private func expectFirstCommitsWhole(_ store: HubStore) async throws -> Int {
        let topics = try await store.loadAll()
        let count = topics.first?.publications.count ?? 0
        expect(topics.allSatisfy { $0.publications.count == count })
        for topic in topics {
            expectEqual(topic.publications.map(text), (1...count).map { "\($0)" })
            expectEqual(topic.publications.map(\.offset), (1...count).map { UInt64($0) })
        }
        let state = try await store.state(domain: "radar")
        expectEqual(state.compactMap(\.value), (count == 0 ? [] : [[UInt8(count)]]))
        return count
    }
}
