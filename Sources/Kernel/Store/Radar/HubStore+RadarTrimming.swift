import Timekeeping

extension HubStore {
    /// Deletes the opinions of deleted radars, and those that are older than `time`, in small transactions.
    ///
    /// - Returns: how many.
    @discardableResult
    package func trimOpinions(before time: Timestamp) async throws -> Int {
        let orphans = try await trimDeletedRadars()
        return try await orphans + deletingInBatches(SQL.deleteOldOpinions, [time.milliseconds])
    }

    /// One deleted radar after the other. Nobody can give it opinions meanwhile.
    private func trimDeletedRadars() async throws -> Int {
        var sum = 0
        while let number = try await firstDeletedRadar() {
            sum += try await deletingInBatches(SQL.deleteOpinionsOfRadar, [number])
            _ = try await write { database in
                try SQLSession(database).run(SQL.forgetDeletedRadar, [number])
                return Written()
            }
        }
        return sum
    }

    private func firstDeletedRadar() async throws -> Int? {
        try await readingSession { try $0.integer(SQL.selectDeletedRadar) }
    }

    /// Deletes the kept answers that are older than `time`, in small transactions.
    ///
    /// - Returns: how many.
    @discardableResult
    package func trimStanceCache(before time: Timestamp) async throws -> Int {
        try await deletingInBatches(SQL.deleteOldStanceCache, [time.milliseconds])
    }

    /// Deletes what was spent before a day, in small transactions.
    ///
    /// - Returns: how many rows.
    @discardableResult
    package func trimSpending(beforeDay day: Int) async throws -> Int {
        try await deletingInBatches(SQL.deleteOldSpending, [day])
    }
}
