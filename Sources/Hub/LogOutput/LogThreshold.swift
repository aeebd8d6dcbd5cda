import Logging
import Synchronization

/// The least severe level that loggers let through. It may change at any time, from any thread; every
/// copy of a logger has the same one.
package final class LogThreshold: Sendable {
    private static let levels = Logger.Level.allCases

    /// The level's place among all.
    private let rank: Atomic<Int>

    package init(_ level: Logger.Level) {
        rank = Atomic(LogThreshold.rank(of: level))
    }

    package var level: Logger.Level {
        LogThreshold.levels[rank.load(ordering: .relaxed)]
    }

    package func use(_ level: Logger.Level) {
        rank.store(LogThreshold.rank(of: level), ordering: .relaxed)
    }

    private static func rank(of level: Logger.Level) -> Int {
        // All levels are among all levels.
        levels.firstIndex(of: level)!
    }
}
