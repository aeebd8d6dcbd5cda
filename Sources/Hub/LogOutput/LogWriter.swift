import Dispatch
import Foundation
import Glibc
import Locking
import Timekeeping

/// Writes log lines to a descriptor from a thread of its own. An unread pipe blocks only that
/// thread, never a loop, and never the end of the process: `flush(within:)` waits for a bounded time.
///
/// The descriptor keeps its flags. Standard error is often shared with other processes, which would get
/// `EAGAIN` from a descriptor that was made non-blocking for them, too.
final class LogWriter: Sendable {
    /// Lines that wait while the descriptor takes nothing: some ten thousand of them.
    static let waitingBytesMax = 1 << 20

    /// `PIPE_BUF`: what a pipe that polls as writable takes at once and in one piece.
    private static let pieceBytesMax = 4096

    private struct State {
        var lines = LogQueue(bytesMax: LogWriter.waitingBytesMax)
        /// That of the lines, for the line that says how many were dropped.
        var format = LogFormat.text
        var isScheduled = false
    }

    private let descriptor: Int32
    private let state = Locked<State>(State())
    private let queue = DispatchQueue(label: "varde.log")

    init(descriptor: Int32 = STDERR_FILENO) {
        self.descriptor = descriptor
    }

    /// Queues a line, or drops it if too much waits; never blocks.
    func write(_ line: [UInt8], _ format: LogFormat) {
        let mustSchedule = state.withLock { state in
            state.lines.add(line)
            state.format = format
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if mustSchedule { queue.async { self.writeWaiting() } }
    }

    /// Waits until everything logged so far is written.
    ///
    /// - Returns: false if that took longer than `timeout`. What is left is lost when the process ends.
    @discardableResult
    func flush(within timeout: Duration) -> Bool {
        let isWritten = DispatchSemaphore(value: 0)
        queue.async {
            self.writeWaiting()
            isWritten.signal()
        }
        let milliseconds = Int(clamping: timeout.wholeMilliseconds)
        return isWritten.wait(timeout: .now() + .milliseconds(milliseconds)) == .success
    }

    /// Lines that were dropped since the process began.
    var droppedTotal: UInt64 { state.withLock { $0.lines.droppedTotal } }

    private func writeWaiting() {
        while let (bytes, dropped, format) = takeWaiting() {
            writeAll(bytes)
            guard dropped > 0 else { continue }
            writeAll(LineLogHandler.droppedLine(dropped, format))
        }
    }

    /// Nil when nothing waits; the next line schedules the writing again.
    private func takeWaiting() -> (bytes: [UInt8], dropped: Int, format: LogFormat)? {
        state.withLock { state in
            guard !state.lines.isEmpty else {
                state.isScheduled = false
                return nil
            }
            let (bytes, dropped) = state.lines.take()
            return (bytes, dropped, state.format)
        }
    }

    /// Returns when the descriptor has taken the bytes, or has failed: there is no other place to report
    /// that failure.
    private func writeAll(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            // Also for a descriptor that another process made non-blocking.
            var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&polled, 1, -1) >= 0 || errno == EINTR else { return }
            let count = rest.prefix(LogWriter.pieceBytesMax).withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            guard count > 0 || errno == EINTR || errno == EAGAIN else { return }
            rest = rest.dropFirst(max(0, count))
        }
    }
}
