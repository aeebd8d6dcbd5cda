import ClientWire
import Loops
import Reactor

/// What the hub says, held against what the store has.
extension SocketClient {
    func receive(message: [UInt8]) {
        for line in message.split(separator: UInt8(ascii: "\n")) {
            guard let fields = Fields(line) else {
                return fail("not JSON: \(String(decoding: line, as: UTF8.self))")
            }
            if fields.isEmpty {
                answerPing()
            } else if let push = fields.object("push") {
                receivePush(push)
            } else {
                receiveReply(fields)
            }
        }
    }

    // MARK: Pushes

    private func receivePush(_ push: Fields) {
        guard let topic = Topics.index(push.string("channel")) else {
            return fail("push of an unknown topic")
        }
        if let publication = push.object("pub") {
            let state = subscriptions[topic].state
            expect(
                state == .live || state == .leaving,
                "\(Topics.all[topic]): publication without a subscription"
            )
            take(publication, of: topic, epoch: subscriptions[topic].position?.epoch ?? "")
        } else if push.object("unsubscribe") != nil {
            trace.note("\(name) has lost \(Topics.all[topic])")
            // One that leaves has the answer still to come.
            if subscriptions[topic].state != .leaving { subscriptions[topic].state = .none }
        } else {
            fail("unknown push")
        }
    }

    /// The next publication of a topic, whether live or recovered.
    private func take(_ fields: Fields, of topic: Int, epoch: String) {
        let offset = fields.integer("offset")
        let position = subscriptions[topic].position
        trace.note("\(name) gets \(Topics.all[topic]) \(offset)")
        if let position, position.epoch == epoch {
            expect(
                offset > position.offset,
                "\(Topics.all[topic]): offset \(offset) after \(position.offset)"
            )
            passOver(topic, from: position, to: offset)
        }
        guard let committed = store.publication(epoch: epoch, topic: topic, offset: offset) else {
            return fail("\(Topics.all[topic]): offset \(offset) of \(epoch) is not committed")
        }
        expect(
            fields["data"]?.elementsEqual(committed.payload) == true,
            "\(Topics.all[topic]): offset \(offset) is not what was committed"
        )
        subscriptions[topic].position = Position(offset: offset, epoch: epoch)
        trace.count(.publicationsRead)
    }

    /// Offsets may be left out only where they were erased.
    private func passOver(_ topic: Int, from position: Position, to offset: UInt64) {
        guard offset > position.offset + 1 else { return }
        expect(
            store.isErased(
                epoch: position.epoch,
                topic: topic,
                after: position.offset,
                before: offset
            ),
            "\(Topics.all[topic]): offset \(offset) after \(position.offset)"
        )
        trace.count(.holesPassed)
    }

    // MARK: Replies

    private func receiveReply(_ fields: Fields) {
        let id = fields.integer("id")
        guard let command = commands.removeValue(forKey: id) else {
            return fail("answer to \(id), which was not asked")
        }
        let error = fields.object("error")
        switch command {
        case .connect:
            guard case .connecting(let socket) = stage, let reply = fields.object("connect") else {
                return fail("not let in: \(error?.integer("code") ?? 0)")
            }
            stage = .connected(socket, id: reply.string("client"))
        case .subscribe(let topic, let since, let loop):
            guard let reply = fields.object("subscribe") else {
                if error?.integer("code") == 112, since != nil { return notRecovered(topic) }
                if mayComeBack(error?.integer("code") ?? 0) { return comeBack(topic) }
                return fail("\(Topics.all[topic]) refused: \(error?.integer("code") ?? 0)")
            }
            subscribed(topic, since: since, loop, reply)
        case .unsubscribe(let topic):
            expect(error == nil, "\(Topics.all[topic]): not unsubscribed")
            trace.note("\(name) has left \(Topics.all[topic])")
            subscriptions[topic].state = .none
        case .publish(let topic, let payload, let floor):
            answered(topic, payload, behind: floor, error)
        }
    }

    /// Whether the hub may refuse a subscription for now: a history cannot be read, or the application refuses
    /// or does not answer.
    private func mayComeBack(_ code: UInt64) -> Bool {
        guard let hub = peer?.hub else { return false }
        let isAsked = hub.application != nil
        return code == 100 && (hub.readsHistories || isAsked)
            || code == ApplicationModel.refusal && isAsked
    }

    /// Error 112: it asked for everything or nothing, and something is missing. It begins anew.
    private func notRecovered(_ topic: Int) {
        trace.note("\(name) cannot recover \(Topics.all[topic])")
        trace.count(.gapsTold)
        subscriptions[topic] = Subscription()
    }

    /// Refused for now. It asks again, with the same position.
    private func comeBack(_ topic: Int) {
        trace.note("\(name) has to ask for \(Topics.all[topic]) again")
        subscriptions[topic].state = .none
    }

