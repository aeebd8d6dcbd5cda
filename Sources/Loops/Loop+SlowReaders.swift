import ClientWire
import Reactor

/// Slow readers that have read their queue: they receive what they have missed, from the histories. See
/// `FanOut.holdSlowReaders`.
extension Loop {
    /// Serves a reader again that has read its queue.
    package func resumeHeld(on id: ConnectionID) {
        guard connections.queuedBytes(id) == 0 else { return }
        switch session(of: id) {
        case .client(let session):
            let held = session.subscriptions.filter { $0.value.held != nil }
            guard !held.isEmpty, !waits(toCatchUp: Array(held.keys), on: id) else { return }
            turn.clearOutput()
            for topic in held.keys.sorted(by: { $0.name < $1.name }) {
                catchUp(topic, session, on: id)
            }
            sendOutput(session, on: id)
            if session.subscriptions.contains(where: { $0.value.held != nil }) {
                fanOut.addCatchingUp(id)
            }
        case .eventStream(let session):
            guard session.machine.isHeld,
                !waits(toCatchUp: hub.topics(of: Int32(id.index)), on: id),
                let cursor = session.machine.resume()
            else { return }
            let recovery = resume(.eventStream, after: cursor, on: id)
            connections.send(EventStreamEncoder.recovery(recovery, since: cursor), on: id)
        // Only for CloudEvents: the topics of the other sockets hold no readers.
        case .socketReader(let session):
            guard session.machine.heldCursor != nil,
                !waits(toCatchUp: hub.topics(of: Int32(id.index)), on: id),
                let cursor = session.machine.resume()
            else { return }
            let recovery = resume(session.content.form, after: cursor, on: id)
            send(recovery, since: cursor, session, on: id)
        case .none, .http, .echo: break
        }
    }

    /// Continues with readers that accepted their bytes at once: the kernel reports nothing about
    /// them.
    package func continueCatchingUp() {
        for id in fanOut.takeCatchingUp() {
            if connections.hasUnflushed(id) {
                fanOut.addCatchingUp(id)
            } else {
                resumeHeld(on: id)
            }
        }
    }

    /// The maximum number of bytes that one reader receives at once.
    private var catchUpBytesMax: Int { settings.connections.queueBytesMax / 4 }

    private func catchUp(_ topic: Topic, _ session: ClientSession, on id: ConnectionID) {
        guard let subscription = session.subscriptions[topic], let held = subscription.held,
            session.machine.isOpen
        else { return }
        // The rest waits until this is read.
        guard turn.output.count <= catchUpBytesMax else { return }
        guard let history = hub.history(of: topic) else { return }
        let missed = history.recover(
            since: Position(offset: held.offset, epoch: history.epoch)
        )
        let policy: ConflationPolicy =
            rules.features(of: topic)?.slowConsumer == .latestPerKey ? .latestPerKey : .dropOldest
        // Filtered publications do not take the place of others.
        let wanted = missed.publications.filter {
            subscription.filter?.matches($0.tags) ?? true
        }
        turn.counters.filtered += UInt64(missed.publications.count - wanted.count)
        let conflation = Conflation(
            of: wanted,
            policy: policy,
            bytesMax: catchUpBytesMax
        )
        guard missed.isComplete, conflation.droppedCount == 0 else {
            if case .gap(_, let missing) = missed {
                fanOut.noteExpired(missing, of: subscription, session, &turn)
            }
            fanOut.note(conflation.losses, of: subscription, session, &turn)
            return endLossy(topic, subscription, session, on: id)
        }
        var through = held.offset
        for publication in conflation.publications {
            guard turn.output.count <= catchUpBytesMax else {
                let losses = conflation.losses.filter { $0.offsets.upperBound < through }
                fanOut.note(losses, of: subscription, session, &turn)
                session.subscriptions[topic]?.held = HeldSubscription(
                    form: held.form,
                    offset: through
                )
                return
            }
            turn.counters.deliveries += 1
            append(publication, to: session, isDelta: held.form.isDelta)
            through = publication.offset
        }
        fanOut.note(conflation.losses, of: subscription, session, &turn)
        session.subscriptions[topic]?.held = nil
        // Its base differs from that of the others.
        hub.move(Int32(id.index), of: topic, to: held.form.afterPause)
    }

    /// Ends a subscription that has lost publications. The client returns with its position and
    /// then receives the loss: by a subscribe command, or if its token made the subscription, by a
    /// connect command.
    private func endLossy(
        _ topic: Topic,
        _ subscription: ClientSubscription,
        _ session: ClientSession,
        on id: ConnectionID
    ) {
        switch subscription.origin {
        case .rules, .subscriptionToken, .hook, .serverAPI:
            endSubscription(to: topic, .insufficientState, session, on: id)
        case .connectionToken:
            close(session, .insufficientState)
        }
    }

    private func append(_ publication: Publication, to session: ClientSession, isDelta: Bool) {
        guard isDelta else {
            return append(
                CentrifugePush.publication(publication, encoding: session.encoding),
                to: session
            )
        }
        var message: [UInt8] = []
        CentrifugePush.appendPublication(
            publication,
            delta: .full,
            encoding: session.encoding,
            to: &message
        )
        append(message, to: session)
    }

    /// Serves a reader of one cursor again; returns the publications that it must receive first.
    private func resume(
        _ form: WireForm,
        after cursor: UInt64,
        on id: ConnectionID
    ) -> StreamRecovery {
        let topics = hub.topics(of: Int32(id.index)).sorted { $0.name < $1.name }
        let recovery = hub.publications(of: topics, afterCursor: cursor)
            .withGapOfStats(topics, through: hub.newestCursor)
        turn.counters.deliveries += UInt64(recovery.publications.count)
        for topic in topics { hub.move(Int32(id.index), of: topic, to: form) }
        return recovery
    }
}
