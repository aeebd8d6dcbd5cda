import Dispatch
import Glibc
import Locking
import Reactor

/// Writes log lines to standard error from a thread of its own, so that a full pipe never holds up a loop.
final class LogWriter: Sendable {
    /// Bytes that may wait; a line that would go over is dropped and counted.
    private static let waitingBytesMax = 1 << 20

    private struct State {
        var waiting: [UInt8] = []
        var dropped = 0
        var isScheduled = false
    }

    private let state = Locked<State>(State())
    private let queue = DispatchQueue(label: "varde.log")

    func write(_ line: [UInt8]) {
        let mustSchedule = state.withLock { state in
            guard state.waiting.count + line.count <= LogWriter.waitingBytesMax else {
                state.dropped += 1
                return false
            }
            state.waiting.append(contentsOf: line)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if mustSchedule { queue.async { self.writeWaiting() } }
    }

    /// Returns when everything logged so far is written.
    func flush() {
        queue.sync { writeWaiting() }
    }

    private func writeWaiting() {
        var (bytes, dropped) = state.withLock { state in
            defer { state = State() }
            return (state.waiting, state.dropped)
        }
        if dropped > 0 { bytes += Array("\(dropped) log lines dropped\n".utf8) }
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.write(STDERR_FILENO, $0.baseAddress! + start, bytes.count - start)
            }
            guard count > 0 || errno == EINTR else { return }
            start += max(0, count)
        }
    }
}
