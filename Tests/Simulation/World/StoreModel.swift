import Hub

/// The store as the hub sees it: accepts writes, commits them in order and in batches, tells the hub of
/// the publications, then the callers. What `HubStore` does on its own thread is done here in steps,
/// between which anything may happen, a crash included.
///
/// `@unchecked Sendable`: the hub's closures demand it; a world lives on one thread.
final class StoreModel: Ledger, @unchecked Sendable {
    private struct WaitingWrite {
        var write: Write
        /// Whether it completes only when the outcome of its commit is known.
        var awaitsOutcome: Bool
        var completion: Completion
    }

    /// A commit that was not answered.
    private struct OpenCommit {
        var batch: [WaitingWrite]
        /// What the loops are to be told; nil if it is not in the file.
        var announcements: [Announcement]?
        /// How many more questions have no answer.
        var silence: Int
        /// The answer after them.
        var fate: CommitFate
    }

    private enum Stage {
        case idle
        /// The outcome of a commit is asked for, and the publishers still wait.
        case asking(OpenCommit, attemptsLeft: Int)
        /// The batch is committed; the loops from `nextLoop` on have not been told.
        case announcing([Announcement], nextLoop: Int, [() -> Void])
        case completing([() -> Void])
    }

    /// The bug of a store that tells of publications before they are committed; for the test that it
    /// would be found.
    var announcesBeforeCommit = false
    /// No commit succeeds.
    var isFailing = false
    /// One commit of so many is not answered; 0 for none.
    var unansweredOf = 0

    private let random: Randomness
    /// The states before the last commits: what a loss of power may bring back.
    private var unsynced: [Durable] = []
    private var waiting: [WaitingWrite] = []
    private var stage = Stage.idle
    /// The code of the store: what is admitted, and what becomes of a commit without an answer.
    private var gate = CommitGate<OpenCommit>()
    /// How many more questions about the open commit have no answer.
    private var silence = 0
    /// The file as it will be; only with the bug.
    private var uncommitted: Durable?

    private static let batchMax = 6
    private static let waitingMax = 64
    private static let unsyncedMax = 6
    private static let attemptsMax = 10

    init(random: Randomness, trace: Trace) {
        self.random = random
        super.init(trace: trace)
    }

    // MARK: Writes

    var isIdle: Bool {
        if case .idle = stage { waiting.isEmpty && gate.open == nil } else { false }
    }

    /// Whether the hub has to end, and start again from what is in the file.
    var needsRestart: Bool {
        if case .closed = gate.admission { true } else { false }
    }

    func submit(
        _ write: Write,
        awaitsOutcome: Bool = true,
        completion: @escaping Completion
    ) {
        guard waiting.count < StoreModel.waitingMax else {
            return completion(StoreError(.queueFull, "too many writes wait", path: "model"))
        }
        waiting.append(
            WaitingWrite(write: write, awaitsOutcome: awaitsOutcome, completion: completion)
        )
    }

    /// What clients publish.
    func publish(
        _ publications: [ClientPublication],
        at time: Timestamp,
        completion: @escaping Completion
    ) {
        submit(
            .change(change(of: publications, at: time)),
            awaitsOutcome: false,
            completion: completion
        )
    }

    /// Does the next thing, if there is one.
    ///
    /// - Parameter announce: tells the loop of this index; false when there is no such loop.
    func step(announce: (Int, [Announcement]) -> Bool) {
        switch stage {
        case .idle: goOn()
        case .asking(let commit, let attemptsLeft): ask(commit, attemptsLeft)
        case .announcing(let announcements, let loop, let completions):
            if announce(loop, announcements) {
                trace.note("store tells loop \(loop)")
                stage = .announcing(announcements, nextLoop: loop + 1, completions)
            } else {
                commitLate()
                stage = .completing(completions)
            }
        case .completing(let completions):
            guard let first = completions.first else {
                stage = .idle
                return
            }
            stage = .completing(Array(completions.dropFirst()))
            first()
        }
    }

    private func goOn() {
        if gate.open != nil { settle() }
        guard case .idle = stage, !waiting.isEmpty else { return }
        switch gate.admission {
        case .admitted: commitBatch()
        case .waits: refuseAll(.cannotOpen)
        case .closed: refuseAll(.gone)
        }
    }

    private func commitBatch() {
        let count = min(waiting.count, 1 + random.below(StoreModel.batchMax))
        let batch = Array(waiting.prefix(count))
        waiting.removeFirst(count)
        guard !isFailing else {
            trace.note("store fails \(count)")
            trace.count(.diskFailures)
            let error = StoreError(.diskFull, "disk is full", path: "model")
            stage = .completing(batch.map { write in { write.completion(error) } })
            return
        }
        if unansweredOf > 0, random.below(unansweredOf) == 0 { return loseAnswer(batch) }
        let announcements = write(batch)
        stage = .announcing(announcements, nextLoop: 0, succeeding(batch))
    }

    /// Returns what the loops are to be told.
    private func write(_ batch: [WaitingWrite]) -> [Announcement] {
        if unsynced.count == StoreModel.unsyncedMax { unsynced.removeFirst() }
        unsynced.append(durable)
        let first = durable.log.count
        let announcements = carryOut(batch.map(\.write))
        let publications = Array(durable.log[first...])
        trace.note("store commits \(batch.count): \(publications.count) to \(durable.lastCursor)")
        if announcesBeforeCommit {
            uncommitted = durable
            durable = unsynced.removeLast()
        } else {
            remember(from: first)
        }
        return announcements
    }

