import Reactor
import Store

/// What nodes do outside of the log: their rows, the lease, and the epoch.
extension EngineModel {
    // MARK: The epoch

    /// Begins an epoch where a node starts and none has vouched for the timeline.
    func establish() {
        guard tables.timeline != timeline else { return }
        let number = Int(durable.epoch.dropFirst("epoch-".count))! + 1
        durable.epoch = "epoch-\(number)"
        durable.cursorBase = greatestCursor + 1000
        durable.lastCursor = durable.cursorBase
        tables.newest.lastCursor = durable.cursorBase
        tables.timeline = timeline
        remember(from: 0)
        trace.count(.epochsBegun)
        trace.note("engine begins \(durable.epoch) in timeline \(timeline)")
    }

    /// Whether the epoch of a node still holds: in its timeline, or in a later one for which it can
    /// vouch.
    func holds(_ epoch: String, since timeline: Int, at place: LogPlace) -> Bool {
        guard timeline != self.timeline else { return true }
        let isReplicated =
            tables.timeline == timeline && tables.unreplicatedTimeline != timeline
        guard isReplicated || tables.timeline == self.timeline, durable.epoch == epoch,
            hasApplied(place)
        else { return false }
        if tables.timeline != self.timeline { trace.count(.epochsKept) }
        tables.timeline = self.timeline
        return true
    }

    /// Ends the epoch for all nodes if the server lacks a commit that a node has applied.
    func endEpochIfLost(_ epoch: String, at place: LogPlace) {
        guard durable.epoch == epoch, !snapshot(at: place.number).has(place, of: epoch) else {
            return
        }
        if tables.timeline == timeline { trace.count(.epochsTakenBack) }
        tables.timeline = nil
    }

    /// The epoch in which a transaction may commit; none, from the end of one to the next start.
    var epoch: String { tables.timeline == nil ? "" : durable.epoch }

    private func hasApplied(_ place: LogPlace) -> Bool { batch(place.number) == place }

    /// What a snapshot has of a batch.
    func snapshot(at number: Int64) -> LogSnapshot {
        LogSnapshot(
            epoch: epoch,
            batch: batch(number),
            oldest: tables.batches.first?.number ?? tables.newest.number
        )
    }

    /// Nil if there is no such batch.
    private func batch(_ number: Int64) -> LogPlace? {
        guard number != tables.newest.number else { return tables.newest }
        return tables.batches.first { $0.number == number }?.place
    }

    // MARK: Rows

    /// Whether a promotion has lost the row of a term.
    func hasLostLease(of term: Int64) -> Bool { (tables.lease?.term ?? 0) < term }

    /// Notes that a process lives, and what it has applied.
    func note(_ process: String, applied: Int64) {
        tables.nodes[process] = NodeRow(applied: applied, seenAt: time.now)
    }

    /// Those whose leases would not have ended (`HubStore.livingProcesses`).
    var livingProcesses: Set<String> {
        let rows = tables.nodes.filter { time.now < $0.value.seenAt + KeeperModel.leaseLength }
        return Set(rows.keys)
    }

    func forget(_ process: String) { tables.nodes[process] = nil }

    /// Takes or renews the lease; nil if another process holds it.
    func takeLease(_ process: String, length: Duration, by node: SimulatedTime) -> Int64? {
        let now = time.now
        if let held = tables.lease, held.process != process {
            guard held.until <= now else { return nil }
            trace.count(.termsBegun)
            trace.note("\(process) leads in term \(held.term + 1)")
        }
        let isSame = tables.lease.map { $0.process == process } ?? false
        let term = (tables.lease?.term ?? 0) + (isSame ? 0 : 1)
        tables.lease = LeaseRow(process: process, term: term, until: now + length)
        return term
    }

    /// Deletes the batches that every living node has applied. The newest stays.
    func trim() {
        let living = tables.nodes.filter { time.now < $0.value.seenAt + EngineModel.deadAfter }
        guard let applied = living.values.map(\.applied).min() else { return }
        let end = min(applied, tables.newest.number)
        let count = tables.batches.count
        tables.batches.removeAll { $0.number < end }
        guard tables.batches.count < count else { return }
        trace.count(.trims)
        for (process, row) in tables.nodes where living[process] == nil && row.applied < end {
            leftBehind.insert(process)
        }
    }

    /// Whether the log must have been kept for a process.
    func isKept(for process: String) -> Bool {
        tables.nodes[process] != nil && !leftBehind.contains(process)
    }
}
