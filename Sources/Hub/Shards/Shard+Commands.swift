import ClientWire
import PubSub
import Reactor
import Tokens

/// What clients ask for: each command within its rate, and answered.
extension Shard {
    package func perform(
        _ actions: ArraySlice<SessionAction>,
        _ session: ClientSession,
        on id: ConnectionID
    ) {
        var rest = actions
        while let action = rest.popFirst() {
            // What stands behind a command that ended the session is not carried out.
            guard connections.isOpen(id), session.webSocket.isOpen else { return }
            if case .rpc = action, calls.isTooMuch(now: milliseconds) {
                return postpone([action] + rest, of: id)
            }
            if isOverRate(action, session) {
                refuse(action, .tooManyRequests, session)
            } else {
                perform(action, session, on: id)
            }
            if isWorkDone, !rest.isEmpty { return postpone(rest, of: id) }
        }
    }

    private func perform(
        _ action: SessionAction,
        _ session: ClientSession,
        on id: ConnectionID
    ) {
        switch action {
        case .connect(_, let request): connect(request, session, on: id)
        case .reply(let message): append(message, to: session)
        case .tooManySubscriptions(let message):
            counters.bounds[.subscriptions] += 1
            counters.count(.limitExceeded, "subscribe")
            append(message, to: session)
        case .ping: try? session.webSocket.sendPing([UInt8]().span, output: &output)
        case .subscribe(let request):
            let answer = counted(subscribe(request, session, on: id), action)
            append(
                session.centrifuge.answerSubscribe(request, answer, now: milliseconds),
                to: session
            )
        case .unsubscribe(let commandID, let topic):
            let wasSubscribed = endSubscription(to: topic, session, on: id)
            append(
                session.centrifuge.answerUnsubscribe(
                    commandID: commandID,
                    topic: topic,
                    wasSubscribed: wasSubscribed
                ),
                to: session
            )
        case .publish(let request):
            guard let error = publish(request, session, on: id) else { return }
            refuse(action, error, session)
        case .presence(let commandID, let topic):
            let answer = counted(presence(of: topic, session), action).map { _ in
                shared.presence.withLock { $0.clients(in: topic) }
            }
            append(
                session.centrifuge.answerPresence(commandID: commandID, answer),
                to: session
            )
        case .presenceStats(let commandID, let topic):
            let answer = counted(presence(of: topic, session), action).map { _ in
                let counts = shared.presence.withLock { $0.stats(of: topic) }
                return PresenceCounts(
                    clients: UInt32(clamping: counts.clients),
                    users: UInt32(clamping: counts.users)
                )
            }
            append(
                session.centrifuge.answerPresenceStats(commandID: commandID, answer),
                to: session
            )
        case .history(let request):
            let answer = counted(history(request, session), action)
            append(
                session.centrifuge.answerHistory(commandID: request.commandID, answer),
                to: session
            )
        case .rpc(let request):
            append(
                session.centrifuge.answerRPC(
                    commandID: request.commandID,
                    counted(call(request, session), action)
                ),
                to: session
            )
        // Nobody listens to messages outside of topics.
        case .send: break
        case .refresh(_, let token): refresh(action, token, session, on: id)
        case .subRefresh(_, let topic, let token):
            refresh(action, topic, token, session)
        case .subscriptionExpired(let topic):
            endSubscription(to: topic, .expired, session, on: id)
        case .disconnect(let code):
            if code == .noPong { counters.bounds[.pongTimeout] += 1 }
            if code == .stale { counters.bounds[.handshakeTimeout] += 1 }
            close(session, code)
        }
    }

    /// Answers a command with an error. What is no command has no answer.
    package func refuse(_ action: SessionAction, _ error: ProtocolError, _ session: ClientSession) {
        if let method = action.method { counters.count(error, method) }
        let message: [UInt8]
        switch action {
        case .subscribe(let request):
            message = session.centrifuge.answerSubscribe(
                request,
                .failure(error),
                now: milliseconds
            )
        case .unsubscribe(let commandID, _), .presence(let commandID, _),
            .presenceStats(let commandID, _):
            // An error is the same to all methods.
            message = session.centrifuge.answerPresence(commandID: commandID, .failure(error))
        case .publish(let request):
            message = session.centrifuge.answerPublish(
                commandID: request.commandID,
                .failure(error)
            )
        case .history(let request):
            message = session.centrifuge.answerHistory(
                commandID: request.commandID,
                .failure(error)
            )
        case .rpc(let request):
            message = session.centrifuge.answerRPC(
                commandID: request.commandID,
                .failure(error)
            )
        case .refresh(let commandID, _):
            message = session.centrifuge.answerRefresh(
                commandID: commandID,
                .failure(error),
                now: milliseconds
            )
        case .subRefresh(let commandID, let topic, _):
            message = session.centrifuge.answerSubRefresh(
                commandID: commandID,
                topic: topic,
                .failure(error),
                now: milliseconds
            )
        case .connect, .send, .subscriptionExpired, .reply, .tooManySubscriptions, .ping,
            .disconnect:
            return
        }
        append(message, to: session)
    }

