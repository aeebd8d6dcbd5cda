import DomainKit

extension HubStore {
    /// As `commit`, for the film app's tables. So an act sees its actor's friends as they are when it becomes true, and
    /// no block comes in between.
    @discardableResult
    package func commitActivity<Value: Sendable>(
        length: Int = 1024,
        _ body: @escaping @Sendable (ActivityTables) throws -> (Change, Value)
    ) async throws -> Value {
        try await commit(ActivityTables.self, length: length, body)
    }

    /// Reads the film app's tables in one snapshot, concurrently with the writer.
    ///
    /// - Throws: the error of `body`, or `StoreError`.
    package func readActivity<Value: Sendable>(
        _ body: @escaping @Sendable (ActivityTables) throws -> Value
    ) async throws -> Value {
        try await read(ActivityTables.self, body)
    }
}
