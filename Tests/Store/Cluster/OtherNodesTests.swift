import Expectations
import PostgresTesting
import StoreTesting

@testable import Store

@Suite("The other nodes of a cluster", .timeLimit(.minutes(10)))
struct OtherNodesTests {
    private let fixture = ClusterFixture()

    private func others(_ node: Node) async throws -> [String: Bool] {
        let others = try await node.store.otherNodes()
        return Dictionary(uniqueKeysWithValues: others.map { ($0.name, $0.isLiving) })
    }

    /// A node that is cut off is known as long as it can return. No keeper renews the rows here.
    @Test func thoseThatCanReturnAreKnown() async throws {
        try await fixture.withNodes(["a", "b", "c"]) { nodes in
            try fixture.run("UPDATE node SET seen_at = clock_timestamp() + interval '1 hour'")
            try await expectEqual(others(nodes[0]), ["b": true, "c": true])
            expectEqual(nodes[0].store.patience, .seconds(5))
            func setSeen(_ seconds: Int) throws {
                try fixture.run(
                    """
                    UPDATE node SET seen_at = clock_timestamp() - interval '\(seconds) seconds'
                    WHERE name = 'c'
                    """
                )
            }
            try setSeen(100)
            try await expectEqual(others(nodes[0]), ["b": true, "c": false])
            try setSeen(1000)
            try await expectEqual(others(nodes[0]), ["b": true])
            let process = nodes[1].store.process
            try await expectEqual(nodes[0].store.otherNodes().map(\.process), [process])
        }
    }

    @Test func anOnlyWriterHasNoOthers() async throws {
        let store = try fixture.open(nil)
        try await expectEqual(store.otherNodes(), [])
        expectNil(store.patience)
        try await store.close()
    }
}
