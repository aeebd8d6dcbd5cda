import Locking

/// The tables of a domain, inside of one transaction or snapshot.
package protocol DomainTables: SendableMetatype {
    /// - Parameter path: of the file, for errors.
    init(_ session: SQLSession, path: String)
}

extension HubStore {
    /// Commits a change that is made of what the store holds: `body` reads and writes a domain's tables inside the
    /// writer's transaction, and what it returns is applied in the same transaction. So a change is made of rows as
    /// they are when it becomes true, and nothing comes in between.
    ///
    /// - Parameters:
    ///   - length: about how many bytes `body` holds while it waits: `Change.length`, and what the rows take.
    ///     More than a change may have is refused.
    ///   - body: it must be quick, for all writers wait; and it may run twice, each time on a store that
    ///     knows nothing of the other run, so it changes nothing outside of the tables. What it throws
    ///     undoes everything it did, and the writes that share its transaction have to be done again: what
    ///     happens often is better a value.
    /// - Returns: what `body` made in the run that was committed.
    /// - Throws: what `body` threw, or `StoreError`; nothing of the change is in the store then, unless its code is `fateUnknown`.
    @discardableResult
    package func commit<Tables: DomainTables, Value: Sendable>(
        _ tables: Tables.Type,
        length: Int = 1024,
        _ body: @escaping @Sendable (Tables) throws -> (Change, Value)
    ) async throws -> Value {
        guard length <= limits.changeBytesMax else { throw tooBig(length) }
        let outcome = Locked<Result<Value, any Error>?>(nil)
        let path = path
        let composed: ComposedBody = { database in
            do {
                let (change, value) = try body(Tables(SQLSession(database), path: path))
                outcome.withLock { $0 = .success(value) }
                return change
            } catch let error where !SQLSession.isFailure(error) {
                outcome.withLock { $0 = .failure(error) }
                // The writer sees in every error that is not the store's a failure of the file.
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

    /// Reads a domain's tables in one snapshot beside the writer.
    ///
    /// - Throws: what `body` threw, or `StoreError`.
    package func read<Tables: DomainTables, Value: Sendable>(
        _ tables: Tables.Type,
        _ body: @escaping @Sendable (Tables) throws -> Value
    ) async throws -> Value {
        let path = path
        return try await reading { try body(Tables(SQLSession($0), path: path)) }
    }
}
