// LogOutput: log lines, written to standard error by a thread of their own, with a rate limit for
// those of peers.

/// The single writer of this process.
private let writer = LogWriter()
/// The rate of lines that peers cause, counted for all loggers of this process together.
private let rate = Locked(LogRate())

/// The format of log lines.
package enum LogFormat: Sendable {
    case text
    case json
}

/// Returns a logger that writes to standard error.
package func makeLogger(label: String, level: Logger.Level, format: LogFormat) -> Logger {
    makeLogger(label: label, threshold: LogThreshold(level), format: format)
}

/// Returns a logger that writes to standard error the entries that `threshold` allows at the time.
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

/// Waits until everything logged so far is written, but not longer than `timeout`. Call it at the
/// end of the process.
package func flushLog(within timeout: Duration) {
    writer.flush(within: timeout)
}

/// The number of lines that were dropped since the process started because standard error did not
/// accept them.
package var droppedLogLines: UInt64 { writer.droppedTotal }
