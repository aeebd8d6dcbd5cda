// LogOutput: log lines, written to standard error by a thread of their own, with a rate for those of peers.

import Locking
import Logging

/// The one writer of this process.
private let writer = LogWriter()
/// Of lines that peers cause, counted for all loggers of this process together.
private let rate = Locked(LogRate())

/// How log lines look.
package enum LogFormat: Sendable {
    case text
    case json
}

/// A logger that writes to standard error.
package func makeLogger(label: String, level: Logger.Level, format: LogFormat) -> Logger {
    makeLogger(label: label, threshold: LogThreshold(level), format: format)
}

/// A logger that writes to standard error what `threshold` lets through at the time.
package func makeLogger(label: String, threshold: LogThreshold, format: LogFormat) -> Logger {
    Logger(label: label) { _ in
        LineLogHandler(
            threshold: threshold,
            format: format == .json ? .json : .text,
            writer: writer,
            rate: rate
        )
    }
}

/// Waits until everything logged so far is written, but not longer than `timeout`; for the end of the
/// process.
package func flushLog(within timeout: Duration) {
    writer.flush(within: timeout)
}

/// Lines that were dropped since the process began, because standard error did not take them.
package var droppedLogLines: UInt64 { writer.droppedTotal }
