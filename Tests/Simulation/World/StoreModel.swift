import HubServer
import PubSub
import Shards
import Store
import Timekeeping
import Webhooks

/// The store as the hub sees it: accepts writes, commits them in order and in batches, tells the hub of
/// the publications, then the callers. What `HubStore` does on its own thread is done here in steps,
/// between which anything may happen, a crash included.
///
/// `@unchecked Sendable`: the hub's closures demand it; a world lives on one thread.
final class StoreModel: Ledger, @unchecked Sendable {
    private enum Stage {
        case idle
        /// The batch is committed; the loops from `nextLoop` on have not been told.
        case announcing([Announcement], nextLoop: Int, [() -> Void])
        case completing([() -> Void])
    }

    /// The bug of a store that tells of publications before they are committed; for the test that it
    /// would be found.
    var announcesBeforeCommit = false
    /// No commit succeeds.
    var isFailing = false

    private let random: Randomness
    /// The states before the last commits: what a loss of power may bring back.
    private var unsynced: [Durable] = []
    private var waiting: [(write: Write, completion: Completion)] = []
    private var stage = Stage.idle
    /// The file as it will be; only with the bug.
    private var uncommitted: Durable?

    private static let batchMax = 6
    private static let waitingMax = 64
    private static let unsyncedMax = 6

    init(random: Randomness, trace: Trace) {
        self.random = random
        super.init(trace: trace)
    }

    // MARK: Writes

    var isIdle: Bool {
        if case .idle = stage { waiting.isEmpty } else { false }
    }

    func submit(_ write: Write, completion: @escaping Completion) {
        guard waiting.count < StoreModel.waitingMax else {
            return completion(StoreError(.queueFull, "too many writes wait", path: "model"))
        }
        waiting.append((write, completion))
    }

    /// What clients publish.
    func publish(
        _ publications: [ClientPublication],
        at time: Timestamp,
        completion: @escaping Completion
    ) {
        submit(.change(change(of: publications, at: time)), completion: completion)
    }

    /// Does the next thing, if there is one.
    ///
    /// - Parameter announce: tells the loop of this index; false when there is no such loop.
    func step(announce: (Int, [Announcement]) -> Bool) {
        switch stage {
        case .idle:
            if !waiting.isEmpty { commitBatch() }
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
        if unsynced.count == StoreModel.unsyncedMax { unsynced.removeFirst() }
        unsynced.append(durable)
        let first = durable.log.count
        let announcements = carryOut(batch.map(\.write))
        let publications = Array(durable.log[first...])
        let completions = batch.map { write in { write.completion(nil) } }
        trace.note("store commits \(count): \(publications.count) to \(durable.lastCursor)")
        if announcesBeforeCommit {
            uncommitted = durable
            durable = unsynced.removeLast()
        } else {
            remember(from: first)
        }
        stage = .announcing(announcements, nextLoop: 0, completions)
    }

    /// The second half of the bug: the commit, at last.
    private func commitLate() {
        guard let late = uncommitted else { return }
        let first = durable.log.count
        uncommitted = nil
        durable = late
        remember(from: first)
    }

    // MARK: Ends

    /// The process is gone: what was committed stays, what waited is lost.
    func crash() {
        if case .announcing = stage { trace.count(.killsBetweenCommitAndAnnouncement) }
        waiting = []
        stage = .idle
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

    /// Everything that waits is carried out, as an orderly end does.
    func flush(announce: (Int, [Announcement]) -> Bool) {
        while !isIdle { step(announce: announce) }
    }
}
