/// The clock of a recording. It runs at a speed from one moment on, and stands still while it is
/// paused.
///
/// **States.** Running and paused. **Inputs.** `change` pauses, continues, sets the speed, jumps.
///
/// The time that the clock shows never falls, except by a jump of a caller that allows it. A pause
/// and a change of speed do not move it. The clock reads nothing: `wall` is the time of the
/// process in every call, and one before the last change counts as the moment of that change.
/// After a change, the caller must compute its waits again: see `wait`.
package struct RecordingClock: Hashable, Sendable {
    /// The speeds that a user may set: those of `clock.speed`.
    package static let speeds = 0.001...100_000.0
    /// The longest jump. A jump cannot be undone, so that an error in the year must not succeed.
    package static let jumpMax = Duration.seconds(31 * 86_400)

    /// The time that the clock shows at `anchor`.
    private var shown: Timestamp
    private var anchor: Timestamp
    /// Seconds of this clock that pass in one second, also after a pause.
    package private(set) var speed: Double
    package private(set) var isPaused = false

    /// - Parameter speed: with 0, the clock stands still.
    package init(start: Timestamp, speed: Double, anchor: Timestamp) {
        shown = start
        self.speed = speed
        self.anchor = anchor
    }

    package func now(wall: Timestamp) -> Timestamp {
        guard !isPaused, wall > anchor else { return shown }
        let elapsed = Double(wall.milliseconds - anchor.milliseconds) * speed
        return Timestamp(milliseconds: shown.milliseconds + Int64(elapsed))
    }

    // MARK: Changes

    /// Changes nothing if it is refused.
    ///
    /// - Parameter allowsBack: whether a jump may be one into the past.
    package mutating func change(
        _ change: ClockChange,
        wall: Timestamp,
        allowsBack: Bool = false
    ) throws(ClockRefusal) {
        try check(change, wall: wall, allowsBack: allowsBack)
        shown = change.time ?? now(wall: wall)
        anchor = max(anchor, wall)
        speed = change.speed ?? speed
        isPaused = change.isPaused ?? isPaused
    }

    /// Throws the reason why `change` would be refused.
    package func check(
        _ change: ClockChange,
        wall: Timestamp,
        allowsBack: Bool = false
    ) throws(ClockRefusal) {
        guard change != ClockChange() else { throw .nothing }
        if let speed = change.speed, !RecordingClock.speeds.contains(speed) { throw .speed(speed) }
        guard let time = change.time else { return }
        let now = now(wall: wall)
        if time < now, !allowsBack { throw .past(time, now: now) }
        let length = max(time - now, now - time)
        guard length <= RecordingClock.jumpMax else { throw .tooFar(time, now: now) }
    }

    // MARK: Waiting

    /// The next wait of a task that sleeps until the clock shows a time.
    package enum Wait: Hashable, Sendable {
        /// For so much time of the process, or until a change of the clock; zero if the clock shows
        /// the time.
        case time(Duration)
        /// For a change of the clock, which stands still.
        case change
    }

    package func wait(until time: Timestamp, wall: Timestamp) -> Wait {
        let now = now(wall: wall)
        guard now < time else { return .time(.zero) }
        return isPaused || speed == 0 ? .change : .time((time - now) / speed)
    }
}

/// A change of a recording's clock. Parts that are nil stay as they are.
package struct ClockChange: Hashable, Sendable {
    package var isPaused: Bool?
    package var speed: Double?
    /// The time to jump to.
    package var time: Timestamp?

    package init(isPaused: Bool? = nil, speed: Double? = nil, time: Timestamp? = nil) {
        self.isPaused = isPaused
        self.speed = speed
        self.time = time
    }
}

/// The reason why a change of the clock is refused.
package enum ClockRefusal: Error, Hashable, CustomStringConvertible {
    /// It cannot be changed.
    case wallClock
    /// The change has no part.
    case nothing
    case speed(Double)
    case past(Timestamp, now: Timestamp)
    case tooFar(Timestamp, now: Timestamp)

    package var description: String {
        switch self {
        case .wallClock:
            "the hub uses the wall clock; only the clock of a recording can be changed"
        case .nothing:
            "nothing to change, expected paused, speed or time"
        case .speed(let speed):
            "speed is \(speed), expected a number from 0.001 to 100000"
        case .past(let time, let now):
            "time is \(time.iso8601), before the clock's \(now.iso8601), and it never runs back"
        case .tooFar(let time, let now):
            "time is \(time.iso8601), more than 31 days from the clock's \(now.iso8601)"
        }
    }
}
