import Reactor

/// The shutdown: clients are asked to reconnect, spread over time by `DrainPlan`.
extension Loop {
    package var isDraining: Bool { ending.hasBegun }

    /// Stops accepting, asks every client to reconnect, and returns when all have left.
    ///
    /// - Parameter spread: the time over which the clients are notified.
    package func drain(spread: Duration) async {
        beginDrain(spread: spread)
        guard connections.count > 0 else { return }
        eventLoop.wake()
        await withCheckedContinuation { ending.wait($0) }
    }

    package func beginDrain(spread: Duration) {
        connections.stopListening()
        var order = connections.openConnections()
        var chance = Chance(bytes: settings.random)
        order.shuffle(using: &chance)
        ending.begin(order, spread: spread, now: eventLoop.clock.now)
    }

    /// Ends the remaining connections at once.
    package func cut() {
        for id in connections.openConnections() { connections.abort(id) }
        eventLoop.wake()
    }

    package func drain(_ id: ConnectionID) {
        switch session(of: id) {
        case .none: break
        // A stream that waits for its cursor: without an answer, the reader reconnects.
        case .http where waiting.contains(id): connections.close(id)
        case .http(let session): perform(session.machine.drain(), session, on: id)
        case .echo: connections.close(id)
        case .client, .eventStream, .socketReader: disconnect(id, .shutdown)
        }
    }
}
