import Foundation

/// A file of a recording, in memory, with its path for error messages.
package struct SourceFile: Sendable {
    package var path: String
    package var bytes: [UInt8]

    package func decode<Value: Decodable>(_: Value.Type) throws(RecordingError) -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: Data(bytes))
        } catch {
            throw self.error("is not the JSON expected: \(error)")
        }
    }

    /// Parses a `time_tag`, UTC with or without a zone.
    package func time(_ text: String) throws(RecordingError) -> Timestamp {
        guard let time = Timestamp(iso8601: text) else { throw error("has the time '\(text)'") }
        return time
    }

    package func error(_ problem: String) -> RecordingError {
        RecordingError(path: path, problem: problem)
    }
}
