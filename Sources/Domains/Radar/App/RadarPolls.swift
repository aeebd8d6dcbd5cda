import Radar

/// The radars that are due, and those being polled: one poll of one radar at a time, regardless of
/// its origin.
package struct RadarPolls: Sendable {
    package typealias PollTask = Task<Result<RadarService.PollEnd, any Error>, Never>

    package var schedule: PollSchedule
    package var refreshTimes = RefreshTimes()
    /// Those under way, by radar.
    package private(set) var tasks: [String: PollTask] = [:]
    /// Whether no other poll begins.
    package private(set) var isEnded = false

    /// Of a radar that is due before its last poll is over: one with a short interval on a slow disk.
    private static let pause = Duration.seconds(1)

    package init(schedule: PollSchedule) {
        self.schedule = schedule
    }

    /// Begins the polls that are due, except for radars that are still being polled.
    package mutating func startDue(
        now: Timestamp,
        countMax: Int,
        start: (String) -> PollTask
    ) -> [(id: String, task: PollTask)] {
        let places = max(0, countMax - schedule.inFlight)
        return schedule.takeDue(now: now, countMax: places).compactMap { id in
            guard tasks[id] == nil else {
                // The poll before has got its next turn, and is not committed yet.
                schedule.postpone(id, until: now + RadarPolls.pause, now: now)
                return nil
            }
            let task = start(id)
            tasks[id] = task
            return (id, task)
        }
    }

    /// The poll of a radar that is under way, or one that begins; nil when there is no such radar.
    package mutating func join(_ id: String, start: () -> PollTask) -> PollTask? {
        if let running = tasks[id] { return running }
        guard schedule.begin(id) else { return nil }
        let task = start()
        tasks[id] = task
        return task
    }

    /// The service ends: no other poll begins. Returns those under way.
    package mutating func stop() -> [PollTask] {
        isEnded = true
        return Array(tasks.values)
    }

    /// Ends a poll: the next request begins another.
    package mutating func end(_ id: String) {
        tasks[id] = nil
    }
}
