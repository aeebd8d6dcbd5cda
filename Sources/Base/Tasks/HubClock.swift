import Foundation
import Timekeeping

/// The hub's two clocks: the wall clock, and the clock of the data.
package struct HubClock: Sendable {
    package let domain: DomainClock

    package init(_ domain: DomainClock) {
        self.domain = domain
    }

    package static var wall: Timestamp { Timestamp(seconds: Date().timeIntervalSince1970) }

    package var now: Timestamp { domain.now(wall: HubClock.wall) }

    /// Sleeps for `duration` of the data's time; returns early, by throwing, when the task is cancelled.
    package func sleep(_ duration: Duration) async throws {
        // A recording at high speed turns seconds of backoff into nothing; an upstream still gets a pause.
        let wallMin = Duration.milliseconds(10)
        try await Task.sleep(for: max(domain.wallDuration(duration), wallMin))
    }
}
