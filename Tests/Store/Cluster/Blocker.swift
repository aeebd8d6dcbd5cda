import Dispatch

/// Holds a thread until it is signalled.
final class Blocker: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func wait() { semaphore.wait() }

    func signal() { semaphore.signal() }
}
