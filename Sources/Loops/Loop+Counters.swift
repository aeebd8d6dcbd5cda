import Core
import Reactor

extension Loop {
    /// The counters as of now; connections are counted by kind in one pass over the table.
    package func snapshot() -> LoopCounters {
        for id in connections.openConnections() {
            turn.counters.queueBytes.add(connections.queuedBytes(id))
        }
        var counters = turn.counters
        counters.connections = connections.snapshot()
        counters.tokensVerified = admission.counts.tokensVerified
        counters.tokensRefused = admission.counts.tokensRefused
        counters.pagesRefused = admission.counts.pagesRefused
        counters.bounds[.connections] = counters.connections.refusedConnectionsMax
        counters.bounds[.connectionsPerAddress] = counters.connections.refusedPerAddressMax
        counters.bounds[.descriptors] =
            counters.connections.refusedDescriptors + counters.connections.acceptPauses
        counters.bounds[.queueBytes] = counters.connections.queueOverflows
        counters.bounds[.userTimeout] = counters.connections.timedOut
        counters.bounds[.stallTimeout] += counters.connections.stalled
        counters.bounds[.turnWrites] = counters.connections.turnsSplit
        counters.open.sockets = Dictionary(
            uniqueKeysWithValues: admission.sockets.map { ($0.name, 0) }
        )
        for (place, session) in sessions.enumerated() {
            // A connection over a limit waits only for its refusal.
            guard let id = connections.id(at: UInt32(place)), !connections.isOverLimit(id) else {
                continue
            }
            counters.open.count(session)
        }
        counters.subscriptions = hub.subscriptionCount
        counters.topics = hub.topicCount
        counters.draining = isDraining ? connections.count : 0
        return counters
    }

    /// Counts a refused subscription if it exceeded a bound.
    package func count(_ error: SubscribeError) {
        switch error {
        case .tooManyTopics: turn.counters.bounds[.unpublishedTopics] += 1
        case .unknownTopic, .alreadySubscribed, .unrecoverablePosition: break
        }
    }

    /// Takes a sample. Only one caller may do so: the longest turn is reset.
    package func takeSample() -> LoopSample {
        LoopSample(
            taking: &turn,
            hub,
            connections,
            sessions,
            queueBytesMax: settings.connections.queueBytesMax
        )
    }
}
