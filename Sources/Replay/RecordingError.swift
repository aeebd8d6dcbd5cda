/// Why a recording cannot be played: its manifest or one of its files is invalid.
///
/// The operator must repair it; a recording that was read answers every request.
package struct RecordingError: Error, Equatable, CustomStringConvertible {
    /// The file, as named by the manifest or the caller.
    package var path: String
    /// The line in that file, from 1; nil if the error concerns the whole file.
    package var line: Int?
    /// The error, with the value seen.
    package var problem: String

    package init(path: String, line: Int? = nil, problem: String) {
        self.path = path
        self.line = line
        self.problem = problem
    }

    /// `demo/replay.yaml:14: unknown key 'recoding'`
    package var description: String {
        line.map { "\(path):\($0): \(problem)" } ?? "\(path): \(problem)"
    }
}
