import Foundation

/// Writes a line to standard output at once. `print` keeps lines back when the output is a pipe.
///
/// Where nobody reads it any more (`varde history … | head`) the process ends by SIGPIPE, as others do in a
/// pipe; where it cannot be written for another reason, such as a full disk, with status 1.
package func say(_ line: String) {
    say(bytes: Array(line.utf8))
}

/// Writes a line of bytes as they are.
package func say(bytes: [UInt8]) {
    do {
        // Not `write(_:)`, which traps on any error.
        try FileHandle.standardOutput.write(contentsOf: Data(bytes + [UInt8(ascii: "\n")]))
    } catch {
        let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        endWithoutOutput(code: Int32(cause?.code ?? 0))
    }
}

/// Writes a line to standard error, if it can be written.
package func note(_ line: String) {
    try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
}

/// - Parameter code: of `errno`; 0 for one that is not known.
private func endWithoutOutput(code: Int32) -> Never {
    if code == EPIPE {
        // The networking library has had it ignored.
        signal(SIGPIPE, SIG_DFL)
        raise(SIGPIPE)
    }
    note("Error: standard output: \(String(cString: strerror(code)).lowercased())")
    exit(1)
}
