import ClientWire
import Reactor

/// Committed publications: taken into the table of topics, and sent by the `FanOut`.
extension Loop {
    /// The number of topics whose old publications are removed when new ones arrive; topics take
    /// turns.
    private static let topicsTrimmedPerBatch = 8

    /// Queues committed publications for every subscriber.
    package func publish(_ publications: [Publication]) {
        var rest = publications[...]
        while let topic = rest.first?.topic {
            var run = rest.prefix { $0.topic == topic }
            if holdsSlowReaders(of: topic) {
                run = fanOut.runForSlowReaders(run)
                fanOut.holdSlowReaders(before: run, &hub, connections, sessions, &turn)
            }
            rest = rest.dropFirst(run.count)
            fanOut.noteBusy(topic, run, now: milliseconds)
            turn.counters.published[String(topic.namespace), default: 0] += UInt64(run.count)
            var hasSubscribers = false
            for publication in run { hasSubscribers = hub.publish(publication) }
            guard hasSubscribers else { continue }
            let start = eventLoop.clock.now
            fanOut.send(run, &hub, through: &connections, to: sessions, &turn)
            turn.counters.broadcast.add(eventLoop.clock.now - start)
        }
        if let now = publications.last?.time {
            hub.trim(now: now, topicCountMax: Loop.topicsTrimmedPerBatch)
        }
    }

    /// Whether the slow readers of a topic are held.
    private func holdsSlowReaders(of topic: Topic) -> Bool {
        (rules.features(of: topic)?.slowConsumer ?? .close) != .close
    }

    /// Sends a join or leave to the subscribers that requested them.
    package func announce(_ topic: Topic, _ info: ClientInfo, isJoin: Bool) {
        fanOut.announce(
            topic,
            info,
            isJoin: isJoin,
            through: &connections,
            to: sessions,
            &turn
        )
    }

    /// Sends a sample of the statistics, in JSON, to the event streams that read the topic.
    package func sendStats(_ sample: [UInt8]) {
        fanOut.sendSample(sample, hub, through: &connections, &turn)
    }

    // MARK: Removals

    /// Removes a topic's history, as the store has done at this place among its commits.
    package func removeHistory(of topic: Topic, through offset: UInt64) {
        hub.removeHistory(of: topic, through: offset)
    }

    /// Removes data that the store has erased at this place among its commits. Data queued for a
    /// connection goes out all the same.
    package func erase(_ erasures: [Erasure]) {
        for erasure in erasures {
            hub.erase(erasure)
            // It may be of what was erased: the next publication goes out in full.
            fanOut.forgetBase(of: erasure.topic)
        }
    }

    /// Removes the topics that the store has removed at this place among its commits.
    ///
    /// They had no subscribers when the loops were asked. A client that has subscribed since has
    /// missed nothing, but it relies on offsets, which begin again: a client of the client protocol
    /// must resubscribe with its position, and receives another epoch. Readers of streams have a
    /// cursor, which stays valid.
    package func forget(_ topics: [ForgottenTopic]) {
        for topic in topics {
            endCountingSubscriptions(to: topic.topic)
            hub.forget(topic)
            fanOut.forgetBase(of: topic.topic)
        }
    }

    private func endCountingSubscriptions(to topic: Topic) {
        for place in hub.subscribers(of: topic) {
            guard let (id, session) = client(at: UInt32(place)) else { continue }
            turn.clearOutput()
            if endSubscription(to: topic, .insufficientState, session, on: id) {
                sendOutput(session, on: id)
            }
        }
    }
}
