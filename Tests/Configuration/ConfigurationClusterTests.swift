import ConfigurationTesting
import Expectations

@testable import Configuration

@Suite("Configuration: a node of a cluster", .timeLimit(.minutes(1)))
struct ConfigurationClusterTests {
    private let node = """
        database: postgresql://varde@db/hub
        cluster: {node: hub-1, lease: 4s, stale_after: 2s}

        """

    @Test func valuesAreRead() throws {
        let cluster = try require(load(node).configuration.cluster)
        expectEqual(cluster.node, "hub-1")
        expectEqual(cluster.lease, .seconds(4))
        expectEqual(cluster.staleAfter, .seconds(2))
        try expectNil(load("loops: 1").configuration.cluster)
    }

    @Test(arguments: [
        ("cluster: {lease: 4s}", "cluster.node: found nothing, the key is required"),
        ("cluster: {node: a}", "database: found a file, expected a URL of PostgreSQL"),
        (
            "database: postgres://db/hub\ncluster: {node: a}\nclock: {start: 2025-01-01T00:00:00Z}",
            "clock: found a section, expected none"
        ),
        ("cluster: {node: a, lease: 61s}", "cluster.lease"),
        ("cluster: {node: a, stale_after: 900ms}", "cluster.stale_after"),
        ("cluster: {node: A}", "cluster.node"),
    ])
    func contradictionsAreRefused(text: String, message: String) throws {
        let error = try #require(throws: ConfigurationError.self) { try load(text) }
        expect(error.problems.contains { $0.description.contains(message) }, "\(error)")
    }

    /// A node that starts reads the publications of all topics from the store.
    @Test func everyNamespaceIsDurable() throws {
        let text = "namespaces: [{name: chat, durable: false}]\n"
        let alone = try load(text).configuration.servedNamespaces([])
        expectEqual(alone.first?.durable, false)
        let served = try load(node + text).configuration.servedNamespaces([])
        expectEqual(served.count, alone.count)
        expect(served.allSatisfy { $0.durable })
    }
}
