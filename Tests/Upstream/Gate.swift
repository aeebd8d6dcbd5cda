import Base
import CLinux
import Expectations
import Glibc

/// Something that happens once, and that threads and tasks wait for.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())
    /// Readable for ever once the gate is open: threads wait with `poll`.
    private let descriptor = eventfd(0, Int32(EFD_CLOEXEC))

    deinit {
        close(descriptor)
    }

    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
        var one: UInt64 = 1
        write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiters.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    /// For threads of a server; a gate that stays shut fails the test after a while.
    func waitBlocking() {
        var entry = pollfd(descriptor: descriptor, events: Int16(POLLIN))
        let count = poll(&entry, 1, ServerConnection.patienceSeconds * 1000)
        if count == 0 { Issue.record("the gate was not opened in time") }
    }
}

extension pollfd {
    fileprivate init(descriptor: Int32, events: Int16) {
        self.init(fd: descriptor, events: events, revents: 0)
    }
}

/// Counts events of several threads; tasks wait for a number of them.
final class Counter: Sendable {
    private struct State {
        var count = 0
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Locked(State())

    var count: Int { state.withLock { $0.count } }

    @discardableResult
    func increment(by amount: Int = 1) -> Int {
        let (count, due) = state.withLock { state in
            state.count += amount
            let count = state.count
            let due = state.waiters.filter { $0.count == count }
            state.waiters.removeAll { $0.count == count }
            return (count, due)
        }
        for waiter in due { waiter.continuation.resume() }
        return count
    }

    /// Waits until the count is exactly this.
    func wait(for count: Int) async {
        await withCheckedContinuation { continuation in
            let isDue = state.withLock { state in
                if state.count != count { state.waiters.append((count, continuation)) }
                return state.count == count
            }
            if isDue { continuation.resume() }
        }
    }
}
