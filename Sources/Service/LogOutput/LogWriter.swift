import Dispatch
import Foundation
import Glibc

/// Writes log lines to a descriptor from a thread of its own. A pipe that is not read blocks only
/// that thread, never a loop, and never the end of the process: `flush(within:)` waits for a
/// bounded time.
///
/// The flags of the descriptor are not changed. Standard error is often shared with other
/// processes; if it were made non-blocking, they would also get `EAGAIN` from it.
final class LogWriter: Sendable {
    /// The maximum size of the lines that wait while the descriptor accepts none: about ten
    /// thousand lines.
    static let waitingBytesMax = 1 << 20

    /// `PIPE_BUF`: the number of bytes that a pipe that polls as writable accepts at once and in
    /// one piece.
    private static let pieceBytesMax = 4096

    private struct State {
        var lines = LogQueue(bytesMax: LogWriter.waitingBytesMax)
        /// The format of the lines, which the line with the number of dropped lines also uses.
        var format = LogFormat.text
        var isScheduled = false
        /// Whether a line was written only in part.
        var hasPartOfLine = false
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
    /// - Returns: false if that took longer than `timeout`. The remaining lines are lost when the
    ///   process ends.
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

    /// The number of lines that were dropped or could not be written since the process started.
    var droppedTotal: UInt64 { state.withLock { $0.lines.droppedTotal } }

    private func writeWaiting() {
        while let (bytes, dropped, format) = takeWaiting() {
            let lost = writeAll(bytes)
            let isReported =
                dropped == 0
                || lost == 0 && writeAll(LineLogHandler.droppedLine(dropped, format)) == 0
            guard lost > 0 || !isReported else { continue }
            guard lose(lost, unreported: isReported ? 0 : dropped) else { return }
        }
    }

    /// Counts lines that could not be written, to report them when the descriptor accepts lines again.
    ///
    /// - Returns: whether more lines wait. Without one, the next line tries again.
    private func lose(_ count: Int, unreported: Int) -> Bool {
        state.withLock { state in
            state.lines.lose(count, unreported: unreported)
            state.isScheduled = !state.lines.bytes.isEmpty
            return state.isScheduled
        }
    }

    /// Takes the waiting lines. Returns nil if there are none; the next line schedules the writing
    /// again.
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

    /// Writes whole lines. Returns when the descriptor has accepted them or has failed.
    ///
    /// - Returns: the number of lines that were not written, or only in part.
    private func writeAll(_ bytes: [UInt8]) -> Int {
        let hasPartOfLine = state.withLock { $0.hasPartOfLine }
        let bytes = hasPartOfLine ? [UInt8(ascii: "\n")] + bytes : bytes
        var rest = bytes[...]
        while !rest.isEmpty {
            // Also needed for a descriptor that another process made non-blocking.
            var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&polled, 1, -1) >= 0 || errno == EINTR else { break }
            let count = rest.prefix(LogWriter.pieceBytesMax).withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            guard count > 0 || errno == EINTR || errno == EAGAIN else { break }
            rest = rest.dropFirst(max(0, count))
        }
        if rest.count < bytes.count {
            let last = bytes[rest.startIndex - 1]
            state.withLock { $0.hasPartOfLine = last != UInt8(ascii: "\n") }
        } else if hasPartOfLine {
            // That line is counted already.
            rest = rest.dropFirst()
        }
        return rest.count { $0 == UInt8(ascii: "\n") }
    }
}
