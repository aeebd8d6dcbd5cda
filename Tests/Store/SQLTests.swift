import Expectations
import Foundation
import StoreTesting

@testable import Store

/// What a statement may cost is a promise of the documentation, so its plan is a test.
@Suite("Query plans", .needsFile, .timeLimit(.minutes(10)))
struct SQLTests {
    /// What runs while the hub serves, but for what reads from one end of a table.
    private static let searching = [
        "upsertState": SQL.upsertState, "deleteState": SQL.deleteState,
        "upsertFeed": SQL.upsertFeed, "deleteFeed": SQL.deleteFeed,
        "upsertAlert": SQL.upsertAlert, "deleteAlert": SQL.deleteAlert,
        "selectTopic": SQL.selectTopic, "insertTopic": SQL.insertTopic,
        "selectTopicRow": SQL.selectTopicRow, "selectTopicPage": SQL.selectTopicPage,
        "selectTopicPositions": SQL.selectTopicPositions,
        "insertPublication": SQL.insertPublication, "deletePublications": SQL.deletePublications,
        "updateEvicted": SQL.updateEvicted, "selectNewest": SQL.selectNewest,
        "selectNewestPlace": SQL.selectNewestPlace, "selectOldest": SQL.selectOldest,
        "selectTopOffset": SQL.selectTopOffset,
        "selectTopicsPublishedTo": SQL.selectTopicsPublishedTo,
        "selectNewestCursor": SQL.selectNewestCursor,
        "selectForgottenCursor": SQL.selectForgottenCursor,
        "selectTagged": SQL.selectTagged, "deletePublication": SQL.deletePublication,
        "updateErased": SQL.updateErased,
        "updateBeginning": SQL.updateBeginning, "updatePastTime": SQL.updatePastTime,
        "setUnknownPastTime": SQL.setUnknownPastTime,
        "deleteKeysOfTopic": SQL.deleteKeysOfTopic,
        "deleteVersionOfTopic": SQL.deleteVersionOfTopic, "deleteTopic": SQL.deleteTopic,
        "upsertForgotten": SQL.upsertForgotten,
        "selectIdempotencyKey": SQL.selectIdempotencyKey,
        "insertIdempotencyKey": SQL.insertIdempotencyKey,
        "selectNewestIdempotencyKey": SQL.selectNewestIdempotencyKey,
        "deleteIdempotencyKeys": SQL.deleteIdempotencyKeys,
        "selectVersion": SQL.selectVersion, "upsertVersion": SQL.upsertVersion,
        "writeProbe": SQL.writeProbe, "deleteProbe": SQL.deleteProbe,
        "insertDelivery": SQL.insertDelivery, "updateDelivery": SQL.updateDelivery,
        "deleteFinishedDeliveries": SQL.deleteFinishedDeliveries,
        "deleteDeliveriesOfEndpoint": SQL.deleteDeliveriesOfEndpoint,
        "selectPendingOfEndpoint": SQL.selectPendingOfEndpoint,
        "selectNextWaitingEndpoint": SQL.selectNextWaitingEndpoint,
        "countPendingOfEndpoint": SQL.countPendingOfEndpoint,
        "insertDeliveryTag": SQL.insertDeliveryTag,
        "selectDeliveriesWithTag": SQL.selectDeliveriesWithTag,
        "selectDeliveriesOfTopic": SQL.selectDeliveriesOfTopic,
        "deleteDeliveryTags": SQL.deleteDeliveryTags,
        "updateDeliveryTopic": SQL.updateDeliveryTopic,
        "selectUnlessTagged": SQL.selectUnlessTagged,
        "deleteDelivery": SQL.deleteDelivery,
        "selectDeliveriesOfEndpoint": SQL.selectDeliveriesOfEndpoint,
        "selectState": SQL.selectState,
        "selectFirstState": SQL.selectFirstState,
        "selectNextFirstWaiting": SQL.selectNextFirstWaiting,
    ]

    /// What reads a table, or one of its indexes, from one end: to a limit, or because all is asked
    /// for. Table `hub` has one row.
    private static let reading = [
        "selectFeeds": SQL.selectFeeds,
        "selectAlerts": SQL.selectAlerts,
        "selectOldestIdempotencyKeys": SQL.selectOldestIdempotencyKeys,
        "selectOldestPublicationTime": SQL.selectOldestPublicationTime,
        "selectForgotten": SQL.selectForgotten,
        "selectTopicsTrimmed": SQL.selectTopicsTrimmed,
        "selectClock": SQL.selectClock, "updateClock": SQL.updateClock,
        "reserveCursors": SQL.reserveCursors,
    ]

    private static let controlling: Set = [
        "begin", "commit", "savepoint", "release", "rollBackToSavepoint",
    ]

    @Test(arguments: searching)
    func rowsAreFoundByIndexAndInOrder(_ name: String, _ sql: String) async throws {
        let plan = try await plan(of: sql)
        for step in plan {
            expect(!step.hasPrefix("SCAN"), "\(name): \(step)")
            expect(!step.contains("TEMP B-TREE"), "\(name): \(step)")
        }
        expect(!plan.isEmpty || sql.hasPrefix("INSERT"), "\(name)")
    }

    @Test(arguments: reading)
    func whatReadsFromOneEndSortsNothing(_ name: String, _ sql: String) async throws {
        let plan = try await plan(of: sql)
        expectEqual(plan.count, 1, "\(name): \(plan)")
        expectEqual(plan.first?.hasPrefix("SCAN"), true, "\(name): belongs to the others")
    }

    @Test func everyStatementIsAmongThese() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Sources/Store/SQL.swift")
        let text = try String(contentsOf: sources, encoding: .utf8)
        let names = text.split(separator: "\n").compactMap { line -> String? in
            let words = line.split(separator: " ")
            return words.starts(with: ["static", "let"]) ? String(words[2]) : nil
        }
        let listed = Set(Self.searching.keys).union(Self.reading.keys).union(Self.controlling)
        expectEqual(Set(names), listed)
    }

    private func plan(of sql: String) async throws -> [String] {
        try await withStore { store in
            try await store.pool.read { try SQLSession($0).plan(of: sql) }
        }
    }
}
