import Base
import Dispatch
import Foundation

/// Handles Ctrl-C and a service manager's SIGTERM. The first signal no longer ends the process by
/// itself; the second one ends it at once, and so does the timeout that `limit` sets after the
/// first.
///
/// Both run on a queue of their own, because they must also work when every thread of the
/// concurrency pool is blocked, for example by a disk that does not respond.
final class Interruption: Sendable {
    /// The exit status that shells report for a process ended by SIGINT.
    private static let secondSignalStatus: Int32 = 130

    private struct State {
        var first: String?
        var timeout: Duration?
        var lastWords = LastWords {}
    }

    /// A struct, because a closure stored directly in a lock is wrapped again at every access.
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

    /// Ends the process with status 1 if it has not ended by itself within `timeout` after the
    /// first signal, whether or not that signal has already arrived. A later call replaces the
    /// timeout.
    ///
    /// - Parameter lastWords: called immediately before that; it must not block for long.
    func limit(to timeout: Duration, _ lastWords: @escaping @Sendable () -> Void) {
        let hasCome = state.withLock { state in
            state.timeout = timeout
            state.lastWords = LastWords(log: lastWords)
            return state.first != nil
        }
        if hasCome { endLater(after: timeout) }
    }

    /// Ends the process as the first signal does; later signals have their usual effect.
    func end(because reason: String) {
        queue.async { [self] in
            guard state.withLock({ $0.first == nil }) else { return }
            note(reason)
        }
    }

    /// Runs on `queue`.
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
            // Not `exit`: its handlers may wait for the same cause that blocks the process.
            _exit(1)
        }
    }
}
