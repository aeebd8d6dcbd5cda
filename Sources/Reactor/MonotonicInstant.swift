// Reactor: event loops over epoll, their timers and mailboxes, listeners, TCP and TLS connections.
// It handles bytes and sockets; their meaning is decided by higher layers.

import Glibc

/// A point on the kernel's monotonic clock, in nanoseconds since an arbitrary start.
package struct MonotonicInstant: Hashable, Comparable, Sendable {
    package let nanoseconds: Int64

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    package static var now: MonotonicInstant {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicInstant(
            nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        )
    }

    package static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The first or the last instant for one beyond them: tokens and applications may name the year 9999.
    package static func + (instant: MonotonicInstant, duration: Duration) -> MonotonicInstant {
        let (seconds, attoseconds) = duration.components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        // Within the bounds of a whole second, so only the additions can go beyond.
        let (length, isBeyond) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        let (sum, isAfter) = instant.nanoseconds.addingReportingOverflow(length)
        guard !isTooLong, !isBeyond, !isAfter else {
            return MonotonicInstant(nanoseconds: duration < .zero ? .min : .max)
        }
        return MonotonicInstant(nanoseconds: sum)
    }

    package static func - (left: MonotonicInstant, right: MonotonicInstant) -> Duration {
        .nanoseconds(left.nanoseconds - right.nanoseconds)
    }
}

/// The clock of a loop: the kernel's monotonic clock, or a simulated one.
package struct LoopClock: Sendable {
    private let simulated: (@Sendable () -> MonotonicInstant)?

    package static let system = LoopClock(simulated: nil)

    package static func simulated(
        _ now: @escaping @Sendable () -> MonotonicInstant
    ) -> LoopClock {
        LoopClock(simulated: now)
    }

    package var now: MonotonicInstant { simulated?() ?? .now }
}
