import Foundation

/// Writes a text to standard output at once, safe for a terminal (`TerminalText.visible`). `print`
/// buffers lines if the output is a pipe.
///
/// If the reader of a pipe has closed it (`varde history … | head`), SIGPIPE ends the process, as
/// usual in a pipe. If the line cannot be written for another reason, such as a full disk, the
/// process ends with status 1.
package func say(_ line: String) {
    do {
        // `write(_:)` would trap on any error.
        try FileHandle.standardOutput.write(
            contentsOf: Data((TerminalText.visible(line) + "\n").utf8)
        )
    } catch {
        let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        endWithoutOutput(code: Int32(cause?.code ?? 0))
    }
}

/// Writes a text to standard error, safe for a terminal, if it can be written.
package func note(_ line: String) {
    let text = TerminalText.visible(line) + "\n"
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
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
