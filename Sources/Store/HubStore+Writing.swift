/// The steps of a write: it is queued, committed with others, and announced, and its caller
/// resumes.
extension HubStore {
    /// Queues a write and waits for its commit.
    func write(
        _ write: Write,
        length: Int = Change.rowBytes,
        awaitsOutcome: Bool = true
    ) async throws -> Written {
        try await withCheckedThrowingContinuation { continuation in
            enqueue(write, length: length, awaitsOutcome: awaitsOutcome) {
                continuation.resume(with: $0)
            }
        }
    }

    func write(
        length: Int = Change.rowBytes,
        awaitsOutcome: Bool = true,
        _ body: @escaping WriteBody
    ) async throws -> Written {
        try await write(.statements(body), length: length, awaitsOutcome: awaitsOutcome)
    }

    /// - Parameter awaitsOutcome: see `commit`.
    func enqueue(
        _ write: Write,
        length: Int,
        awaitsOutcome: Bool,
        completion: @escaping @Sendable (Result<Written, any Error>) -> Void
    ) {
        let waiting = WaitingWrite(
            length: length,
            write: write,
            lane: write.lane(durability),
            awaitsOutcome: awaitsOutcome,
            completion: completion
        )
        switch queue.withLock({ $0.append(waiting) }) {
        case .accepted:
            break
        case .wakesLane:
            lane.wake()
        case .wakesWriter:
            engine.write { self.drain($0) }
        case .refused(let code, let message):
            counts.withLock { $0.writesRefused += 1 }
            completion(.failure(StoreError(code, message, path: path)))
        }
    }

    /// Runs on the writer's queue: one transaction after the other, until the queue is empty.
    private func drain(_ session: SQLSession) {
        while true {
            let waiting = queue.withLock { $0.takeBatch() }
            guard !waiting.isEmpty else { return }
            settle(session)
            let hasTransaction = carryOut(waiting, in: session)
            if isShared {
                // Other work for the queue has its turn in between: terms, and the positions of clients.
                return engine.write { self.drain($0) }
            }
            guard hasTransaction, engine.isCheckpointDue else { continue }
            queue.withLock { $0.endBatch() }
            writer.checkpoint(in: session)
        }
    }

    /// Commits a batch, or refuses it while the outcome of an earlier commit is unknown.
    ///
    /// - Returns: whether there was a transaction whose outcome is known.
    private func carryOut(_ waiting: [WaitingWrite], in session: SQLSession) -> Bool {
        let writes = waiting.map(\.write)
        guard writer.isAdmitting else {
            let batch = writer.refuse(writes, isBeside: waiting.map(\.isBeside))
            complete(waiting, batch, in: session)
            return false
        }
        let start = ContinuousClock.now
        let batch = writer.commit(
            writes,
            isDurable: durability,
            isBeside: waiting.contains(where: \.isBeside),
            in: session
        )
        if batch.hasTransaction {
            observer.withLock { $0 }.transaction?(.now - start)
        }
        guard !batch.isOpen else {
            hold(waiting, batch)
            return false
        }
        complete(waiting, batch, in: session)
        return batch.hasTransaction
    }

    /// Announces a batch, and completes its writes.
    ///
    /// - Parameter waiting: nil for those that have completed.
    func complete(_ waiting: [WaitingWrite?], _ batch: WrittenBatch, in session: SQLSession) {
        let batch = counted(batch)
        noteDeliveries(batch, waiting, in: session)
        note(batch)
        if isShared {
            batch.results.forEach(requireRestart)
            noteHeard(batch)
        } else {
            announce(batch.results)
        }
        for (write, result) in zip(waiting, batch.results) { write?.completion(result) }
    }

    /// Runs on the lane's queue, while the writer waits for the disk.
    func publishBeside(_ waiting: [WaitingWrite]) {
        let isDurable = durability
        // Durability may have changed while they waited.
        let forFile = waiting.filter { !$0.write.lane(isDurable).isBeside }
        if !forFile.isEmpty { queue.withLock { $0.putBack(forFile) } }
        let beside =
            forFile.isEmpty ? waiting : waiting.filter { $0.write.lane(isDurable).isBeside }
        let batch = counted(writer.commitBeside(beside.map(\.write)))
        announce(batch.results)
        for (write, result) in zip(beside, batch.results) { write.completion(result) }
    }

    private func counted(_ batch: WrittenBatch) -> WrittenBatch {
        let batch = translated(batch)
        counts.withLock { $0.count(batch) }
        return batch
    }

    func translated(_ batch: WrittenBatch) -> WrittenBatch {
        var batch = batch
        for (index, result) in batch.results.enumerated() {
            guard case .failure(let error) = result else { continue }
            batch.results[index] = .failure(StoreError.translating(error, path: path))
        }
        return batch
    }

    /// Runs before the callers resume, so that a caller that has added a delivery finds it counted.
    private func noteDeliveries(
        _ batch: WrittenBatch,
        _ waiting: [WaitingWrite?],
        in session: SQLSession
    ) {
        guard batch.hasTransaction,
            waiting.contains(where: { $0?.write.mayTouchDeliveries ?? true })
                || batch.results.contains(where: { (try? $0.get().touchesDeliveries) == true }),
            let counted = try? engine.deliveryCounts(session)
        else { return }
        tally.withLock { $0 = counted }
    }

    /// The number of deliveries of each status, without the time of the oldest: updated with every
    /// transaction, so reading it costs nothing.
    package var deliveryTally: DeliveryCounts { tally.withLock { $0 } }

    /// Calls the handlers, in the order of the writes.
    private func announce(_ results: [Result<Written, any Error>]) {
        let observer = observer.withLock { $0 }
        var publications: [Publication] = []
        func tell() {
            guard !publications.isEmpty else { return }
            observer.committed?(publications)
            publications.removeAll()
        }
        for case .success(let written) in results {
            publications += written.outcomes.publications
            if !(written.queued.isEmpty && written.erasedDeliveries.isEmpty) {
                growth.withLock { $0.note(written) }
            }
            guard written.tellsMoreThanPublications else { continue }
            tell()
            for removal in written.removals { observer.removed?(removal) }
            if !written.erasures.isEmpty { observer.erased?(written.erasures) }
            if !written.forgotten.isEmpty { observer.forgot?(written.forgotten) }
        }
        tell()
    }
}

extension Written {
    fileprivate var tellsMoreThanPublications: Bool {
        !(removals.isEmpty && erasures.isEmpty && forgotten.isEmpty)
    }
}
