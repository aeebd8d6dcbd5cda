import DomainKit
import News

/// The tables of the news within one transaction or snapshot.
///
/// `HubStore.commitNews` and `readNews` pass them to a function; do not use them after it returns.
package struct NewsTables: DomainTables {
    let session: SQLSession

    package init(_ session: SQLSession, path: String) {
        self.session = session
    }
}

extension HubStore {
    /// Runs `body` in a transaction, and commits the change that it returns with the rows that it
    /// wrote.
    package func commitNews<Value: Sendable>(
        length: Int = 0,
        _ body: @escaping @Sendable (NewsTables) throws -> (Change, Value)
    ) async throws -> Value {
        try await commit(NewsTables.self, length: length, body)
    }

    /// Reads the tables in one snapshot, concurrently with the writer.
    package func readNews<Value: Sendable>(
        _ body: @escaping @Sendable (NewsTables) throws -> Value
    ) async throws -> Value {
        try await read(NewsTables.self, body)
    }

    /// Deletes articles that were first seen before `time`, in small transactions.
    ///
    /// - Returns: how many.
    @discardableResult
    package func trimArticles(firstSeenBefore time: Timestamp) async throws -> Int {
        try await deletingInBatches(NewsSQL.deleteOldArticles, [time.milliseconds])
    }

    /// Deletes the oldest articles until at most `count` are left, in small transactions.
    ///
    /// - Returns: how many.
    @discardableResult
    package func trimArticles(to count: Int) async throws -> Int {
        try await deletingInBatches(NewsSQL.deleteArticlesOverLimit, [count])
    }

    /// Deletes users without holdings and with the initial focus profile who have sent no request
    /// since `time`, in small transactions.
    ///
    /// - Returns: how many.
    @discardableResult
    package func trimNewsUsers(seenBefore time: Timestamp) async throws -> Int {
        let profile = NewsPreferences().focusProfile.column
        return try await deletingInBatches(
            NewsSQL.deleteForgottenUsers,
            [time.milliseconds, profile]
        )
    }

    /// Deletes stories without a report since `time`, with their rows, in small transactions.
    package func trimStories(updatedBefore time: Timestamp) async throws {
        try await deletingInBatches(NewsSQL.deleteOldStories, [time.milliseconds])
    }
}