    /// Counts an answer that is an error, and passes it on.
    private func counted<Value>(
        _ answer: Result<Value, ProtocolError>,
        _ action: SessionAction
    ) -> Result<Value, ProtocolError> {
        if case .failure(let error) = answer, let method = action.method {
            counters.count(error, method)
        }
        return answer
    }

    // MARK: Rates

    private func isOverRate(_ action: SessionAction, _ session: ClientSession) -> Bool {
        do throws(ClientCensus.Refusal) {
            switch action {
            case .publish:
                guard take(settings.rates.connectionPublishes, &session.publishesFullAt) else {
                    throw ClientCensus.Refusal(bound: .connectionPublishes)
                }
                try shared.clients.takePublish(
                    user: session.identity.user,
                    network: session.network,
                    now: milliseconds
                )
            case .subscribe, .unsubscribe, .presence, .presenceStats, .history, .rpc, .send,
                .refresh, .subRefresh:
                guard take(settings.rates.connectionCommands, &session.commandsFullAt) else {
                    throw ClientCensus.Refusal(bound: .connectionCommands)
                }
                try shared.clients.takeCommand(
                    user: session.identity.user,
                    network: session.network,
                    now: milliseconds
                )
            case .connect, .subscriptionExpired, .reply, .tooManySubscriptions, .ping,
                .disconnect:
                break
            }
            return false
        } catch {
            counters.bounds[error.bound] += 1
            return true
        }
    }

    private func take(_ limit: RateLimit?, _ fullAt: inout Int64) -> Bool {
        guard let limit else { return true }
        var bucket = TokenBucket(limit, fullAt: fullAt)
        defer { fullAt = bucket.fullAt }
        return bucket.take(now: milliseconds)
    }

    // MARK: Asking

    /// Whether the client may know who is in a topic.
    private func presence(
        of topic: Topic,
        _ session: ClientSession
    ) -> Result<Void, ProtocolError> {
        guard let features = rules.features(of: topic) else { return .failure(.unknownChannel) }
        guard features.presence else { return .failure(.notAvailable) }
        return decide(.presence, on: topic, session)
    }

    /// Publications of one answer at most.
    private static let historyCountMax = 1000

    private func history(
        _ request: ClientWire.HistoryRequest,
        _ session: ClientSession
    ) -> Result<HistoryAnswer, ProtocolError> {
        guard let features = rules.features(of: request.topic) else {
            return .failure(.unknownChannel)
        }
        guard features.keepsHistory else { return .failure(.notAvailable) }
        if case .failure(let error) = decide(.history, on: request.topic, session) {
            return .failure(error)
        }
        return hub.page(
            of: request.topic,
            HistoryRange(
                limit: Int(request.limit),
                since: request.since,
                isReversed: request.reverse
            ),
            countMax: Shard.historyCountMax
        ).map { HistoryAnswer(publications: $0.publications, position: $0.position) }
    }

    package func decide(
        _ action: ClientAction,
        on topic: Topic,
        _ session: ClientSession
    ) -> Result<Void, ProtocolError> {
        let decision = rules.decide(
            action,
            on: topic,
            by: session.identity,
            isSubscribed: session.subscriptions[topic] != nil
        )
        switch decision {
        case .allowed: return .success(())
        case .unknown: return .failure(.unknownChannel)
        case .denied, .needsToken: return .failure(.permissionDenied)
        }
    }
}

extension Hub {
    /// A page of a topic's history; of a topic without publications an empty one.
    package func page(
        of topic: Topic,
        _ range: HistoryRange,
        countMax: Int
    ) -> Result<HistoryPage, ProtocolError> {
        guard let history = history(of: topic) else {
            return .success(HistoryPage(publications: [], position: position(of: topic)))
        }
        do throws(HistoryPageError) {
            var range = range
            range.since = range.since.map { renamed($0, of: topic) }
            return .success(
                try history.page(
                    range,
                    countMax: countMax,
                    bytesMax: limits.recoveryBytesMax
                )
            )
        } catch {
            switch error {
            case .otherEpoch: return .failure(.unrecoverablePosition)
            case .nothingBeforeOffsetZero: return .failure(.badRequest)
            }
        }
    }
}

extension SessionAction {
    /// The command's name in the protocol; nil for what nobody has sent.
    fileprivate var method: String? {
        switch self {
        case .connect: "connect"
        case .subscribe: "subscribe"
        case .unsubscribe: "unsubscribe"
        case .publish: "publish"
        case .presence: "presence"
        case .presenceStats: "presence_stats"
        case .history: "history"
        case .rpc: "rpc"
        case .send: "send"
        case .refresh: "refresh"
        case .subRefresh: "sub_refresh"
        case .subscriptionExpired, .reply, .tooManySubscriptions, .ping, .disconnect: nil
        }
    }
}