    private func succeeding(_ batch: [WaitingWrite]) -> [() -> Void] {
        batch.map { write in { write.completion(nil) } }
    }

    private func failing(_ batch: [WaitingWrite], _ code: StoreError.Code) -> [() -> Void] {
        let error = StoreError(code, code.summary, path: "model")
        return batch.map { write in { write.completion(error) } }
    }

    /// The second half of the bug: the commit, at last.
    private func commitLate() {
        guard let late = uncommitted else { return }
        let first = durable.log.count
        uncommitted = nil
        durable = late
        remember(from: first)
    }

    // MARK: Unknown outcomes

    /// The commit is in the file or not, and its answer does not arrive.
    private func loseAnswer(_ batch: [WaitingWrite]) {
        let isStored = random.chance(60)
        trace.note("store has no answer for \(batch.count)")
        trace.count(.answersLost)
        let commit = OpenCommit(
            batch: batch,
            announcements: isStored ? write(batch) : nil,
            silence: random.below(4 * StoreModel.attemptsMax),
            fate: random.chance(10) ? .never("forgotten") : isStored ? .committed : .lost
        )
        stage = .asking(commit, attemptsLeft: StoreModel.attemptsMax)
    }

    /// As the writer does before the publishers give up.
    private func ask(_ commit: OpenCommit, _ attemptsLeft: Int) {
        var commit = commit
        commit.silence -= 1
        if commit.silence < 0, commit.fate == .committed || commit.fate == .lost {
            return finish(commit.fate == .committed ? .committed(commit) : .lost(commit))
        }
        guard commit.silence < 0 || attemptsLeft == 0 else {
            stage = .asking(commit, attemptsLeft: attemptsLeft - 1)
            return
        }
        silence = commit.silence
        stage = .idle
        if let settlement = gate.hold(commit, commit.silence < 0 ? commit.fate : .open) {
            return finish(settlement)
        }
        trace.note("publishers wait no longer")
        stage = .completing(reporting(commit.batch.filter { !$0.awaitsOutcome }))
    }

    private func settle() {
        guard let commit = gate.open else { return }
        silence -= 1
        guard let settlement = gate.settle(silence < 0 ? commit.fate : .open) else { return }
        if commit.fate == .committed { trace.count(.unknownCommitsFoundLate) }
        if commit.fate == .lost { trace.count(.unknownCommitsLostLate) }
        var rest = commit
        rest.batch.removeAll { !$0.awaitsOutcome }
        switch settlement {
        case .committed: finish(.committed(rest))
        case .lost: finish(.lost(rest))
        case .unknown: finish(.unknown(rest))
        }
    }

    private func finish(_ settlement: CommitGate<OpenCommit>.Settlement) {
        switch settlement {
        case .committed(let commit):
            let completions = succeeding(commit.batch)
            stage = .announcing(commit.announcements ?? [], nextLoop: 0, completions)
        case .lost(let commit): stage = .completing(failing(commit.batch, .cannotOpen))
        case .unknown(let commit): stage = .completing(reporting(commit.batch))
        }
    }

    /// Completions with an outcome that stays unknown to those who receive them.
    private func reporting(_ batch: [WaitingWrite]) -> [() -> Void] {
        for case .change(let change) in batch.map(\.write) {
            unknown.formUnion(change.events.map(\.payload))
        }
        return failing(batch, .fateUnknown)
    }

    private func refuseAll(_ code: StoreError.Code) {
        trace.count(.writesRefusedBehindUnknown)
        stage = .completing(failing(waiting, code))
        waiting = []
    }

    // MARK: Ends

    /// The process is gone: what was committed stays, what waited is lost.
    func crash() {
        if case .announcing = stage { trace.count(.killsBetweenCommitAndAnnouncement) }
        waiting = []
        stage = .idle
        gate = CommitGate()
        uncommitted = nil
        checkAcknowledged()
    }

    /// The machine is gone: the last commits may be lost, so an epoch begins (`StoreIdentity`).
    func losePower() {
        waiting = []
        stage = .idle
        uncommitted = nil
        let lost = random.below(unsynced.count + 1)
        let lastCursor = durable.lastCursor
        let epoch = durable.epoch
        if lost > 0 {
            let before = unsynced[unsynced.count - lost]
            takenBack.formUnion(durable.log[before.log.count...].map(\.payload))
            durable = before
        }
        unsynced = []
        let number = Int(epoch.dropFirst("epoch-".count))! + 1
        durable.epoch = "epoch-\(number)"
        durable.cursorBase = lastCursor + 1000
        durable.lastCursor = durable.cursorBase
        remember(from: 0)
        for (topic, offsets) in durable.erased.enumerated() {
            for offset in offsets { rememberErased(offset, of: topic) }
        }
        acknowledged.removeAll { !isKept($0) }
        trace.note("power lost: \(lost) commits taken back")
    }

    /// Everything that waits is carried out, as an orderly end does. It waits for no outcome.
    func flush(announce: (Int, [Announcement]) -> Bool) {
        while case .asking = stage { step(announce: announce) }
        while case .completing = stage { step(announce: announce) }
        if gate.open != nil { settle() }
        if case .unknown(let commit)? = gate.stopWaiting() {
            var rest = commit
            rest.batch.removeAll { !$0.awaitsOutcome }
            finish(.unknown(rest))
        }
        while !isIdle { step(announce: announce) }
        gate = CommitGate()
    }
}
