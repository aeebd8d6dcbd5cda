import Dispatch
import Foundation
import Locking
import Timekeeping

/// Ctrl-C and a service manager's SIGTERM. From here on the first one ends nothing by itself; the second one
/// ends the process at once, and so does the time that `limit` sets after the first.
///
/// Both happen on a queue of their own: they must also work when every thread of the concurrency pool is
/// held up, by a disk that does not answer, say.
final class Interruption: Sendable {
    /// As shells report a process that SIGINT has ended.
    private static let secondSignalStatus: Int32 = 130

    private struct State {
        var first: String?
        var timeout: Duration?
        var lastWords = LastWords {}
    }

    /// A struct, because a closure that is itself the value of a lock is wrapped once more at every access.
    private struct LastWords {
        let log: @Sendable () -> Void
    }

    private let state = Locked(State())
    private let first: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation
    private let queue: DispatchQueue
    private let sources: Locked<[SignalSource]> = Locked([])

    init() async {
        (first, continuation) = AsyncStream<String>.makeStream()
        queue = DispatchQueue(label: "varde.signals")
        for (signal, name) in [(SIGINT, "SIGINT"), (SIGTERM, "SIGTERM")] {
            let source = await SignalSource(signal, on: queue) { [weak self] in self?.note(name) }
            sources.withLock { $0.append(source) }
        }
    }

    /// Waits for the first signal and returns its name.
    func wait() async -> String {
        for await name in first { return name }
        return "none"
    }

    /// Ends the process with status 1 when it has not ended by itself so long after the first signal, whether
    /// that has come or not. Call it again for another time.
    ///
    /// - Parameter lastWords: called right before that; it must not block for long.
    func limit(to timeout: Duration, _ lastWords: @escaping @Sendable () -> Void) {
        let hasCome = state.withLock { state in
            state.timeout = timeout
            state.lastWords = LastWords(log: lastWords)
            return state.first != nil
        }
        if hasCome { endLater(after: timeout) }
    }

    /// On `queue`.
    private func note(_ name: String) {
        let (isSecond, timeout) = state.withLock { state in
            defer { state.first = state.first ?? name }
            return (state.first != nil, state.timeout)
        }
        guard !isSecond else { _exit(Interruption.secondSignalStatus) }
        continuation.yield(name)
        if let timeout { endLater(after: timeout) }
    }

    private func endLater(after timeout: Duration) {
        let milliseconds = Int(clamping: timeout.wholeMilliseconds)
        queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [state] in
            state.withLock { $0.lastWords }.log()
            // Not `exit`: its handlers may wait for whatever holds the process up.
            _exit(1)
        }
    }
}
