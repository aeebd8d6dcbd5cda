import ClientWire
import Reactor
import Service

/// The begin and end of subscriptions, with their effects: presence, joins and leaves, the user's
/// count, the record for explanations.
extension Loop {
    package func subscribe(
        _ request: SubscribeRequest,
        _ session: ClientSession,
        on id: ConnectionID
    ) -> Result<SubscribeAcceptance, ProtocolError> {
        let answer = admission.subscribeAnswer
        let claims: SubscriptionClaims?
        switch answer == nil ? self.claims(of: request, session) : .success(nil) {
        case .success(let verified): claims = verified
        case .failure(let error): return .failure(error)
        }
        let decision = admission.decide(request, session)
        switch decision {
        case .allowed: break
        case .unknown, .undecided: break
        case .denied, .needsToken:
            fanOut.record.refuse(
                client: session.id,
                topic: request.topic,
                at: hub.position(of: request.topic).offset
            )
        }
        if let refusal = admission.refusal(decision, .subscribe, on: request.topic, session) {
            return .failure(refusal)
        }
        var wish = SubscriptionWish(request, claims)
        if let answer { wish.apply(answer) }
        return begin(wish, session, on: id).map { begun in
            if let answer { session.hooked?.allow(request.topic, answer.rights) }
            return SubscribeAcceptance(
                begun.subscribed,
                timeToLiveSeconds: claims?.expiresAt.map(Loop.secondsUntil),
                data: answer?.subscription.data ?? claims?.subscription.data,
                usesDelta: begun.usesDelta,
                // A filter makes the recovered publications specific to the client.
                recovered: wish.filter != nil
                    ? nil
                    : fanOut.recovered(
                        begun.subscribed.recovery?.publications ?? [],
                        usesDelta: begun.usesDelta,
                        session.encoding
                    )
            )
        }
    }

    /// Sets when the application is asked again about a subscription that it has just allowed. Call it after
    /// the answer to the command, which sets the time to live of a token.
    package func limitSubscription(to topic: Topic, _ session: ClientSession) {
        guard let answer = admission.subscribeAnswer else { return }
        session.machine.decideOnSubscription(to: topic, at: answer.expiresAt.map(instant))
    }

    /// Returns the claims of the request's token; nil without a token.
    private func claims(
        of request: SubscribeRequest,
        _ session: ClientSession
    ) -> Result<SubscriptionClaims?, ProtocolError> {
        guard !request.token.isEmpty else { return .success(nil) }
        do throws(TokenError) {
            return .success(
                try admission.verifiedSubscription(request.token, request.topic, session)
            )
        } catch {
            admission.note(error, session)
            switch error {
            case .expired: return .failure(.tokenExpired)
            case _ where admission.mayBecomeValid(error): return .failure(.internalError)
            default: return .failure(.permissionDenied)
            }
        }
    }

    // MARK: Begin

    package func begin(
        _ wish: SubscriptionWish,
        _ session: ClientSession,
        on id: ConnectionID
    ) -> Result<(subscribed: Subscribed, usesDelta: Bool), ProtocolError> {
        let topic = wish.topic
        guard let features = rules.features(of: topic) else { return .failure(.unknownChannel) }
        guard let connection = session.info else { return .failure(.unauthorized) }
        guard hasRoomForSubscription(of: session.rank) else {
            turn.counters.bounds[.memory] += 1
            return .failure(.tooManyRequests)
        }
        let usesDelta =
            wish.wantsDelta && features.delta && wish.filter == nil && session.streamed == nil
        var subscribed: Subscribed
        do throws(SubscribeError) {
            subscribed = try hub.subscribe(
                Int32(id.index),
                form: form(session, isFiltered: wish.filter != nil, usesDelta: usesDelta),
                to: topic,
                since: wish.since,
                mustRecover: wish.mustRecover,
                recoveryBytesMax: wish.recoveryBytesMax
            )
        } catch {
            count(error)
            return .failure(ProtocolError(error))
        }
        do throws(ClientCensus.Refusal) {
            try shared.clients.addSubscription(of: session.identity.user)
        } catch {
            hub.unsubscribe(Int32(id.index), from: topic)
            turn.counters.bounds[error.bound] += 1
            return .failure(.limitExceeded)
        }
        if let recovery = subscribed.recovery { turn.counters.count(recovery) }
        add(wish, features, connection, subscribed, session, on: id)
        filterRecovered(&subscribed, by: wish.filter)
        return .success((subscribed, usesDelta))
    }