    private func answered(
        _ topic: Int,
        _ payload: [UInt8],
        behind floor: UInt64,
        _ error: Fields?
    ) {
        if let error {
            trace.note("\(name) refused \(Topics.all[topic]): \(error.integer("code"))")
            // Internal, too many at once: what a store that fails or is full is told as.
            let code = error.integer("code")
            let isAsked = peer?.hub.application != nil
            expect(
                [100, 111].contains(code) || code == ApplicationModel.refusal && isAsked,
                "publish refused: \(error)"
            )
            trace.count(.publishesRefused)
            return store.refuse(topic, payload)
        }
        guard let publication = store.acknowledge(topic, payload) else { return }
        trace.count(.publishesAcknowledged)
        trace.note("\(name) published \(Topics.all[topic]) \(publication.offset)")
        expect(
            publication.cursor > floor,
            "\(Topics.all[topic]): cursor \(publication.cursor) is not behind \(floor)"
        )
        // The answer comes behind the publication.
        guard subscriptions[topic].state == .live, let position = subscriptions[topic].position,
            store.histories.named(position.epoch, of: topic) == store.presentHistory(topic)
        else { return }
        expect(
            position.offset >= publication.offset,
            "\(Topics.all[topic]): answered before its publication"
        )
    }

    private func subscribed(
        _ topic: Int,
        since: Position?,
        _ loop: LoopState,
        _ reply: Fields
    ) {
        let name = Topics.all[topic].name
        let start = Position(offset: reply.integer("offset"), epoch: reply.string("epoch"))
        let isRecovered = reply.isTrue("recovered")
        let publications = reply.elements("publications")
        trace.note(
            "\(self.name) subscribed to \(name) at \(start.offset), recovered \(isRecovered) "
                + "\(publications.count)"
        )
        if case .connected(_, let id) = stage {
            peer?.hub.application?.checkSubscription(of: id, to: Topics.all[topic])
        }
        if isRecovered {
            if !publications.isEmpty { trace.count(.recoveries) }
            checkRecovered(topic, since: since, start, isEmpty: publications.isEmpty)
        } else {
            let newest = publications.last.flatMap { Fields($0)?.integer("offset") }
            // A promotion may have taken back what the loop still has.
            if let since, mustHaveReached(loop),
                (newest ?? start.offset) <= store.topOffset(topic),
                store.histories.areSame(since.epoch, start.epoch, of: topic)
            {
                expect(
                    !canRecover(topic, since, passing: loop.holes),
                    "\(name): told a gap after \(since.offset)"
                )
            }
            if since != nil { trace.count(.gapsTold) }
        }
        // Told, or missed: what comes is the rest.
        subscriptions[topic].position = start
        for publication in publications {
            guard let fields = Fields(publication) else { return fail("\(name): not an object") }
            let offset = fields.integer("offset")
            expect(!loop.holes.contains(offset), "\(name): offset \(offset) was erased")
            take(fields, of: topic, epoch: start.epoch)
        }
        subscriptions[topic].state = .live
    }

    /// A client that is cut off while it works through the publications of the reply returns with the
    /// position of the reply, so that it must be the client's own. Without publications, the reply may
    /// lead past those that were erased.
    private func checkRecovered(
        _ topic: Int,
        since: Position?,
        _ start: Position,
        isEmpty: Bool
    ) {
        let name = Topics.all[topic].name
        guard let since, store.histories.areSame(since.epoch, start.epoch, of: topic) else {
            return fail("\(name): recovered from another epoch")
        }
        if isEmpty {
            passOver(
                topic,
                from: Position(offset: since.offset, epoch: start.epoch),
                to: start.offset + 1
            )
        } else {
            expect(
                start.offset == since.offset,
                "\(name): recovered from \(since.offset), subscribed at \(start.offset)"
            )
        }
    }

    /// Whether the loop must have known the position when it answered: it had it, or it had to wait for
    /// it (`PositionBarrier`), and nothing was in the way.
    private func mustHaveReached(_ loop: LoopState) -> Bool {
        guard !loop.isReachable else { return true }
        if world.time.now >= loop.asked + Loop.positionWaitMax { peer?.hasWaited = true }
        return peer?.couldCatchUp == true
    }

    /// Not of one that was named before all that is forgotten: it might be of another history.
    private func isOfPresentHistory(_ position: Position, _ topic: Int) -> Bool {
        let present = store.presentHistory(topic)
        guard store.histories.named(position.epoch, of: topic) == present else { return false }
        let place = KnownHistories.parts(position.epoch).place
        let forgotten = store.durable.forgotten[String(Topics.all[topic].namespace)] ?? 0
        return place == present.beginning || place >= forgotten
    }

    /// Whether everything after a position must still have been there, whatever came meanwhile.
    ///
    /// - Parameter holes: what the loop no longer had.
    private func canRecover(
        _ topic: Int,
        _ since: Position,
        passing holes: Set<UInt64>
    ) -> Bool {
        let limit = Topics.limit(topic)
        let publications = store.durable.topics[topic]
        guard limit.age == nil, isOfPresentHistory(since, topic), let peer,
            peer.isOfLivingProcess, Int(since.offset) <= publications.count,
            since.offset >= store.durable.removedThrough[topic]
        else { return false }
        let missed = publications[Int(since.offset)...].filter { !holes.contains($0.offset) }
        let length = missed.reduce(0) { $0 + $1.wireLength }
        let span = missed.first.map { publications.count - Int($0.offset) + 1 } ?? 0
        return span <= limit.count && length <= peer.hub.recoveryBytesMax
    }
}
