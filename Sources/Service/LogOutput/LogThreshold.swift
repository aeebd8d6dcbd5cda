import Synchronization

/// The least severe level that loggers output. It may change at any time, from any thread; all
/// copies of a logger share it.
package final class LogThreshold: Sendable {
    private static let levels = Logger.Level.allCases

    /// The index of the level among all levels.
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
        // `allCases` contains every level.
        levels.firstIndex(of: level)!
    }
}
