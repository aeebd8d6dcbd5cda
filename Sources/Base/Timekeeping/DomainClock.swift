/// The clock of the data: the wall clock, or a recording's own clock.
///
/// A replayed recording runs on the time it was made in, usually faster than the wall clock. Darkness,
/// ages and poll schedules follow this clock; tokens, signatures and retries follow the wall clock.
/// The clock reads nothing: the wall time is an argument.
package enum DomainClock: Hashable, Sendable {
    case wall
    case recording(RecordingClock)

    /// At wall time `anchor` the clock shows `start`; from there it runs `speed` times as fast.
    package static func recording(
        start: Timestamp,
        speed: Double,
        anchor: Timestamp
    ) -> DomainClock {
        .recording(RecordingClock(start: start, speed: speed, anchor: anchor))
    }

    package func now(wall: Timestamp) -> Timestamp {
        switch self {
        case .wall: wall
        case .recording(let clock): clock.now(wall: wall)
        }
    }
}
