import Reactor

/// The acceptance of connections, and the log entries about refused ones.
extension Loop {
    package func accept(from listener: ListenerID) {
        for _ in 0..<settings.turnAcceptsMax {
            switch connections.accept(listener) {
            case .connection(let id): read(id, from: listener, for: settings.requestTimeout)
            case .overLimit(let id):
                // It waits only for a request to refuse.
                let timeout = settings.connections.lingerTimeout
                read(id, from: listener, for: min(timeout, settings.requestTimeout))
            case .refused: continue
            case .none, .paused: return logRefusals()
            }
        }
        turn.counters.bounds[.turnAccepts] += 1
        logRefusals()
    }

    private func read(_ id: ConnectionID, from listener: ListenerID, for timeout: Duration) {
        let session = HTTPSession(
            limits: settings.http,
            accepted: now,
            listener: connections.kind(of: listener)
        )
        setSession(.http(session), of: id)
        connections.setDeadline(now + timeout, on: id)
    }

    private func logRefusals() { admission.logRefusals(connections.snapshot(), now: now) }
}
