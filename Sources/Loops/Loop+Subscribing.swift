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
        turn.countWork(session.machine.unsubscribe(from: topic, code, output: &turn.output))
        return true
    }

    /// Ends all subscriptions of a client that leaves, and removes its identity.
    package func endSubscriptions(_ session: ClientSession, on id: ConnectionID) {
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
