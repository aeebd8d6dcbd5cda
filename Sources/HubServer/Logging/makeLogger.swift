import Logging

/// The one writer of this process.
private let writer = LogWriter()

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
            writer: writer
        )
    }
}

/// Returns when everything logged so far is written; for the end of the process.
package func flushLog() {
    writer.flush()
}
