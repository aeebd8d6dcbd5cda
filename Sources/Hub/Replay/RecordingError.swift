/// Why a recording cannot be played: its manifest or one of its files is not as it should be.
///
/// The operator's to repair; a recording that was read answers every request.
package struct RecordingError: Error, Equatable, CustomStringConvertible {
    /// The file as the manifest, or the caller, names it.
    package var path: String
    /// The line in that file, from 1; nil when the whole file is meant.
    package var line: Int?
    /// What is wrong, with the value seen.
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
