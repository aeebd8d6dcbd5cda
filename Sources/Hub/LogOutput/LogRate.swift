import Logging
import Reactor

/// Which lines a peer can cause, as often as it likes: `logger.info("…", source: LogSource.peer)`. They
/// have a rate, so that an attack fills no disk and hides no other line.
package enum LogSource {
    package static let peer = "peer"
}

/// Bounds how many lines of one kind are logged. The first `linesMax` of an interval are, the others are
/// counted, and one line after the interval says how many they were.
///
/// A kind is a place in the source, so there are as many as the program has places that log.
struct LogRate {
    /// As many as an operator can read.
    static let linesMax = 20
    static let interval = Duration.seconds(10)

    /// Where in the source a line is logged.
    struct Kind: Hashable {
        let file: String
        let line: UInt
    }

    /// Lines that were not logged.
    struct Suppressed: Equatable {
        let level: Logger.Level
        /// That of the last one.
        let message: String
        let count: Int
    }

    private struct Window {
        var end: MonotonicInstant
        var lines = 0
        var suppressed: Suppressed?
    }

    private var windows: [Kind: Window] = [:]
    /// When the first window ends; nil when there is none.
    private var nextEnd: MonotonicInstant?

    /// Whether a line may be logged; counts it.
    mutating func allows(
        _ kind: Kind,
        _ level: Logger.Level,
        _ message: @autoclosure () -> String,
        now: MonotonicInstant
    ) -> Bool {
        var window = windows[kind] ?? Window(end: now + LogRate.interval)
        defer { windows[kind] = window }
        nextEnd = min(nextEnd ?? window.end, window.end)
        guard window.lines >= LogRate.linesMax else {
            window.lines += 1
            return true
        }
        let count = (window.suppressed?.count ?? 0) + 1
        window.suppressed = Suppressed(level: level, message: message(), count: count)
        return false
    }

    /// Ends the windows that are over. Call it before `allows`, at every line.
    ///
    /// - Returns: what was not logged in them.
    mutating func takeEnded(now: MonotonicInstant) -> [Suppressed] {
        guard let nextEnd, nextEnd <= now else { return [] }
        let ended = windows.filter { $0.value.end <= now }
        for kind in ended.keys { windows[kind] = nil }
        self.nextEnd = windows.values.map(\.end).min()
        return ended.values.compactMap(\.suppressed).sorted { $0.message < $1.message }
    }
}
