import Feeds
import Locking
import Reactor
import Timekeeping

/// How every feed is doing, for the health routes. Written by the pollers, read by anyone.
package final class HealthBoard: Sendable {
    package struct Line: Sendable {
        package let name: String
        package let health: FeedHealth
        package let staleAfter: Duration
    }

    private let lines = Locked<[String: Line]>([:])

    package init() {}

    func update(_ machine: FeedMachine) {
        let line = Line(
            name: machine.name,
            health: machine.health,
            staleAfter: machine.policy.staleAfter
        )
        lines.withLock { $0[machine.name] = line }
    }

    /// Sorted by name.
    package var all: [Line] {
        lines.withLock { Array($0.values) }.sorted { $0.name < $1.name }
    }
}
