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
extension FanOut {
    /// The first of the publications: as many as a reader may receive between two checks of its
    /// queue.
    package func runForSlowReaders(
        _ publications: ArraySlice<Publication>
    ) -> ArraySlice<Publication> {
        let bytesMax = queueBytesMax / 4
        var bytes = 0
        return publications.prefix { publication in
            let isFirst = bytes == 0
            bytes += publication.wireLength
            return isFirst || bytes <= bytesMax
        }
    }

    /// Holds the readers of a run's topic whose queue would be more than half full with the run, and counts
    /// what the history does not keep for those that are held.
    package func holdSlowReaders(
        before run: ArraySlice<Publication>,
        _ hub: inout LoopTopics,
        _ connections: borrowing Connections,
        _ sessions: [Session],
        _ turn: inout Turn
    ) {
        guard let first = run.first else { return }
        let bytes = run.reduce(0) { $0 + $1.wireLength }
        let room = max(0, queueBytesMax / 2 - bytes)
        for form in WireForm.served {
            let places = hub.subscribers(of: first.topic, form: form)
            for place in places where connections.isBehind(place, moreThan: room) {
                turn.counters.held += 1
                FanOut.hold(place, first, form, &hub, sessions)
            }
        }
        let lostCount = run.count { $0.offset == 0 }
        guard lostCount > 0 else { return }
        let places = hub.subscribers(of: first.topic, form: .held)
        turn.counters.dropped += UInt64(lostCount * places.count)
        for place in places {
            sessions.client(at: place, in: connections)?.droppedCount += UInt64(lostCount)
        }
    }

    private static func hold(
        _ place: Int32,
        _ publication: Publication,
        _ form: WireForm,
        _ hub: inout LoopTopics,
        _ sessions: [Session]
    ) {
        guard Int(place) < sessions.count else { return }
        switch sessions[Int(place)] {
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

    // MARK: Losses

    /// Notes publications that a slow reader has lost because they are no longer kept.
    package mutating func noteExpired(
        _ offsets: ClosedRange<UInt64>,
        of subscription: ClientSubscription,
        _ session: ClientSession,
        _ turn: inout Turn
    ) {
        record.note(.dropped, offsets, of: subscription.record)
        turn.counters.expired += UInt64(offsets.count)
        session.droppedCount += UInt64(offsets.count)
    }

    /// Notes publications that a slow reader does not receive because there is no room for them.
    package mutating func note(
        _ losses: [Conflation.Loss],
        of subscription: ClientSubscription,
        _ session: ClientSession,
        _ turn: inout Turn
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
}

extension WireForm {
    /// All forms in which the hub sends.
    fileprivate static let served: [WireForm] = (0..<UInt8(WireForm.held.rawValue)).map {
        WireForm(rawValue: $0)
    }

    package var isDelta: Bool {
        [.jsonDelta, .jsonDeltaFirst, .protobufDelta, .protobufDeltaFirst].contains(self)
    }

    /// The form in which a subscriber continues after others were served without it.
    package var afterPause: WireForm {
        switch self {
        case .jsonDelta: .jsonDeltaFirst
        case .protobufDelta: .protobufDeltaFirst
        default: self
        }
    }
}
