import GRDB
import Testing

@testable import Store

/// What a statement may cost is a promise of the documentation, so its plan is a test.
@Suite("Query plans")
struct SQLTests {
    @Test(arguments: [
        SQL.selectNewest, SQL.selectOldest, SQL.selectTopOffset, SQL.selectTopic,
        SQL.deletePublications, SQL.deleteFinishedDeliveries, SQL.deleteDeliveriesOfEndpoint,
        SQL.selectDeliveriesOfEndpoint,
    ])
    func rowsAreFoundByIndexAndInOrder(_ sql: String) async throws {
        let plan = try await plan(of: sql)
        #expect(!plan.isEmpty)
        for step in plan {
            #expect(!step.hasPrefix("SCAN"), "\(step)")
            #expect(!step.contains("TEMP B-TREE"), "\(step)")
        }
    }

    /// The list of endpoints is read from the index of pending deliveries; nothing else is scanned.
    @Test(arguments: [0, 2])
    func pendingDeliveriesAreFoundByTheirIndex(_ paused: Int) async throws {
        let plan = try await plan(of: SQL.selectPending(exceptEndpoints: paused))
        for step in plan where step.contains("delivery") || step.contains("oldest") {
            let isCheap =
                step.contains("delivery_pending") || step.contains("USING INTEGER PRIMARY KEY")
            #expect(isCheap, "\(step)")
        }
    }

    private func plan(of sql: String) async throws -> [String] {
        try await withStore { store in
            try await store.pool.read { database in
                let arguments = sql.filter { $0 == "?" }.map { _ in 1 }
                return try Row.fetchAll(
                    database,
                    sql: "EXPLAIN QUERY PLAN " + sql,
                    arguments: StatementArguments(arguments)
                ).map { $0["detail"] }
            }
        }
    }
}
