import Expectations

@testable import Topics

/// The topics that are read from the store together.
@Suite("Stored histories: batches of reads", .timeLimit(.minutes(10)))
struct HistoryReadsTests {
    /// Each may have 100 bytes.
    @Test(arguments: [(300, 3), (299, 2), (200, 2), (1, 1)])
    func batchFitsIntoTheBudget(budget: Int, count: Int) {
        let table = HistoryTable(
            epoch: "e",
            cursorBase: 100,
            isBacked: true,
            namespaces: NamespaceTable([
                "n": NamespaceSettings(history: HistoryLimit(count: 9, age: nil, bytes: 100))
            ]),
            limits: HubLimits(storedHistoryBytesMax: budget)
        )
        let hub = TestHub(sharing: table)
        let topics = ["n:a", "n:b", "n:c"].map { Topic(trusted: $0) }
        for topic in topics { _ = hub.request(topic) }
        expectEqual(table.takeReads(countMax: 9).map(\.topic), Array(topics.prefix(count)))
    }
}
