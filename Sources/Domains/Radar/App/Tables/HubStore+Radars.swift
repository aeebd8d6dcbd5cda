import DomainKit

extension HubStore {
    /// Commits rows of radars, in their order, and a change in one transaction.
    ///
    /// - Throws: `StoreError`; its code is `notFound` for a write that needs a radar which is not there.
    package func commitRadars(
        _ rows: [RadarWrite],
        with change: Change = Change()
    ) async throws {
        let length = rows.reduce(change.length) { $0 + Change.rowBytes + $1.length }
        try await commit(RadarTables.self, length: length) { tables in
            for row in rows { try tables.apply(row) }
            return (change, ())
        }
    }

    /// The number of an API key that pushes opinions, by its digest.
    package func pusher(of key: [UInt8]) async throws -> Int {
        try await commit(RadarTables.self, length: Change.rowBytes) { tables in
            (Change(), try tables.pusher(of: key))
        }
    }

    /// Reads the tables of radars in one snapshot, concurrently with the writer.
    ///
    /// - Throws: the error of `body`, or `StoreError`.
    package func readRadars<Value: Sendable>(
        _ body: @escaping @Sendable (RadarTables) throws -> Value
    ) async throws -> Value {
        try await read(RadarTables.self, body)
    }

    /// Deletes the opinions of deleted radars, and those that are older than `time`, in small transactions.
    ///
    /// - Returns: how many.
    @discardableResult
    package func trimOpinions(before time: Timestamp) async throws -> Int {
        var steps = IndependentSteps()
        var sum = 0
        await steps.run("deleted_radars") { sum += try await trimDeletedRadars() }
        await steps.run("old") {
            sum += try await deletingInBatches(RadarSQL.deleteOldOpinions, [time.milliseconds])
        }
        try steps.end()
        return sum
    }

    /// Deletes one radar after the other. A deleted radar gets no new opinions meanwhile.
    private func trimDeletedRadars() async throws -> Int {
        var sum = 0
        while let number = try await firstDeletedRadar() {
            sum += try await deletingInBatches(RadarSQL.deleteOpinionsOfRadar, [number])
            try await commit(RadarTables.self, length: Change.rowBytes) { tables in
                try tables.session.run(RadarSQL.forgetDeletedRadar, [number])
                return (Change(), ())
            }
        }
        return sum
    }

    private func firstDeletedRadar() async throws -> Int? {
        try await readRadars { try $0.session.integer(RadarSQL.selectDeletedRadar) }
    }

    /// Deletes the kept answers that are older than `time`, in small transactions.
    ///
    /// - Returns: how many.
    @discardableResult
    package func trimStanceCache(before time: Timestamp) async throws -> Int {
        try await deletingInBatches(RadarSQL.deleteOldStanceCache, [time.milliseconds])
    }

    /// Deletes the spending before a day, in small transactions.
    ///
    /// - Returns: the number of rows.
    @discardableResult
    package func trimSpending(beforeDay day: Int) async throws -> Int {
        try await deletingInBatches(RadarSQL.deleteOldSpending, [day])
    }

    /// Deletes the shares taken by users before a day, in small transactions.
    ///
    /// - Returns: the number of rows.
    @discardableResult
    package func trimUserSpending(beforeDay day: Int) async throws -> Int {
        try await deletingInBatches(RadarSQL.deleteOldUserSpending, [day])
    }
}
