/// A node's view of the lease of the leader, which only one node holds at a time.
///
/// The database's clock decides when a lease has ended; the node's own clock, which must not go
/// backward, decides how long the node relies on it. The node counts from before it asked, so it
/// stops first.
package struct Lease: Sendable, Equatable {
    package static let leader = "leader"

    /// The term and its end, by the last answer.
    package private(set) var holding: Holding?
    package let length: Duration

    package struct Holding: Sendable, Equatable {
        package var term: Int64
        /// By the node's own clock.
        package var end: ContinuousClock.Instant
    }

    package init(length: Duration) {
        self.length = length
    }

    /// The pause between two renewals: two may fail.
    package var pause: Duration { length * 3 / 10 }

    /// Takes an answer of the database.
    ///
    /// - Parameters:
    ///   - term: nil if another node holds the lease.
    ///   - asked: the time before the question.
    package mutating func note(term: Int64?, asked: ContinuousClock.Instant) {
        holding = term.map { Holding(term: $0, end: asked + length) }
    }

    /// Takes that there was no answer.
    package mutating func noteSilence(now: ContinuousClock.Instant) {
        if let holding, holding.end <= now { self.holding = nil }
    }

    package mutating func giveBack() { holding = nil }

    package var term: Int64? { holding?.term }
}

/// The statements on table `lease`, in PostgreSQL's dialect.
enum LeaseTable {
    /// Takes or renews a lease, unless another process holds it.
    private static let take = """
        INSERT INTO lease AS held (name, process, node, term, until)
        VALUES ($1, $2, $3, 1, clock_timestamp() + $4 * interval '1 millisecond')
        ON CONFLICT (name) DO UPDATE SET
            process = excluded.process, node = excluded.node, until = excluded.until,
            term = held.term + CASE WHEN held.process = excluded.process THEN 0 ELSE 1 END
        WHERE held.process = excluded.process OR held.until <= clock_timestamp()
        RETURNING term
        """
    private static let giveBack =
        "UPDATE lease SET until = '-infinity' WHERE name = $1 AND process = $2"

    /// - Returns: the term; nil if another process holds the lease.
    static func take(
        _ name: String,
        process: String,
        node: String,
        length: Duration,
        in connection: PostgresConnection
    ) throws(PostgresError) -> Int64? {
        var arguments = PostgresArguments()
        arguments.append(name)
        arguments.append(process)
        arguments.append(node)
        arguments.append(Int64(length.wholeMilliseconds))
        let result = try connection.run(take, arguments)
        return result.rowCount > 0 ? try result.integer(0, 0) : nil
    }

    static func giveBack(
        _ name: String,
        process: String,
        in connection: PostgresConnection
    ) throws(PostgresError) {
        var arguments = PostgresArguments()
        arguments.append(name)
        arguments.append(process)
        try connection.run(giveBack, arguments)
    }
}
