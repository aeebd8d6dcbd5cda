import DomainKit
import Radar

/// One poll of one radar at a time; further requests meanwhile wait for its end.
extension RadarService {
    /// Begins the polls that are due, as far as there are places.
    ///
    /// - Returns: them, and how long there is nothing to do unless one of them ends.
    package func startDue(pauseMax: Duration) -> (tasks: [RadarPolls.PollTask], pause: Duration) {
        let now = clock.now
        let countMax = settings.pollsAtOnce
        return polls.withLock { polls in
            let started = polls.startDue(now: now, countMax: countMax) {
                start($0, isScheduled: true)
            }
            // With no place left, the end of a poll wakes the scheduler.
            let isFull = polls.schedule.inFlight >= countMax
            let next = isFull ? nil : polls.schedule.nextDue
            let pause = next.map { max($0 - now, .zero) } ?? pauseMax
            return (started.map(\.task), min(pause, pauseMax))
        }
    }

    /// Polls a radar at once on its user's request; joins the poll that is under way, if there is
    /// one. Waits for its end, at most for `settings.answerWithin`. Within `settings.refreshInterval`
    /// of the last refresh it does nothing: the radar is as fresh as it may be.
    ///
    /// - Returns: whether the poll is still under way: its results are published when they come.
    /// - Throws: `RadarError`, `StoreError`.
    @discardableResult
    package func refresh(_ id: String) async throws -> Bool {
        guard let task = try refreshTask(id) else { return false }
        guard let end = try await task.value(until: deadline) else { return true }
        switch try end.get() {
        case .done, .failed: return false
        case .gone: throw RadarError.notFound
        case .later(let time): throw RadarError.sourcesBusy(until: time)
        case .overShare(let time): throw RadarError.shareUsedUp(until: time)
        }
    }

    /// The poll that a refresh waits for; nil for a refresh that comes too early.
    ///
    /// - Throws: `RadarError`.
    package func refreshTask(_ id: String) throws -> RadarPolls.PollTask? {
        try polls.withLock { polls in
            // Joining a poll that is under way costs nothing, and need not wait for a turn.
            if let running = polls.tasks[id] { return running }
            guard !polls.isEnded else { throw RadarError.sourcesBusy(until: clock.now) }
            let wait = polls.refreshTimes.wait(
                for: id,
                interval: settings.refreshInterval,
                now: clock.now
            )
            guard wait == nil else { return nil }
            guard let task = polls.join(id, start: { start(id, isScheduled: false) }) else {
                throw RadarError.notFound
            }
            return task
        }
    }

    /// Cancels the polls under way, also those that users have requested, and waits for their ends.
    /// No other begins.
    func endPolls() async {
        let tasks = polls.withLock { $0.stop() }
        for task in tasks { task.cancel() }
        // Before the polls, which may wait for one.
        await endInterpretations()
        for task in tasks { _ = await task.value }
    }

    /// Does not wait for anything: called with `polls` held.
    private func start(_ id: String, isScheduled: Bool) -> RadarPolls.PollTask {
        RadarPolls.PollTask { [self] in
            let result: Result<PollEnd, any Error>
            do {
                result = .success(try await poll(id, isScheduled: isScheduled))
            } catch RadarError.notFound {
                result = .success(.gone)
            } catch {
                result = .failure(error)
                logger.error("radar not polled", metadata: ["radar": "\(id)", "err": "\(error)"])
            }
            polls.withLock { polls in
                polls.end(id)
                switch result {
                case .success(.done), .success(.failed): break
                case .success(.gone): polls.schedule.remove(id)
                case .success(.later(let time)), .success(.overShare(until: let time)):
                    polls.schedule.postpone(id, until: time, now: clock.now)
                case .failure: finishPoll(of: id, &polls.schedule)
                }
            }
            alarm.ring()
            return result
        }
    }

    /// The radar waits for its next turn; answers when that is.
    @discardableResult
    package func finishPoll(of id: String, _ schedule: inout PollSchedule) -> Timestamp? {
        schedule.finish(id, now: clock.now, random: .random(in: 0..<1))
    }
}

/// When radars were last refreshed by their users.
package struct RefreshTimes: Sendable {
    /// Looked through for old ones when there are more.
    private static let countMax = 1024

    private var times: [String: Timestamp] = [:]
    private var countMax = RefreshTimes.countMax

    /// Returns the time that a radar must wait; nil if it need not, and then the time is noted.
    package mutating func wait(for id: String, interval: Duration, now: Timestamp) -> Duration? {
        if let last = times[id], now >= last, now - last < interval {
            return last + interval - now
        }
        times[id] = now
        if times.count > countMax {
            times = times.filter { now >= $0.value && now - $0.value < interval }
            countMax = max(RefreshTimes.countMax, 2 * times.count)
        }
        return nil
    }
}
