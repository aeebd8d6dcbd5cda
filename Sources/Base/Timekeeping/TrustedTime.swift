/// Wall time for irreversible actions, such as deleting old data: a wall clock that jumps ahead is
/// trusted only after the monotonic clock has confirmed for an hour that it stays there.
///
/// Until then the time goes on from the last trusted moment, as fast as the monotonic clock. A
/// clock that goes back is trusted at once: the data that it makes younger are kept. A value: both
/// clocks are arguments.
package struct TrustedTime: Sendable, Equatable {
    /// The time that a jump must last.
    package static let confirmation = Duration.seconds(3600)
    /// A wall clock that is disciplined drifts by less between two looks.
    package static let tolerance = Duration.seconds(10)

    /// The last moment at which both clocks were trusted; nil before the first look.
    private var reference: Moment?
    /// Where the wall clock went to, and when it was first seen there.
    private var jump: Moment?

    private struct Moment: Equatable {
        var wall: Timestamp
        var monotonic: Duration

        /// The later wall time if the wall clock goes as fast as the monotonic one.
        func wall(at monotonic: Duration) -> Timestamp {
            wall + (monotonic - self.monotonic)
        }
    }

    package init() {}

    /// The time to go by. Of the first look, the wall clock's.
    ///
    /// - Parameter monotonic: since any fixed moment; never goes back.
    package mutating func now(wall: Timestamp, monotonic: Duration) -> Timestamp {
        let seen = Moment(wall: wall, monotonic: monotonic)
        guard let reference else { return trust(seen) }
        let expected = reference.wall(at: monotonic)
        guard wall > expected + Self.tolerance else { return trust(seen) }
        // A second jump begins another hour; so does one back in which the clock is still ahead.
        let isSame = jump.map { wall.isWithin(Self.tolerance, of: $0.wall(at: monotonic)) }
        if isSame != true { jump = seen }
        guard let jump, monotonic - jump.monotonic >= Self.confirmation else { return expected }
        return trust(seen)
    }

    private mutating func trust(_ moment: Moment) -> Timestamp {
        reference = moment
        jump = nil
        return moment.wall
    }
}

extension Timestamp {
    fileprivate func isWithin(_ tolerance: Duration, of other: Timestamp) -> Bool {
        self - other <= tolerance && other - self <= tolerance
    }
}
