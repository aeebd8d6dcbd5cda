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
            case .none, .paused: return tellRefusals()
            }
        }
        turn.counters.bounds[.turnAccepts] += 1
        tellRefusals()
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

    private func tellRefusals() {
        guard let refused = refusalsToTell.take(connections.snapshot(), now: now) else { return }
        logger.warning(
            "connections turned away",
            metadata: [
                "limits.connections": "\(refused.refusedConnectionsMax)",
                "limits.connections_per_address": "\(refused.refusedPerAddressMax)",
                "descriptors": .stringConvertible(refused.refusedDescriptors),
                "pauses": .stringConvertible(refused.acceptPauses),
            ]
        )
    }
}

/// The schedule of log entries about refused connections: one at once, and then one every ten
/// seconds while there are more refusals. So an attack does not fill the disk.
package struct RefusalLog {
    private static let interval = Duration.seconds(10)
    private var told = ConnectionCounters()
    private var next = MonotonicInstant(nanoseconds: 0)

    /// Returns the refusals that are not logged yet; nil if there are none, or it is too early.
    package mutating func take(
        _ counters: ConnectionCounters,
        now: MonotonicInstant
    ) -> ConnectionCounters? {
        var new = ConnectionCounters()
        new.refusedConnectionsMax = counters.refusedConnectionsMax - told.refusedConnectionsMax
        new.refusedPerAddressMax = counters.refusedPerAddressMax - told.refusedPerAddressMax
        new.refusedDescriptors = counters.refusedDescriptors - told.refusedDescriptors
        new.acceptPauses = counters.acceptPauses - told.acceptPauses
        guard new != ConnectionCounters(), now >= next else { return nil }
        told = counters
        next = now + RefusalLog.interval
        return new
    }
}
