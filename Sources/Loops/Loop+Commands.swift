import ClientWire
import Reactor
import Service

/// Commands of clients: each is checked against the rates, performed, and answered.
extension Loop {
    /// - Parameter waitedFor: what the first command has waited for, after it was checked against the
    ///   rates.
    package func perform(
        _ actions: ArraySlice<SessionAction>,
        _ session: ClientSession,
        waitedFor: WaitingInput.Reason? = nil,
        on id: ConnectionID
    ) {
        var rest = actions
        var waitedFor = waitedFor
        while let action = rest.first {
            // With the action, and without a copy: there can be thousands of them.
            let whole = rest
            rest = rest.dropFirst()
            // Commands after one that ended the session are not carried out.
            guard connections.isOpen(id), session.machine.isOpen else { return }
            // A call that the application has answered costs the loop nothing more.
            if case .rpc = action, admission.grants.answer == nil,
                waiting.costs.calls.isTooMuch(now: milliseconds)
            {
                return postpone(whole, of: id)
            }
            if waitedFor == nil, isOverRate(action, session) {
                refuse(action, .tooManyRequests, session)
            } else if asks(about: action, with: whole, session, on: id) {
                return
            } else if waits(for: action, with: whole, session, on: id) {
                return
            } else if waitedFor != .position, mustWait(for: action, session) {
                return wait(with: whole, on: id)
            } else if asksToFill(action, with: whole, session, on: id) {
                return
            } else {
                perform(action, session, on: id)
            }
            waitedFor = nil
            admission.dropAnswers()
            if isWorkDone, !rest.isEmpty { return postpone(rest, of: id) }
        }
    }

    private func perform(
        _ action: SessionAction,
        _ session: ClientSession,
        on id: ConnectionID
    ) {
        if isRefused(action, session, on: id) { return }
        switch action {
        case .connect(_, let request): connect(request, session, on: id)
        case .subscribe(let request):
            let result = counted(subscribe(request, session, on: id), action)
            answer(.subscribe(request, result), session)
            if case .success = result { limitSubscription(to: request.topic, session) }
        case .unsubscribe(let commandID, let topic):
            let wasSubscribed = endSubscription(to: topic, session, on: id)
            answer(
                .unsubscribe(commandID: commandID, topic, wasSubscribed: wasSubscribed),
                session
            )
        case .publish(let request):
            guard let error = publish(request, session, on: id) else { return }
            refuse(action, error, session)
        case .presence(let commandID, let topic):
            let result = counted(clients(in: topic, session), action)
            answer(.presence(commandID: commandID, result), session)
        case .presenceStats(let commandID, let topic):
            let result = counted(presenceCounts(of: topic, session), action)
            answer(.presenceStats(commandID: commandID, result), session)
        case .history(let request):
            let result = counted(history(request, session), action)
            answer(.history(commandID: request.commandID, result), session)
        case .rpc(let request):
            let result = counted(call(request, session, on: id), action)
            answer(.rpc(commandID: request.commandID, result), session)
        // Messages outside of topics have no receiver.
        case .send: break
        case .refresh(_, let token): refresh(action, token, session, on: id)
        case .subRefresh(_, let topic, let token): refresh(action, topic, token, session)
        case .connectionExpired: decideOnConnection(session, on: id)
        case .subscriptionExpired(let topic): decideOnSubscription(to: topic, session, on: id)
        case .reply(let message): append(message, to: session)
        case .tooManySubscriptions(let message):
            turn.counters.bounds[.subscriptions] += 1
            turn.counters.count(.limitExceeded, "subscribe")
            append(message, to: session)
        case .ping: session.machine.ping(output: &turn.output)
        case .disconnect(let code):
            guard let bound = session.machine.end(code, output: &turn.output) else { return }
            turn.counters.bounds[bound] += 1
        }
    }

    /// Answers a command with an error. Actions that are not commands have no answer.
    package func refuse(_ action: SessionAction, _ error: ProtocolError, _ session: ClientSession) {
        if let method = action.method { turn.counters.count(error, method) }
        turn.countWork(session.machine.refuse(action, error, now: now, output: &turn.output))
    }

    /// Counts an error answer, and returns the result unchanged.
    private func counted<Value>(
        _ answer: Result<Value, ProtocolError>,
        _ action: SessionAction
    ) -> Result<Value, ProtocolError> {
        if case .failure(let error) = answer, let method = action.method {
            turn.counters.count(error, method)
        }
        return answer
    }

    // MARK: Rates

    private func isOverRate(_ action: SessionAction, _ session: ClientSession) -> Bool {
        guard let bound = bound(over: action, session) else { return false }
        turn.counters.bounds[bound] += 1
        return true
    }

    /// The bound that a command exceeds: of its connection, or of its user or its address.
    private func bound(over action: SessionAction, _ session: ClientSession) -> Bound? {
        if let bound = session.machine.bound(over: action, now: now, settings.rates) {
            return bound
        }
        let user = session.identity.user
        do throws(ClientCensus.Refusal) {
            switch action.rate {
            case .none: break
            case .publishes:
                try shared.clients.takePublish(
                    user: user,
                    network: session.network,
                    now: milliseconds
                )
            case .commands:
                try shared.clients.takeCommand(
                    user: user,
                    network: session.network,
                    now: milliseconds
                )
            }
            return nil
        } catch {
            return error.bound
        }
    }

    // MARK: Asking

    private func clients(
        in topic: Topic,
        _ session: ClientSession
    ) -> Result<[ClientInfo], ProtocolError> {
        admission.presence(of: topic, session).map { _ in
            shared.presence.withLock { $0.clients(in: topic) }
        }
    }

    private func presenceCounts(
        of topic: Topic,
        _ session: ClientSession
    ) -> Result<PresenceCounts, ProtocolError> {
        admission.presence(of: topic, session).map { _ in
            let counts = shared.presence.withLock { $0.stats(of: topic) }
            return PresenceCounts(
                clients: UInt32(clamping: counts.clients),
                users: UInt32(clamping: counts.users)
            )
        }
    }

    /// The maximum number of publications of one answer.
    private static let historyCountMax = 1000

    private func history(
        _ request: ClientWire.HistoryRequest,
        _ session: ClientSession
    ) -> Result<HistoryAnswer, ProtocolError> {
        guard let features = rules.features(of: request.topic) else {
            return .failure(admission.refusalOfMissing(request.topic, .history, session))
        }
        guard features.keepsHistory else { return .failure(.notAvailable) }
        if case .failure(let error) = admission.decide(.history, on: request.topic, session) {
            return .failure(error)
        }
        return hub.page(
            of: request.topic,
            HistoryRange(
                limit: Int(request.limit),
                since: request.since,
                isReversed: request.reverse
            ),
            countMax: Loop.historyCountMax
        ).map { HistoryAnswer(publications: $0.publications, position: $0.position) }
    }
}
