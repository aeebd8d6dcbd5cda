// Tasks: how asynchronous work waits, takes turns and is limited in rate.

/// Lets one task sleep until a time or until it is woken.
///
/// Not an `AsyncStream`: whose waiting task is cancelled, as the loser of a race with a timer is, that
/// stream is over for good, and every wait after it returns at once.
///
/// One task waits at a time. A ring without a waiting task wakes the next wait.
package final class Alarm: Sendable {
    private struct State {
        var isRung = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Locked(State())

    package init() {}

    package func ring() {
        let waiter = state.withLock { state in
            defer { state.waiter = nil }
            state.isRung = state.waiter == nil
            return state.waiter
        }
        waiter?.resume()
    }

    /// Returns when the alarm rings, when `sleep` returns, or when the task is cancelled; now and then also
    /// without a reason.
    package func wait(orUntil sleep: @escaping @Sendable () async throws -> Void) async {
        let timer = Task {
            guard (try? await sleep()) != nil else { return }
            ring()
        }
        await wait()
        timer.cancel()
    }

    /// Returns when the alarm rings, or when the task is cancelled.
    package func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isRung = state.withLock { state in
                    precondition(state.waiter == nil, "two tasks wait for one alarm")
                    defer { state.isRung = false }
                    if !state.isRung { state.waiter = continuation }
                    return state.isRung
                }
                if isRung { continuation.resume() }
            }
        } onCancel: {
            ring()
        }
    }
}
