import Reactor
import Wire

/// A loop that is driven by hand, on one thread with others, for simulations. Its loop is not
/// started.
extension Loop {
    /// Takes one turn; returns the latest time of the next one.
    @discardableResult
    package nonisolated func step() -> MonotonicInstant? {
        eventLoop.step { readyCount in assumeIsolated { $0.takeTurn(readyCount) } }
    }

    /// Takes over one end of a connected socket, as if it had come in through a listener.
    package nonisolated func adopt(_ descriptor: Int32) {
        eventLoop.perform { assumeIsolated { $0.open(descriptor) } }
    }

    /// Asks every client to reconnect. `openConnectionCount` is 0 when all have left.
    package nonisolated func beginDraining(spread: Duration = .zero) {
        eventLoop.perform { assumeIsolated { $0.beginDrain(spread: spread) } }
    }

    /// The length of the longest queue of its connections.
    package nonisolated func queuedBytesMax() -> Int {
        eventLoop.perform {
            assumeIsolated { $0.longestQueue() }
        }
    }

    /// The number of connections that have not ended.
    package nonisolated func openConnectionCount() -> Int {
        eventLoop.perform { assumeIsolated { $0.connectionCount } }
    }

    private func longestQueue() -> Int {
        var longest = 0
        for id in connections.openConnections() {
            longest = max(longest, connections.queuedBytes(id))
        }
        return longest
    }

    private func open(_ descriptor: Int32) {
        turn.begin(at: eventLoop.clock.now)
        let id = connections.adopt(descriptor)
        setSession(.http(HTTPSession(limits: settings.http)), of: id)
        connections.setDeadline(now + settings.requestTimeout, on: id)
    }
}
