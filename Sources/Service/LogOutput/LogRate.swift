import Reactor

/// The source of lines that a peer can cause as often as it likes:
/// `logger.info("…", source: LogSource.peer)`. They have a rate limit, so that an attack cannot
/// fill the disk or hide other lines.
package enum LogSource {
    package static let peer = "peer"
}

/// Limits the number of lines of one kind. The first `linesMax` lines of an interval are logged,
/// the others are counted, and one line after the interval reports their number.
///
/// A kind is a place in the source code, so the number of kinds is that of the places in the
/// program that log.
struct LogRate {
    /// The number of lines that an operator can read.
    static let linesMax = 20
    static let interval = Duration.seconds(10)

    /// The place in the source code that logs a line.
    struct Kind: Hashable {
        let file: String
        let line: UInt
    }

    /// Lines that were not logged.
    struct Suppressed: Equatable {
        let level: Logger.Level
        /// The message of the last line.
        let message: String
        let count: Int
    }

    private struct Window {
        var end: MonotonicInstant
        var lines = 0
        var suppressed: Suppressed?
    }

    private var windows: [Kind: Window] = [:]
    /// The time when the first window ends; nil if there is none.
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

    /// Closes the windows that have ended. Call it before `allows`, at every line.
    ///
    /// - Returns: the lines that were not logged in them.
    mutating func takeEnded(now: MonotonicInstant) -> [Suppressed] {
        guard let nextEnd, nextEnd <= now else { return [] }
        let ended = windows.filter { $0.value.end <= now }
        for kind in ended.keys { windows[kind] = nil }
        self.nextEnd = windows.values.map(\.end).min()
        return ended.values.compactMap(\.suppressed).sorted { $0.message < $1.message }
    }
}
