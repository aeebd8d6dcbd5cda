/// The use of the lane while the writer waits for the disk.
extension Writer {
    /// Carries out the lane's writes. A failed write does not affect the others.
    func commitBeside(_ writes: [Write]) -> WrittenBatch {
        let start = counters.memory.mark
        let results = writes.map { write in
            let mark = counters.memory.mark
            return Result {
                guard case .change(let change) = write else { return Written() }
                do {
                    return Written(outcomes: try publishBeside(change.events))
                } catch {
                    counters.memory.rollBack(to: mark)
                    throw error
                }
            }
        }
        counters.memory.keep(since: start)
        return WrittenBatch(results: results, hasTransaction: false)
    }

    /// The next epoch of a deleted topic depends on the announcements until then, so nothing is
    /// announced during such a transaction.
    func chooseLane(for writes: [Write], isBeside: Bool) {
        lane = isBeside || writes.contains { $0.forgetsTopics } ? nil : laneInUse
    }

    /// Prepares a transaction that has begun: leaves out cursors for the lane, of those that
    /// earlier transactions have reserved, and reserves a new block for the next ones when few are
    /// left.
    func leaveOutCursors(in session: SQLSession) throws {
        guard lane != nil else { return }
        counters.leaveOut(allowance.take(now: .now))
        guard !counters.hasReserved(Int(TopicCounters.reservedBlock / 2)) else { return }
        try counters.reserve(in: session)
    }

    /// Runs `body`, which may wait for the disk, and meanwhile the lane with the cursors that were
    /// left out.
    func withLane<Value>(_ body: () throws -> Value) rethrows -> Value {
        guard let lane else { return try body() }
        let (cursors, published) = counters.beginBeside()
        lane.open(cursors: cursors, published: published)
        defer {
            lane.close()
            counters.endBeside()
        }
        return try body()
    }

    /// The same while the writer assigns no cursors: the lane may use all reserved ones.
    func withLaneLent<Value>(_ body: () throws -> Value) rethrows -> Value {
        counters.lendReserved()
        defer { counters.takeBack() }
        return try withLane(body)
    }

    /// Moves the log into the file: after commits are acknowledged, since a disk can take seconds
    /// for it. Its result does not affect them, and it is tried again after the next commit.
    func checkpoint(in session: SQLSession) {
        counters.beginTransaction()
        lane = laneInUse
        withLaneLent { settings.engine?.checkpoint(session) }
    }

    private var laneInUse: MemoryLane? { settings.lane.flatMap { $0.isInUse ? $0 : nil } }
}

extension Write {
    fileprivate var forgetsTopics: Bool {
        if case .forgetting = self { true } else { false }
    }
}
