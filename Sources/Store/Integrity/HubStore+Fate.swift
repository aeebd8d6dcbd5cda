import Dispatch

/// The outcome of a commit that the server has not answered: asked for with every batch and at an
/// interval, until it is known (`CommitGate`).
///
/// Except for `stopWaiting`, these functions run on the writer's queue.
extension HubStore {
    /// Keeps the writes of a commit whose outcome is unknown. Those that do not await it complete.
    func hold(_ waiting: [WaitingWrite], _ batch: WrittenBatch) {
        let batch = translated(batch)
        unanswered.withLock { $0 = waiting.map { $0.awaitsOutcome ? $0 : nil } }
        note(batch)
        for (write, result) in zip(waiting, batch.results) where !write.awaitsOutcome {
            write.completion(result)
        }
        settleLater()
    }

    /// Asks for the outcome of the open commit, if there is one. If it is known, announces the
    /// commit, and completes its writes.
    func settle(_ session: SQLSession) {
        if let batch = writer.settle(in: session) { complete(batch, in: session) }
    }

    /// Asks again after a pause, also without another write.
    private func settleLater() {
        DispatchQueue.global().asyncAfter(deadline: .now() + outcomePause.inSeconds) {
            [weak self] in
            guard let self, !unanswered.withLock({ $0.isEmpty }) else { return }
            engine.write { [weak self] session in
                guard let self else { return }
                settle(session)
                if writer.gate.open != nil { settleLater() }
            }
        }
    }

    /// Waits for no outcome any longer: callers that await one receive `fateUnknown`, and nothing
    /// more is committed then. Commits whose outcome is known continue. Call it before you wait for
    /// work that commits, when the hub ends.
    package func stopWaiting() async {
        await withCheckedContinuation { continuation in
            engine.write { [self] session in
                settle(session)
                if let batch = writer.stopWaiting() { complete(batch, in: session) }
                continuation.resume()
            }
        }
    }

    private func complete(_ batch: WrittenBatch, in session: SQLSession) {
        let waiting = unanswered.withLock { unanswered in
            defer { unanswered = [] }
            return unanswered
        }
        complete(waiting, batch, in: session)
        if case .closed(let reason) = writer.gate.admission {
            (engine as? PostgresEngine)?.requireRestart(reason)
        }
        // Their publishers, who wake the sender, may have received an error.
        if batch.results.contains(where: { (try? $0.get().touchesDeliveries) == true }) {
            observer.withLock { $0 }.deliveriesChanged?()
        }
    }
}
