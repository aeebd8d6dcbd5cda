import Reactor

/// The world's two clocks: one that only goes on, and the wall's, which is sometimes set.
///
/// `@unchecked Sendable`: the hub's closures demand it; a world lives on one thread.
final class SimulatedTime: @unchecked Sendable {
    private var elapsed = Duration.seconds(1000)
    private var wallStart = Timestamp(milliseconds: 1_760_000_000_000)

    var now: MonotonicInstant { MonotonicInstant(nanoseconds: 0) + elapsed }
    var wall: Timestamp { wallStart + elapsed }

    func advance(_ duration: Duration) {
        precondition(duration >= .zero)
        elapsed += duration
    }

    func setWall(by duration: Duration) {
        wallStart = wallStart + duration
    }
}
