import Foundation
import GRDB
import PubSub

/// The statements of one write. It runs inside a savepoint: what it throws undoes it alone.
typealias WriteBody = @Sendable (Writer, Database) throws -> Written

/// Groups writes into transactions and gives out offsets and cursors.
///
/// `@unchecked Sendable`: `counters` is touched only by methods that take a `Database`, and this store
/// hands out its one writing connection on that connection's serial queue alone.
final class Writer: @unchecked Sendable {
    private var counters: TopicCounters

    init(counters: TopicCounters) {
        self.counters = counters
    }

    /// Runs all bodies in one transaction, in order, and tells how each one ended.
    ///
    /// A body that throws leaves nothing behind and harms no other, unless the failure made SQLite give up
    /// the transaction (disk full, input or output failed): then all of them failed, and so they did
    /// when the commit itself fails.
    func commit(_ bodies: [WriteBody], in database: Database) -> [Result<Written, any Error>] {
        counters.beginTransaction()
        let start = counters.mark
        do {
            try database.run(SQL.begin)
            let results = try bodies.map { try attempt($0, in: database) }
            try database.run(SQL.commit)
            return results
        } catch {
            counters.rollBack(to: start)
            return bodies.map { _ in .failure(rollBack(database, after: error)) }
        }
    }

    /// Inserts the rows of one change.
    func apply(_ change: Change, in database: Database) throws -> Written {
        let publications = try change.events.map { try publish($0, in: database) }
        for row in change.state {
            try database.upsert(
                SQL.upsertState,
                orDelete: SQL.deleteState,
                key: [row.domain, row.key],
                row.value
            )
        }
        for row in change.feeds {
            try database.upsert(
                SQL.upsertFeed,
                orDelete: SQL.deleteFeed,
                key: [row.name],
                row.validators
            )
        }
        for row in change.alerts {
            try database.upsert(
                SQL.upsertAlert,
                orDelete: SQL.deleteAlert,
                key: [row.rule, row.subject],
                row.state
            )
        }
        for delivery in change.deliveries { try database.insert(delivery) }
        if let clock = change.clock { try database.run(SQL.updateClock, [clock.milliseconds]) }
        return Written(publications: publications)
    }

    private func attempt(
        _ body: WriteBody,
        in database: Database
    ) throws -> Result<Written, any Error> {
        let mark = counters.mark
        try database.run(SQL.savepoint)
        do {
            let written = try body(self, database)
            try database.run(SQL.release)
            return .success(written)
        } catch {
            // SQLite may answer a grave error by rolling back everything.
            guard database.isInsideTransaction else { throw error }
            counters.rollBack(to: mark)
            try database.run(SQL.rollBackToSavepoint)
            try database.run(SQL.release)
            return .failure(error)
        }
    }

    private func publish(_ event: TopicEvent, in database: Database) throws -> Publication {
        let (topicID, offset, cursor) = try counters.next(of: event.topic, in: database)
        try database.run(
            SQL.insertPublication,
            [
                Int64(cursor), topicID, Int64(offset), event.time.milliseconds,
                Data(event.payload),
            ]
        )
        return Publication(
            topic: event.topic,
            offset: offset,
            cursor: cursor,
            time: event.time,
            payload: event.payload
        )
    }

    /// Ends a failed transaction and returns the error to report: the first one, unless the rollback
    /// failed too, which leaves the connection unusable and is the graver news.
    private func rollBack(_ database: Database, after error: any Error) -> any Error {
        guard database.isInsideTransaction else { return error }
        do {
            try database.rollback()
            return error
        } catch let graver {
            return graver
        }
    }
}

extension Database {
    /// Executes a statement that is prepared once and kept.
    func run(_ sql: String, _ arguments: StatementArguments = []) throws {
        try cachedStatement(sql: sql).execute(arguments: arguments)
    }

    /// Writes the row of `key`, or deletes it when there is no value.
    fileprivate func upsert(
        _ upsert: String,
        orDelete delete: String,
        key: StatementArguments,
        _ value: [UInt8]?
    ) throws {
        guard let value else { return try run(delete, key) }
        try run(upsert, key + [Data(value)])
    }
}
