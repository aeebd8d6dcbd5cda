import Foundation
import JSONText
import Logging
import Timekeeping

/// Writes one line per entry: text for people, JSON for machines.
struct LineLogHandler: LogHandler {
    /// Of the process.
    var threshold = LogThreshold(.info)
    /// Of this logger alone; nil for that of the process.
    var ownLevel: Logger.Level?
    var metadata: Logger.Metadata = [:]
    let format: LogFormat
    let writer: LogWriter

    var logLevel: Logger.Level {
        get { ownLevel ?? threshold.level }
        set { ownLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        writer.write(line(event, now: Timestamp(seconds: Date().timeIntervalSince1970)))
    }

    /// The entry as one line, with its line break.
    func line(_ event: LogEvent, now: Timestamp) -> [UInt8] {
        var all = metadata
        if let given = event.metadata { all.merge(given) { $1 } }
        let fields = all.sorted { $0.key < $1.key }.filter { !$0.key.hasPrefix("hb.") }
        switch format {
        case .text: return LineLogHandler.text(now, event, fields)
        case .json: return LineLogHandler.json(now, event, fields)
        }
    }

    private static func text(
        _ now: Timestamp,
        _ event: LogEvent,
        _ fields: [(key: String, value: Logger.MetadataValue)]
    ) -> [UInt8] {
        let time = now.iso8601.dropFirst(11).prefix(8)
        var line = "\(time) \(event.level)\(event.level == .info ? "   " : " ")\(event.message)"
        for (key, value) in fields { line += " \(key)=\(quoted("\(value)"))" }
        return Array((oneLine(line) + "\n").utf8)
    }

    /// A message with line breaks must not look like several entries, nor steer a terminal.
    private static func oneLine(_ text: String) -> String {
        // Nearly every line is plain ASCII, which needs no second look.
        guard !text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return text }
        let scalars = text.unicodeScalars.map {
            $0.properties.generalCategory == .control ? " " : $0
        }
        return String(String.UnicodeScalarView(scalars))
    }

    private static func quoted(_ value: String) -> String {
        let isPlain =
            !value.isEmpty && value.utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "\"") }
        return isPlain ? value : value.debugDescription
    }

    private static func json(
        _ now: Timestamp,
        _ event: LogEvent,
        _ fields: [(key: String, value: Logger.MetadataValue)]
    ) -> [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.field("ts", now.iso8601)
            $0.field("level", "\(event.level)")
            $0.field("msg", "\(event.message)")
            for (key, value) in fields {
                if case .stringConvertible(let number as any BinaryInteger) = value {
                    $0.raw(key, "\(number)".utf8)
                } else {
                    $0.field(key, "\(value)")
                }
            }
        }
        return json.bytes + [UInt8(ascii: "\n")]
    }
}
