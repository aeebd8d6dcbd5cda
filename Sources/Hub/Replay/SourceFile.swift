import Foundation
import Timekeeping

/// A file of a recording, in memory, under the name that errors give it.
struct SourceFile: Sendable {
    var path: String
    var bytes: [UInt8]

    /// True for the shape that SWPC used until 2026: `[["time_tag",…],["2026-…",…]]`.
    var isArrayOfArrays: Bool {
        let bracket = UInt8(ascii: "[")
        return bytes.lazy.filter { $0 > UInt8(ascii: " ") }.prefix(2).elementsEqual([
            bracket, bracket,
        ])
    }

    func decode<Value: Decodable>(_: Value.Type) throws(RecordingError) -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: Data(bytes))
        } catch {
            throw self.error("is not the JSON expected: \(error)")
        }
    }

    /// Reads a `time_tag`, UTC with or without a zone.
    func time(_ text: String) throws(RecordingError) -> Timestamp {
        guard let time = Timestamp(iso8601: text) else { throw error("has the time '\(text)'") }
        return time
    }

    func error(_ problem: String) -> RecordingError {
        RecordingError(path: path, problem: problem)
    }
}
