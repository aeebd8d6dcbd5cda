/// Decides when each radar is polled.
///
/// **States.** A radar waits for its time or is in flight: waiting → in flight by `takeDue` and
/// `begin`, in flight → waiting by `finish` and `postpone`; `remove` leads out of both. A radar in
/// flight is in no queue, so that no radar is polled twice at a time.
///
/// **Inputs and duties.** `restore` the stored entries, once, before all else. Sleep until
/// `nextDue`, then poll the radars that `takeDue` returns; call `finish` when a poll has ended,
/// whatever its result, or `postpone` if it was not allowed to begin. Store the returned times with
/// the results of the poll. Random numbers are in 0..<1.
///
/// **Rules.** The next poll is due one interval after the end of the last, give or take a tenth: one
/// that had to wait, for the store or for a source, may have asked just before its end.
/// After its first poll a radar waits for a tenth of an interval up to a whole one, so that radars
/// that were made together drift apart. A radar that is watched has a shorter interval. Late polls
/// (after a restart, after a clock was set, without a budget) are spread: polls come at no more
/// than twice their mean rate, or a minute apart if radars are few.
///
/// **Not here.** The schedule does not poll, store or read a clock. The number of concurrent polls
/// that its sources allow is the `countMax` of `takeDue`.
///
/// **Fairness.** Due radars without a place are polled in turns, one of each owner, and those of
/// one owner in the order of their times: a user with many radars does not delay a user with one.
///
/// All operations take O(log n) for each radar that they move, except one O(n) after the clock was
/// set.
package struct PollSchedule: Sendable {
    /// The stored schedule of a radar.
    package struct Entry: Sendable, Equatable {
        package var id: String
        package var due: Timestamp
        /// The time of the last poll; nil before the first one.
        package var lastPoll: Timestamp?
        /// The user in whose turn it is polled.
        package var owner: String

        package init(id: String, due: Timestamp, lastPoll: Timestamp?, owner: String = "") {
            self.id = id
            self.due = due
            self.lastPoll = lastPoll
            self.owner = owner
        }
    }

    private struct Member {
        /// Nil before the first poll has ended.
        var lastPoll: Timestamp?
        /// As bytes: texts of other bytes can be equal.
        var owner: [UInt8]
    }

    private struct Turn {
        var id: String
        /// That of `ready`.
        var ticket: UInt64?
    }

    /// A radar is polled for the first time within this time after it was made.
    private static let firstPollSpread = Duration.seconds(2)
    /// Radars whose time would be the same instant follow each other at this distance or less: a
    /// hub of a few radars needs no protection from them.
    private static let followingGapMax = Duration.seconds(1)
    /// Instants to come that radars were postponed to. Sources have one each, or a few.
    private static let resumptionsMax = 64
    /// Radars that are late follow each other at this distance or less: of a few with long intervals, none
    /// waits for hours.
    static let lateGapMax = Duration.seconds(60)
    /// If a clock differs from the expected time by more than this, it was set, or stood still with
    /// the process.
    static let clockStepMax = Duration.seconds(120)

    package let interval: Duration
    package let watchedInterval: Duration

    /// All radars. Those in flight are the ones that neither `queue` nor `ready` has.
    private var members: [String: Member] = [:]
    private var queue = DueQueue()
    /// Those of them whose time has come and that were given a turn; they are in no other queue.
    private var ready = DueQueue()
    /// The turns of `ready`. One that is not in it any more, or is in it again, loses its turn when
    /// it comes up.
    private var turns = FairQueue<[UInt8], Turn>()
    /// When they were given the last time.
    private var turnsGiven: Timestamp?
    /// As given by the caller, including radars that are not in the schedule.
    private var watched: Set<String> = []
    /// The first time that is free for a radar that becomes watched when its poll is long due.
    private var pullNext: Timestamp?
    /// The same for those that were postponed to one instant.
    private var resumptions: [Timestamp: Timestamp] = [:]
    /// The latest `now` that was given.
    private var latest: Timestamp?

    /// - Parameters:
    ///   - interval: positive.
    ///   - watchedInterval: positive; one longer than `interval` counts as `interval`.
    package init(interval: Duration, watchedInterval: Duration) {
        precondition(interval > .zero)
        precondition(watchedInterval > .zero)
        self.interval = interval
        self.watchedInterval = min(watchedInterval, interval)
    }

    // MARK: Outputs

    package var count: Int { members.count }

    package var inFlight: Int { members.count - queue.count - ready.count }

    /// When `takeDue` has something to return; nil while no radar waits.
    package var nextDue: Timestamp? {
        switch (ready.firstDue, queue.firstDue) {
        case (let ready?, let queue?): min(ready, queue)
        case (let ready, let queue): ready ?? queue
        }
    }

    /// Returns the time by which the first waiting radar is overdue.
    package func lag(now: Timestamp) -> Duration {
        guard let nextDue else { return .zero }
        return max(.zero, now - nextDue)
    }

    // MARK: Radars come and go

    /// Restores the stored entries into an empty schedule.
    ///
    /// Future times are kept. Those in the past are spread from `now` on, in a random order, and so
    /// are those more than two intervals ahead: they were made under another clock, or for another
    /// interval.
    package mutating func restore(_ entries: [Entry], now: Timestamp, random: () -> Double) {
        precondition(members.isEmpty)
        latest = now
        var late: [String] = []
        var planned: [Timestamp] = []
        for entry in entries where members[entry.id] == nil {
            members[entry.id] = Member(
                lastPoll: entry.lastPoll.map { plausible($0, now: now) },
                owner: Array(entry.owner.utf8)
            )
            if entry.due > now, entry.due <= now + interval * 2 {
                queue.set(entry.id, due: entry.due)
                planned.append(entry.due)
            } else {
                late.append(entry.id)
            }
        }
        guard !late.isEmpty else { return }
        shuffle(&late, random: random)
        var catchUp = CatchUp(
            planned: planned,
            gap: min(PollSchedule.lateGapMax, interval / members.count),
            now: now,
            random: random()
        )
        for id in late { queue.set(id, due: catchUp.next()) }
    }

    /// A radar was made; it is due at once, or seconds later. Its id was never used before.
    ///
    /// - Parameter owner: whose turn it is polled in.
    package mutating func add(
        _ id: String,
        owner: String = "",
        now: Timestamp,
        random: Double
    ) -> Timestamp {
        precondition(members[id] == nil, "radar \(id) is in the schedule")
        follow(now)
        let due = now + PollSchedule.firstPollSpread * random
        members[id] = Member(lastPoll: nil, owner: Array(owner.utf8))
        queue.set(id, due: due)
        return due
    }

    /// A radar was deleted. A poll of it may be in flight: its `finish` changes nothing.
    package mutating func remove(_ id: String) {
        members[id] = nil
        queue.remove(id)
        ready.remove(id)
    }

    /// Sets the watched radars.
    ///
    /// A radar that becomes watched is due one watched interval after its last poll, or at once if
    /// that has passed, unless it is due earlier. One that is no longer watched keeps its time.
    ///
    /// - Returns: the radars whose polls are now due earlier.
    package mutating func setWatched(
        _ ids: Set<String>,
        now: Timestamp,
        random: () -> Double
    ) -> [(id: String, due: Timestamp)] {
        follow(now)
        // Sorted, because a set has another order in every process, and a run has to be repeatable.
        let added = ids.subtracting(watched).sorted()
        watched = ids
        let gap = followingGap
        var changed: [(id: String, due: Timestamp)] = []
        for id in added {
            guard let due = queue.due(id), due > now, let member = members[id] else { continue }
            let turn = member.lastPoll.map { $0 + jittered(watchedInterval, random()) } ?? now
            let pull = max(now, pullNext ?? now)
            let pulled = turn > now ? turn : pull
            guard pulled < due else { continue }
            if turn <= now { pullNext = pull + gap }
            queue.set(id, due: pulled)
            changed.append((id, pulled))
        }
        return changed
    }

    // MARK: Polls

    /// The radars whose time has come, one of each owner after the other and of each the longest overdue
    /// first, at most `countMax`; they are in flight then.
    package mutating func takeDue(now: Timestamp, countMax: Int) -> [String] {
        follow(now)
        giveTurns(now: now)
        var ids: [String] = []
        while ids.count < countMax, let (turn, _) = turns.pop() {
            guard ready.ticket(turn.id) == turn.ticket else { continue }
            if ready.remove(turn.id) { ids.append(turn.id) }
        }
        return ids
    }

    /// Each radar moves once for each of its polls, however many wait.
    private mutating func giveTurns(now: Timestamp) {
        turnsGiven = now
        while let due = queue.firstDue, let id = queue.popDue(now: now) {
            guard let member = members[id] else { continue }
            ready.set(id, due: due)
            _ = turns.push(Turn(id: id, ticket: ready.ticket(id)), of: member.owner)
        }
    }

    /// The clock was set back: radars that were due may not be due any more.
    private mutating func takeBackTurns(now: Timestamp) {
        guard let turnsGiven, now < turnsGiven else { return }
        while let due = ready.firstDue, let id = ready.popDue(now: due) { queue.set(id, due: due) }
        turns = FairQueue()
        self.turnsGiven = nil
    }

    /// Takes one radar out of its turn, for a refresh by hand; false, and nothing changes, when it
    /// is in flight or not known.
    package mutating func begin(_ id: String) -> Bool {
        queue.remove(id) || ready.remove(id)
    }

    /// A poll has ended, well or not; returns when the next one is due.
    /// Nil, and nothing changes, when the radar is not in flight or was removed meanwhile.
    package mutating func finish(
        _ id: String,
        now: Timestamp,
        random: Double
    ) -> Timestamp? {
        follow(now)
        guard let member = members[id], queue.due(id) == nil, ready.due(id) == nil else {
            return nil
        }
        let base = watched.contains(id) ? watchedInterval : interval
        let isFirst = member.lastPoll == nil
        let wait = isFirst ? base * (0.1 + 0.9 * random) : jittered(base, random)
        let due = now + wait
        members[id]?.lastPoll = now
        queue.set(id, due: due)
        return due
    }

    /// A radar cannot be polled before `until`: no budget is left, or its sources are down.
    ///
    /// All that were due meanwhile have the same answer, and would come in one burst: they follow
    /// each other from `until` on, in the order in which they were postponed.
    ///
    /// - Returns: when it is due; nil when it is not known.
    @discardableResult
    package mutating func postpone(
        _ id: String,
        until: Timestamp,
        now: Timestamp
    ) -> Timestamp? {
        follow(now)
        guard members[id] != nil else { return nil }
        ready.remove(id)
        let resumption = resumptions[until]
        if resumption == nil { makeRoomForResumption(now: now) }
        let due = max(now, resumption ?? until)
        resumptions[until] = due + followingGap
        queue.set(id, due: due)
        return due
    }

    // MARK: Private

    private func jittered(_ interval: Duration, _ random: Double) -> Duration {
        interval * (0.9 + 0.2 * random)
    }

    /// The interval between additional polls, in whole milliseconds: together they stay under twice
    /// the mean rate.
    private var followingGap: Duration {
        let watchedCount = min(watched.count, members.count)
        let perSecond =
            Double(members.count - watchedCount) / interval.inSeconds
            + Double(watchedCount) / watchedInterval.inSeconds
        let milliseconds = 1000 / (perSecond * (CatchUp.rateMax - 1))
        let gapMax = PollSchedule.followingGapMax
        return milliseconds < gapMax.inSeconds * 1000
            ? .milliseconds(Int64(milliseconds.rounded(.up))) : gapMax
    }

    /// Forgets the instants that are over, or all: so many different ones make no burst anyway.
    private mutating func makeRoomForResumption(now: Timestamp) {
        guard resumptions.count >= PollSchedule.resumptionsMax else { return }
        resumptions = resumptions.filter { $1 > now }
        if resumptions.count >= PollSchedule.resumptionsMax { resumptions = [:] }
    }

    /// A stored time within two intervals before `now`: an older one would have the same effect,
    /// and one in the future was made under another clock.
    private func plausible(_ start: Timestamp, now: Timestamp) -> Timestamp {
        min(now, max(start, now - interval * 2))
    }

    /// Moves all times along when the clock was set, forward or back, or went on while the process
    /// stood still. The radars keep their distances, so that neither a burst nor a long silence
    /// follows.
    ///
    /// Calls come when the first radar is due, or when a poll has ended. One that comes much later
    /// than that time and the call before is not a late call: the clock was set, or the process
    /// stood still.
    private mutating func follow(_ now: Timestamp) {
        defer { takeBackTurns(now: now) }
        let last = latest ?? now
        latest = max(last, now)
        let expected = max(last, nextDue ?? now)
        if last - now > PollSchedule.clockStepMax {
            shift(by: now - last)
        } else if now - expected > PollSchedule.clockStepMax {
            shift(by: now - expected)
        } else {
            return
        }
        latest = now
    }

    private mutating func shift(by duration: Duration) {
        queue.shift(by: duration)
        ready.shift(by: duration)
        members = members.mapValues {
            Member(lastPoll: $0.lastPoll.map { $0 + duration }, owner: $0.owner)
        }
        turnsGiven = turnsGiven.map { $0 + duration }
        pullNext = pullNext.map { $0 + duration }
        resumptions = [:]
    }
}

/// Fisher and Yates.
private func shuffle(_ ids: inout [String], random: () -> Double) {
    for end in stride(from: ids.count, to: 1, by: -1) {
        ids.swapAt(end - 1, min(end - 1, Int(random() * Double(end))))
    }
}
