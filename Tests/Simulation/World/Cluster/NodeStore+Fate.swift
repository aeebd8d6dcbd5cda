import Reactor
import Store

/// A commit whose COMMIT was not answered: nothing else is committed or read before its outcome is known.
extension NodeStore {
    /// Looks for the row that is there if and only if the transaction was committed.
    func lookUp(_ commit: Commit, _ since: MonotonicInstant) {
        guard node.time.now < since + NodeStore.unknownMax, !isGone else { return giveUp(commit) }
        guard connect(), let session, engine.lock(session) else { return }
        let fate = engine.fate(of: commit.batch)
        engine.rollBack(session)
        switch fate {
        case .committed:
            trace.count(.unknownCommitsFound)
            succeed(commit)
        case .lost:
            trace.count(.unknownCommitsLost)
            fail(commit.writes, .ioFailed)
        case .undone, .open, .never: giveUp(commit)
        }
    }

    /// Publishers wait no longer.
    private func giveUp(_ commit: Commit) {
        trace.count(.unknownCommitsGivenUp)
        engine.unknown.formUnion(commit.publications.map(\.payload))
        var rest = commit
        rest.writes.removeAll { !$0.awaitsOutcome }
        rest.results = zip(commit.writes, commit.results).filter { $0.0.awaitsOutcome }.map(\.1)
        stage = .idle
        _ = gate.hold(rest, .open)
        fail(commit.writes.filter { !$0.awaitsOutcome }, .fateUnknown)
    }

    /// Nothing else is committed or read before.
    func lookUpLate(_ commit: Commit) {
        guard connect() else {
            if isGone {
                finish(gate.settle(.never("gone")))
            } else if !waiting.isEmpty {
                trace.count(.writesRefusedBehindUnknown)
                fail(waiting, .cannotOpen)
                waiting = []
            }
            return
        }
        guard let session, engine.lock(session) else { return }
        let fate = engine.fate(of: commit.batch)
        engine.rollBack(session)
        if fate == .committed { trace.count(.unknownCommitsFoundLate) }
        if fate == .lost { trace.count(.unknownCommitsLostLate) }
        finish(gate.settle(fate))
    }

    private func finish(_ settlement: CommitGate<Commit>.Settlement?) {
        switch settlement {
        case nil: break
        case .committed(let commit): succeed(commit)
        case .lost(let commit): fail(commit.writes, .cannotOpen)
        case .unknown(let commit):
            fail(commit.writes, .fateUnknown)
            end()
        }
    }
}
