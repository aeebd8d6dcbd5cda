/// The clock of the data: the wall clock, or a recording's own clock.
///
/// A replayed recording runs on the time it was made in, usually faster than the wall clock. Darkness,
/// ages and poll schedules follow this clock; tokens, signatures and retries follow the wall clock.
/// The clock reads nothing: the wall time is an argument.
package enum DomainClock: Hashable, Sendable {
    case wall
    /// At wall time `anchor` the clock shows `start`; from there it runs `speed` times as fast.
    case recording(start: Timestamp, speed: Double, anchor: Timestamp)

    package func now(wall: Timestamp) -> Timestamp {
        switch self {
        case .wall: return wall
        case .recording(let start, let speed, let anchor):
            let elapsed = Double(wall.milliseconds - anchor.milliseconds) * speed
            return Timestamp(milliseconds: start.milliseconds + Int64(elapsed))
        }
    }

    /// Returns the wall time that passes during `duration` of this clock.
    package func wallDuration(_ duration: Duration) -> Duration {
        switch self {
        case .wall: return duration
        case .recording(_, let speed, _): return duration / speed
        }
    }

    package var isRecording: Bool {
        switch self {
        case .wall: return false
        case .recording: return true
        }
    }
}
