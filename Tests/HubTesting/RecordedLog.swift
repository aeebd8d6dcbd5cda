import Base
import Logging

/// Keeps what is logged at level info and above.
package struct RecordedLog: LogHandler {
    package let lines = Locked<[(message: String, fields: Logger.Metadata)]>([])
    package var logLevel = Logger.Level.info
    package var metadata: Logger.Metadata = [:]

    package init() {}

    package subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        lines.withLock { $0.append(("\(event.message)", event.metadata ?? [:])) }
    }

    package var logger: Logger {
        Logger(label: "test") { _ in self }
    }
}
