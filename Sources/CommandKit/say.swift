import Foundation

/// Writes a line to standard output at once. `print` buffers lines if the output is a pipe.
///
/// If the reader of a pipe has closed it (`varde history … | head`), SIGPIPE ends the process, as
/// usual in a pipe. If the line cannot be written for another reason, such as a full disk, the
/// process ends with status 1.
package func say(_ line: String) {
    say(bytes: Array(line.utf8))
}

/// Writes a line of bytes unchanged.
package func say(bytes: [UInt8]) {
    do {
        // `write(_:)` would trap on any error.
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

/// - Parameter code: the value of `errno`; 0 if it is unknown.
private func endWithoutOutput(code: Int32) -> Never {
    if code == EPIPE {
        // The networking library has disabled it.
        signal(SIGPIPE, SIG_DFL)
        raise(SIGPIPE)
    }
    note("Error: standard output: \(String(cString: strerror(code)).lowercased())")
    exit(1)
}
