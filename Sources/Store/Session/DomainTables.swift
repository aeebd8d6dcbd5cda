/// The tables of a domain, inside one transaction or snapshot.
package protocol DomainTables: SendableMetatype {
    /// - Parameter path: of the file, for errors.
    init(_ session: SQLSession, path: String)
}

extension HubStore {
    /// Whether the database has the tables of a domain with these steps. A schema in PostgreSQL gets
    /// those of a domain when the domain is first on.
    package func hasTables(of steps: [Migration]) -> Bool {
        steps.allSatisfy { !engine.missingSteps.contains($0.name) }
    }

    /// Commits a change that depends on stored data: `body` reads and writes a domain's tables
    /// inside the writer's transaction, and the change that it returns is applied in the same
    /// transaction. The change is thus based on the rows at its commit, without another write in
    /// between.
    ///
    /// - Parameters:
    ///   - length: the approximate number of bytes that `body` holds while it waits:
    ///     `Change.length`, and the size of the rows. More than the limit of a change is refused.
    ///   - body: it must be quick, since all writers wait; and it may run twice, each time without
    ///     the results of the other run, so it must change nothing outside the tables. An error
    ///     undoes all its writes, and the writes that share its transaction must be repeated:
    ///     return a value for frequent cases instead.
    /// - Returns: the value of `body` in the run that was committed.
    /// - Throws: the error of `body`, or `StoreError`; nothing of the change is in the store then,
    ///   unless its code is `fateUnknown`.
    @discardableResult
    package func commit<Tables: DomainTables, Value: Sendable>(
        _ tables: Tables.Type,
        length: Int = 1024,
        _ body: @escaping @Sendable (Tables) throws -> (Change, Value)
    ) async throws -> Value {
        guard length <= limits.changeBytesMax else { throw tooBig(length) }
        let outcome = Locked<Result<Value, any Error>?>(nil)
        let path = path
        let composed: ComposedBody = { session in
            do {
                let (change, value) = try body(Tables(session, path: path))
                outcome.withLock { $0 = .success(value) }
                return ComposedChange(change: change)
            } catch let error where !SQLSession.isFailure(error) {
                outcome.withLock { $0 = .failure(error) }
                // The writer treats every error that is not the store's as a failure of the file.
                throw StoreError(.constraint, "change refused by its maker: \(error)", path: path)
            }
        }
        do {
            _ = try await write(.composed(composed), length: length)
        } catch {
            if case .failure(let refusal) = outcome.withLock({ $0 }) { throw refusal }
            throw error
        }
        guard case .success(let value) = outcome.withLock({ $0 }) else {
            preconditionFailure("change committed without its body")
        }
        return value
    }

    /// Reads a domain's tables in one snapshot, concurrently with the writer.
    ///
    /// - Throws: the error of `body`, or `StoreError`.
    package func read<Tables: DomainTables, Value: Sendable>(
        _ tables: Tables.Type,
        _ body: @escaping @Sendable (Tables) throws -> Value
    ) async throws -> Value {
        let path = path
        return try await reading { try body(Tables($0, path: path)) }
    }
}
