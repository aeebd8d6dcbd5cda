import Foundation
import Reactor

/// Writes one line per entry: text for people, JSON for machines.
struct LineLogHandler: LogHandler {
    /// The level of the process.
    var threshold = LogThreshold(.info)
    /// The level of only this logger; nil to use that of the process.
    var ownLevel: Logger.Level?
    var metadata: Logger.Metadata = [:]
    let format: LogFormat
    let writer: LogWriter
    /// The rate of lines that peers cause, for the whole process.
    var rate = Locked(LogRate())

    var logLevel: Logger.Level {
        get { ownLevel ?? threshold.level }
        set { ownLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let (suppressed, isAllowed) = rate.withLock { rate in
            let now = MonotonicInstant.now
            return (rate.takeEnded(now: now), LineLogHandler.allows(event, &rate, now: now))
        }
        for lines in suppressed {
            writer.write(LineLogHandler.suppressedLine(lines, format), format)
        }
        guard isAllowed else { return }
        writer.write(line(event, now: LineLogHandler.now), format)
    }

    private static func allows(
        _ event: LogEvent,
        _ rate: inout LogRate,
        now: MonotonicInstant
    ) -> Bool {
        guard event.source == LogSource.peer else { return true }
        let kind = LogRate.Kind(file: event.file, line: event.line)
        return rate.allows(kind, event.level, "\(event.message)", now: now)
    }

    static var now: Timestamp { Timestamp(seconds: Date().timeIntervalSince1970) }

    /// Returns the entry as one line, with its line break.
    func line(_ event: LogEvent, now: Timestamp) -> [UInt8] {
        var all = metadata
        if let trace = CurrentTrace.value { all["trace_id"] = .string(trace.traceID) }
        if let given = event.metadata { all.merge(given) { $1 } }
        let fields = all.sorted { $0.key < $1.key }
        return LineLogHandler.line(format, now, event.level, event.message, fields)
    }

    /// Returns the entry that reports lines dropped because too many waited to be written.
    static func droppedLine(
        _ count: Int,
        _ format: LogFormat,
        now: Timestamp = Self.now
    ) -> [UInt8] {
        let fields = [(key: "count", value: Logger.MetadataValue.stringConvertible(count))]
        return line(format, now, .warning, "log lines dropped", fields)
    }

    /// Returns the entry that reports lines over their rate.
    static func suppressedLine(
        _ lines: LogRate.Suppressed,
        _ format: LogFormat,
        now: Timestamp = Self.now
    ) -> [UInt8] {
        let fields: [(key: String, value: Logger.MetadataValue)] = [
            ("count", .stringConvertible(lines.count)), ("like", "\(lines.message)"),
        ]
        return line(format, now, lines.level, "similar log lines suppressed", fields)
    }

    private static func line(
        _ format: LogFormat,
        _ now: Timestamp,
        _ level: Logger.Level,
        _ message: Logger.Message,
        _ fields: [(key: String, value: Logger.MetadataValue)]
    ) -> [UInt8] {
        switch format {
        case .text: text(now, level, message, fields)
        case .json: json(now, level, message, fields)
        }
    }

    private static func text(
        _ now: Timestamp,
        _ level: Logger.Level,
        _ message: Logger.Message,
        _ fields: [(key: String, value: Logger.MetadataValue)]
    ) -> [UInt8] {
        let time = now.iso8601.dropFirst(11).prefix(8)
        var line = "\(time) \(level)\(level == .info ? "   " : " ")\(message)"
        for (key, value) in fields { line += " \(key)=\(quoted("\(value)"))" }
        return Array((LogText.visible(line) + "\n").utf8)
    }

    private static func quoted(_ value: String) -> String {
        let isPlain =
            !value.isEmpty
            && value.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\"") }
        let isVisible = isPlain && value.unicodeScalars.allSatisfy { !LogText.isHidden($0) }
        return isVisible ? value : value.debugDescription
    }

    private static func json(
        _ now: Timestamp,
        _ level: Logger.Level,
        _ message: Logger.Message,
        _ fields: [(key: String, value: Logger.MetadataValue)]
    ) -> [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.field("ts", now.iso8601)
            $0.field("level", "\(level)")
            $0.field("msg", "\(message)")
            for (key, value) in fields {
                switch value {
                case .stringConvertible(let number as any BinaryInteger):
                    $0.raw(key, "\(number)".utf8)
                case .stringConvertible(let number as Double) where number.isFinite:
                    $0.raw(key, "\(number)".utf8)
                default: $0.field(key, "\(value)")
                }
            }
        }
        return LogText.visible(json: json.bytes) + [UInt8(ascii: "\n")]
    }
}
