/// A commit whose outcome is unknown, with all that its announcement needs.
struct OpenCommit {
    let question: CommitQuestion?
    /// The results if it is committed.
    let batch: WrittenBatch
    let highWater: HighWater
    /// The error if it is lost.
    let error: any Error
    let failure: CommitFailure
}

/// Thrown out of a transaction that `OpenCommit` describes.
struct UnansweredCommit: Error {
    let fate: CommitFate
    let question: CommitQuestion?
    let results: [Result<Written, any Error>]
    let told: [LogRecord]?
    let highWater: HighWater
    let error: any Error
    let failure: CommitFailure
}

/// Commits whose outcome is unknown.
extension Writer {
    var isAdmitting: Bool { gate.admission == .admitted }

    /// Takes a commit that was not answered.
    ///
    /// - Returns: the batch with failures of unknown outcome. `isOpen` if the outcome is asked for
    ///   again, and only callers that do not wait for it receive their failure.
    func hold(_ commit: UnansweredCommit, hasWritten: Bool) -> WrittenBatch {
        let batch = WrittenBatch(
            results: commit.results,
            hasTransaction: true,
            hasWritten: hasWritten,
            told: commit.told
        )
        let open = OpenCommit(
            question: commit.question,
            batch: batch,
            highWater: commit.highWater,
            error: commit.error,
            failure: commit.failure
        )
        if let settlement = gate.hold(open, commit.fate) { return finish(settlement) }
        var told = batch.failing(with: commit.failure)
        told.isOpen = true
        return told
    }

    /// Asks once for the outcome of the open commit.
    ///
    /// - Returns: the batch with its results; nil if no commit is open, or the outcome is still
    ///   unknown.
    func settle(in session: SQLSession) -> WrittenBatch? {
        guard let commit = gate.open else { return nil }
        return gate.settle(settings.fate(session, commit.question, .zero)).map(finish)
    }

    /// Waits for no outcome any longer.
    ///
    /// - Returns: the batch of the open commit with failures; nil if no commit is open.
    func stopWaiting() -> WrittenBatch? { gate.stopWaiting().map(finish) }

    private func finish(_ settlement: CommitGate<OpenCommit>.Settlement) -> WrittenBatch {
        switch settlement {
        case .committed(let commit):
            settings.engine?.noteCommit(commit.highWater)
            if commit.batch.told != nil { sharedLog?.advance(lastCursor: counters.lastCursor) }
            return commit.batch
        case .lost(let commit):
            counters.rollBack(to: start)
            return commit.batch.failing(with: commit.error)
        case .unknown(let commit):
            // The file may contain changes that the counters have rolled back.
            let given = counters.lastCursor
            counters.rollBack(to: start)
            counters.rereadRows(behind: given)
            return commit.batch.failing(with: commit.failure)
        }
    }

    // MARK: Refusals

    /// Refuses writes while no commit is admitted, except for those of the lane: an open commit has
    /// left out cursors for them.
    ///
    /// - Parameter isBeside: whether a write is for the lane.
    func refuse(_ writes: [Write], isBeside: [Bool]) -> WrittenBatch {
        let refusal = refusal
        var left = 0
        var held: Set<Topic> = []
        let commit = lane == nil ? nil : gate.open
        if let commit {
            (left, held) = counters.beginBeside()
            held.formUnion(commit.batch.heldTopics)
        }
        defer { if commit != nil { counters.endBeside() } }
        let results = zip(writes, isBeside).map { write, isBeside in
            let topics = write.eventTopics
            guard isBeside, topics.count <= left, held.isDisjoint(with: topics) else {
                return Result<Written, any Error>.failure(refusal)
            }
            left -= topics.count
            return commitBeside([write]).results[0]
        }
        return WrittenBatch(results: results, hasTransaction: false)
    }

    private var refusal: StoreError {
        switch gate.admission {
        case .admitted: preconditionFailure("a commit that is admitted is not refused")
        case .waits:
            StoreError(
                .cannotOpen,
                "\(StoreError.Code.cannotOpen.summary): the outcome of an earlier commit is unknown",
                path: settings.path
            )
        case .closed(let reason):
            StoreError(.gone, "\(reason): restart the hub", path: settings.path)
        }
    }
}

extension WrittenBatch {
    /// The same batch with this failure of all its writes.
    func failing(with error: any Error) -> WrittenBatch {
        WrittenBatch(results: results.map { _ in .failure(error) }, hasTransaction: true)
    }

    /// Topics whose later publications must not be announced before this batch, other than those of
    /// its own publications.
    fileprivate var heldTopics: [Topic] {
        results.compactMap { try? $0.get() }.flatMap { written in
            written.removals.map(\.topic) + written.erasures.map(\.topic)
        }
    }
}
