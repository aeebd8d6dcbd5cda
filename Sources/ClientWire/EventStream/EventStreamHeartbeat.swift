/// The schedule of comments on an idle event stream.
///
/// A proxy or a phone's network drops a connection that is silent for long; a comment in time
/// prevents this, and detects that the reader is gone. Instants are milliseconds of a monotonic
/// clock.
package struct EventStreamHeartbeat: Sendable {
    package static let intervalByDefault: Duration = .seconds(15)

    /// When `timerFired` is wanted.
    package private(set) var deadline: Int64
    private let interval: Int64

    package init(now: Int64, interval: Duration = intervalByDefault) {
        precondition(interval > .zero)
        self.interval = interval.wholeMilliseconds
        deadline = now + self.interval
    }

    /// Something was written; the next heartbeat is due an interval later.
    package mutating func wrote(now: Int64) {
        deadline = now + interval
    }

    /// The bytes to write; nil before the deadline.
    package mutating func timerFired(now: Int64) -> [UInt8]? {
        guard now >= deadline else { return nil }
        wrote(now: now)
        return EventStreamEncoder.heartbeat
    }
}
