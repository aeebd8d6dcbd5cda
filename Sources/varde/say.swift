import Foundation

/// Writes a line to standard output at once. `print` keeps lines back when the output is a pipe.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}
