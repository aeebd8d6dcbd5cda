import Logging

/// A logger that nobody reads.
package let silentLogger = Logger(label: "varde.tests") { _ in SwiftLogNoOpLogHandler() }

/// A log handler whose lines are a stream: what a test waits for.
package struct StreamedLog: LogHandler {
    package struct Line: Sendable {
        package var level: Logger.Level
        package var message: String
        package var metadata: [String: String]
        package var source: String
    }

    package var logLevel = Logger.Level.trace
    package var metadata: Logger.Metadata = [:]
    private let continuation: AsyncStream<Line>.Continuation

    package static func make() -> (logger: Logger, lines: AsyncStream<Line>) {
        let (lines, continuation) = AsyncStream<Line>.makeStream()
        let handler = StreamedLog(continuation: continuation)
        return (Logger(label: "varde.tests") { _ in handler }, lines)
    }

    private init(continuation: AsyncStream<Line>.Continuation) {
        self.continuation = continuation
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        continuation.yield(
            Line(
                level: event.level,
                message: "\(event.message)",
                metadata: (event.metadata ?? [:]).mapValues { "\($0)" },
                source: event.source
            )
        )
    }
}
