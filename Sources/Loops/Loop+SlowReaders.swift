import ClientWire
import Reactor

extension WireForm {
    /// The form of subscribers that receive nothing for the time being.
    package static let held = WireForm(rawValue: 15)
}

/// Slow readers in namespaces that do not close them.
///
/// The subscription of such a reader is held: its publications wait in the topic's history, which
/// exists anyway, and not in a separate queue. After the reader has read its queue, it receives the
/// publications that it has missed. If they are too many, or no longer kept, it receives a
/// notification. So a slow reader costs only its queue, and a reader that was slow for a moment
/// loses nothing.
extension Loop {
    /// Whether the slow readers of a topic are held.
    package func holdsSlowReaders(of topic: Topic) -> Bool {
        (rules.features(of: topic)?.slowConsumer ?? .close) != .close
    }

    /// The first of the publications: as many as a reader may receive between two checks of its
    /// queue.
    package func runForSlowReaders(_ publications: ArraySlice<Publication>) -> ArraySlice<
        Publication
    > {
        let bytesMax = settings.connections.queueBytesMax / 4
        var bytes = 0
        return publications.prefix { publication in
            let isFirst = bytes == 0
            bytes += publication.wireLength
            return isFirst || bytes <= bytesMax
        }
    }

    /// Holds the readers of a run's topic whose queue would be more than half full with the run.
    package func holdSlowReaders(before run: ArraySlice<Publication>) {
        guard let first = run.first else { return }
        let bytes = run.reduce(0) { $0 + $1.wireLength }
        let room = max(0, settings.connections.queueBytesMax / 2 - bytes)
        for form in WireForm.served {
            let places = hub.subscribers(of: first.topic, form: form)
            for place in places where connections.isBehind(place, moreThan: room) {
                hold(place, first, form)
            }
        }
    }

    /// Counts publications without a history as lost to the readers that wait for the history.
    package func countLostToHeld(_ run: ArraySlice<Publication>, _ topic: Topic) {
        let count = run.count { $0.offset == 0 }
        guard count > 0 else { return }
        let places = hub.subscribers(of: topic, form: .held)
        turn.counters.dropped += UInt64(count * places.count)
        for place in places {
            client(at: UInt32(place))?.session.droppedCount += UInt64(count)
        }
    }

    private func hold(_ place: Int32, _ publication: Publication, _ form: WireForm) {
        turn.counters.held += 1
        switch session(at: UInt32(place)) {
        case .client(let session):
            hub.move(place, of: publication.topic, to: .held)
            let offset = hub.position(of: publication.topic).offset
            session.subscriptions[publication.topic]?.held = HeldSubscription(
                form: form,
                offset: offset
            )
        // One cursor for all topics, so they wait together.
        case .eventStream(let session):
            guard session.machine.hold(after: publication.cursor - 1) else { return }
            for topic in hub.topics(of: place) { hub.move(place, of: topic, to: .held) }
        case .socketReader(let session):
            guard session.machine.hold(after: publication.cursor - 1) else { return }
            for topic in hub.topics(of: place) { hub.move(place, of: topic, to: .held) }
        case .none, .http, .echo: break
        }
    }

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
                catchingUp.append(id)
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
        let readers = catchingUp
        catchingUp = []
        for id in readers {
            if connections.hasUnflushed(id) { catchingUp.append(id) } else { resumeHeld(on: id) }
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
                record.note(.dropped, missing, of: subscription.record)
                turn.counters.expired += UInt64(missing.count)
                session.droppedCount += UInt64(missing.count)
            }
            note(conflation.losses, of: subscription, session)
            return endLossy(topic, subscription, session, on: id)
        }
        var through = held.offset
        for publication in conflation.publications {
            guard turn.output.count <= catchUpBytesMax else {
                let losses = conflation.losses.filter { $0.offsets.upperBound < through }
                note(losses, of: subscription, session)
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
        note(conflation.losses, of: subscription, session)
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

    private func note(
        _ losses: [Conflation.Loss],
        of subscription: ClientSubscription,
        _ session: ClientSession
    ) {
        for loss in losses {
            switch loss.cause {
            case .dropped:
                turn.counters.dropped += UInt64(loss.offsets.count)
                session.droppedCount += UInt64(loss.offsets.count)
                record.note(.dropped, loss.offsets, of: subscription.record)
            case .conflated:
                turn.counters.conflated += UInt64(loss.offsets.count)
                record.note(.conflated, loss.offsets, of: subscription.record)
            }
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
        let recovery = withGapOfStats(hub.publications(of: topics, afterCursor: cursor), topics)
        turn.counters.deliveries += UInt64(recovery.publications.count)
        for topic in topics { hub.move(Int32(id.index), of: topic, to: form) }
        return recovery
    }
}

extension WireForm {
    /// All forms in which the hub sends.
    fileprivate static let served: [WireForm] = (0..<UInt8(WireForm.held.rawValue)).map {
        WireForm(rawValue: $0)
    }

    fileprivate var isDelta: Bool {
        [.jsonDelta, .jsonDeltaFirst, .protobufDelta, .protobufDeltaFirst].contains(self)
    }

    /// The form in which a subscriber continues after others were served without it.
    fileprivate var afterPause: WireForm {
        switch self {
        case .jsonDelta: .jsonDeltaFirst
        case .protobufDelta: .protobufDeltaFirst
        default: self
        }
    }
}