    /// Adds a new subscription to the tables, and announces it.
    private func add(
        _ wish: SubscriptionWish,
        _ features: NamespaceRules.Features,
        _ connection: ClientInfo,
        _ subscribed: Subscribed,
        _ session: ClientSession,
        on id: ConnectionID
    ) {
        let topic = wish.topic
        let info =
            wish.topicInfo == nil
            ? connection
            : ClientInfo(
                user: connection.user,
                client: connection.client,
                connectionInfo: connection.connectionInfo,
                topicInfo: wish.topicInfo
            )
        let isSeen = rules.isSeen(session.identity, in: topic)
        let subscription = ClientSubscription(
            info: info,
            origin: wish.origin,
            filter: wish.filter,
            isPresent: isSeen && (wish.presence ?? features.presence),
            isAnnounced: isSeen && (wish.joinLeave ?? features.joinLeave),
            hearsOthers: wish.pushesJoinLeave
                ?? (wish.wantsJoinLeave && (wish.joinLeave ?? features.joinLeave)),
            record: remember(subscribed, topic, session),
            mark: wish.mark
        )
        session.subscriptions[topic] = subscription
        if subscription.hearsOthers { fanOut.addListener(id.index, to: topic) }
        shared.change(subscription.change(of: topic, isJoin: true))
    }

    private func form(
        _ session: ClientSession,
        isFiltered: Bool,
        usesDelta: Bool
    ) -> WireForm {
        if session.streamed != nil { return .clientStream }
        return switch session.encoding {
        case .json:
            isFiltered ? .jsonFiltered : usesDelta ? .jsonDeltaFirst : session.compressedForm
        case .protobuf:
            isFiltered
                ? .protobufFiltered : usesDelta ? .protobufDeltaFirst : .centrifugeProtobuf
        }
    }

    /// Records for explanations from which offset on the client receives the topic.
    private func remember(
        _ subscribed: Subscribed,
        _ topic: Topic,
        _ session: ClientSession
    ) -> ExplainRecord.Handle {
        if case .gap(_, let missing) = subscribed.recovery {
            let handle = fanOut.record.begin(
                client: session.id,
                topic: topic,
                after: missing.lowerBound - 1
            )
            fanOut.record.note(.trimmed, missing, of: handle)
            return handle
        }
        let available = subscribed.recovery?.publications.first
        return fanOut.record.begin(
            client: session.id,
            topic: topic,
            after: available.map { $0.offset - 1 } ?? subscribed.position.offset
        )
    }

    private func filterRecovered(_ subscribed: inout Subscribed, by filter: TagFilter?) {
        guard let filter, let recovery = subscribed.recovery else { return }
        let passing = recovery.publications.filter { filter.matches($0.tags) }
        turn.counters.filtered += UInt64(recovery.publications.count - passing.count)
        // Publications that the filter removed are also work.
        turn.countWork(recovery.publications.reduce(0) { $0 + $1.wireLength })
        switch recovery {
        case .complete: subscribed.recovery = .complete(passing)
        case .gap(_, let missing): subscribed.recovery = .gap(available: passing, missing: missing)
        case .otherEpoch: break
        }
    }

    // MARK: End

    /// Ends a subscription without a notification. Returns false if there was none.
    @discardableResult
    package func endSubscription(
        to topic: Topic,
        _ session: ClientSession,
        on id: ConnectionID
    ) -> Bool {
        guard let subscription = session.subscriptions.removeValue(forKey: topic) else {
            return false
        }
        session.hooked?.subscriptions[topic] = nil
        let offset = hub.position(of: topic).offset
        hub.unsubscribe(Int32(id.index), from: topic)
        shared.clients.removeSubscription(of: session.identity.user)
        cleanUp(subscription, topic, through: offset, on: id)
        return true
    }

    /// Ends a subscription and sends the client the reason. Does nothing if there is none.
    @discardableResult
    package func endSubscription(
        to topic: Topic,
        _ code: UnsubscribeCode,
        _ session: ClientSession,
        on id: ConnectionID
    ) -> Bool {
        guard endSubscription(to: topic, session, on: id) else { return false }
        turn.countWork(session.machine.unsubscribe(from: topic, code, &turn))
        return true
    }

    /// Ends all subscriptions of a client that leaves, and removes its identity.
    ///
    /// - Parameter end: of its connection, if that has ended.
    package func endSubscriptions(
        _ session: ClientSession,
        on id: ConnectionID,
        _ end: ConnectionEnd = .closed
    ) {
        for (topic, subscription) in session.subscriptions {
            cleanUp(subscription, topic, through: hub.position(of: topic).offset, on: id)
        }
        hub.removeSubscriber(Int32(id.index))
        guard session.info != nil else { return }
        let user = session.identity.user
        shared.clients.remove(user: user, subscriptions: session.subscriptions.count)
        session.subscriptions = [:]
        session.info = nil
        admission.remove(id, of: user)
        noteDeparture(of: id, session.machine.disconnectCode, end)
    }

    private func cleanUp(
        _ subscription: ClientSubscription,
        _ topic: Topic,
        through offset: UInt64,
        on id: ConnectionID
    ) {
        fanOut.record.end(subscription.record, through: offset)
        if subscription.hearsOthers { fanOut.removeListener(id.index, of: topic) }
        shared.change(subscription.change(of: topic, isJoin: false))
    }
}

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
