import ClientWire
import Reactor
import Service
import Store
import Wire

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
        case .ping: session.machine.ping(&turn)
        case .disconnect(let code):
            guard let bound = session.machine.end(code, &turn) else { return }
            turn.counters.bounds[bound] += 1
        }
    }

    /// Answers a command with an error. Actions that are not commands have no answer.
    package func refuse(_ action: SessionAction, _ error: ProtocolError, _ session: ClientSession) {
        if let method = action.method { turn.counters.count(error, method) }
        turn.countWork(session.machine.refuse(action, error, &turn))
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

/// Publications of clients: collected over a turn, committed together, and answered after the store
/// has them.
extension Loop {
    /// Takes a publication for the turn's commit, or returns the reason for refusing it.
    package func publish(
        _ request: PublishRequest,
        _ session: ClientSession,
        on id: ConnectionID
    ) -> ProtocolError? {
        if case .failure(let error) = admission.decide(.publish, on: request.topic, session) {
            return error
        }
        let features = rules.features(of: request.topic)
        let asked = ClientPublication(
            topic: request.topic,
            data: request.data,
            info: session.subscriptions[request.topic]?.info ?? session.info,
            keepsHistory: features?.keepsHistory ?? true,
            allowsDelta: features?.delta ?? false,
            publisher: session.publisher
        )
        guard let publication = admission.decided(asked, features) else { return .internalError }
        guard shared.budget.hasRoom(for: publication.data.count, as: session.rank) else {
            turn.counters.bounds[.memory] += 1
            return .limitExceeded
        }
        if !pending.hasRoom { commitPending() }
        pending.add(publication, PublishTicket(connection: id, commandID: request.commandID))
        return nil
    }

    /// Hands over the publications that were taken since the last call.
    package func commitPending() {
        guard let part = pending.take() else { return }
        services.publisher(part.publications) { [mailbox, logger] result in
            if case .failure(let error) = result {
                logger.warning(
                    "publishing failed",
                    metadata: ["err": "\(error)"],
                    source: LogSource.peer
                )
            }
            for message in part.replies(result) where !mailbox.post(message) {
                logger.error(
                    "replies lost: the mailbox of their loop is full",
                    source: LogSource.peer
                )
            }
        }
    }

    /// Answers publish commands. A client that has disconnected since is not answered.
    package func answer(_ tickets: [PublishTicket], _ error: ProtocolError?) {
        if let error { turn.counters.count(error, "publish", times: tickets.count) }
        var rest = tickets[...]
        while let id = rest.first?.connection {
            let run = rest.prefix { $0.connection == id }
            rest = rest.dropFirst(run.count)
            guard case .client(let session) = session(of: id), session.machine.isOpen else {
                continue
            }
            turn.clearOutput()
            for ticket in run {
                let result: Result<Void, ProtocolError> = error.map { .failure($0) } ?? .success(())
                answer(.publish(commandID: ticket.commandID, result), session)
            }
            connections.send(turn.output, on: id)
        }
    }
}

extension ClientSession {
    fileprivate var publisher: EventPublisher {
        guard let user = info?.user, !user.isEmpty else { return .network(network) }
        return .user(user)
    }
}

/// The methods that clients may call.
extension Loop {
    package func call(
        _ request: RPCRequest,
        _ session: ClientSession,
        on id: ConnectionID
    ) -> Result<[UInt8]?, ProtocolError> {
        if case .success(.rpc(let data)) = admission.grants.answer { return .success(data) }
        return switch request.method {
        case "hub.topics": topics(request.data, session, on: id).map { $0 }
        case "hub.explain": explain(request.data, session).map { $0 }
        default: .failure(.methodNotFound)
        }
    }

    /// The number of recorded subscriptions and sessions searched for one byte of a turn's work.
    private static let recordedPerWorkByte = 16

    func countCall(_ bytes: Int, _ session: ClientSession) {
        turn.countWork(bytes)
        addCost(bytes, session)
    }

    func addCost(_ bytes: Int, _ session: ClientSession) {
        session.calls.add(bytes, now: milliseconds)
        waiting.costs.calls.add(bytes, now: milliseconds)
    }

    /// `{"topic":…,"offset":…}`: the outcome of a publication for this client.
    private func explain(
        _ data: [UInt8]?,
        _ session: ClientSession
    ) -> Result<[UInt8], ProtocolError> {
        guard let (topic, offset) = ExplainRecord.place(in: data) else {
            return .failure(.badRequest)
        }
        countCall(
            (fanOut.record.subscriptionCount + sessions.count) / Loop.recordedPerWorkByte,
            session
        )
        var outcome = outcome(client: session.id, topic: topic, offset: offset)
        switch outcome {
        case .delivered, .filtered, .conflated, .dropped, .trimmed: break
        // Only clients that may read the topic may learn its offset.
        case .notAuthorized, .notSubscribed, .notPublished, .unknown:
            if !admission.mayRead(topic, session) { outcome = .notAuthorized }
        }
        return .success(
            outcome.explanation(client: session.id, topic: topic, offset: offset)
        )
    }

    /// The answer of the application by which a client was refused a topic; nil for another reason.
    package func refusal(
        of client: String,
        _ topic: Topic,
        offset: UInt64
    ) -> ExplainRecord.HookRefusal? {
        fanOut.record.refusal(client: client, topic: topic, offset: offset)
    }

    package func outcome(client: String, topic: Topic, offset: UInt64) -> ExplainRecord.Outcome {
        let outcome = fanOut.record.answer(
            client: client,
            topic: topic,
            offset: offset,
            topOffset: hub.position(of: topic).offset
        )
        guard outcome == .delivered else { return outcome }
        let history = hub.history(of: topic)
        // The hub does not record whether it was sent before it was erased.
        if history?.isErased(offset) == true { return .unknown }
        guard let filter = filter(of: client, topic) else { return .delivered }
        // Filtered publications are not recorded, so the filter is applied again.
        guard let publication = history?.publication(at: offset) else {
            return .unknown
        }
        return filter.matches(publication.tags) ? .delivered : .filtered
    }

    private func filter(of client: String, _ topic: Topic) -> TagFilter? {
        for case .client(let session) in sessions where session.id == client {
            return session.subscriptions[topic]?.filter
        }
        return nil
    }

    // MARK: Topics

    /// `{"limit":…,"cursor":…}`: see `TopicList`.
    private func topics(
        _ data: [UInt8]?,
        _ session: ClientSession,
        on id: ConnectionID
    ) -> Result<[UInt8], ProtocolError> {
        let stored = waiting.takeList(of: id)
        guard let page = TopicsPage(data) else { return .failure(.badRequest) }
        let list = TopicList(page, for: session, hub, admission, stored: stored)
        countCall(list.workBytes, session)
        let json = list.json(for: session)
        // Sending the answer is also work.
        addCost(json.count, session)
        return .success(json)
    }

    /// Postpones a call that comes to topics of the store until they are read. Returns false if it does
    /// not.
    func waits(
        forList actions: ArraySlice<SessionAction>,
        on id: ConnectionID
    ) -> Bool {
        guard let lister = services.lister, case .rpc(let request) = actions.first,
            request.method == "hub.topics",
            !waiting.hasList(for: id), let page = TopicsPage(request.data)
        else { return false }
        // The answer may have room for some, unless there are many of the others.
        let left = hub.topicNumberCount - min(page.cursor, hub.topicNumberCount)
        guard left <= TopicList.topicsExaminedMax else { return false }
        waiting.wait(WaitingInput(actions: actions, waitedFor: .histories), of: id)
        connections.setReading(false, on: id)
        lister(page.place, TopicList.storedTopicsExaminedMax) { [mailbox] page in
            // If the loop accepts no message, it has ended, and its connections with it.
            _ = mailbox.post(.work(LoopMessage.Work { $0.waiting.come(page, for: id) }))
        }
        return true
    }
}

/// The answers of the application: to a command, and to the question whether a client may stay.
extension Loop {
    /// Whether a command ends with the answer of the application: it was refused, or there is none.
    package func isRefused(
        _ action: SessionAction,
        _ session: ClientSession,
        on id: ConnectionID
    ) -> Bool {
        let error: ProtocolError
        let answer: String
        switch admission.grants.answer {
        case nil: return false
        case .failure(let fault):
            error = .internalError
            answer = fault.reason
        case .success(.error(let refusal)):
            error = ProtocolError(
                ofApplication: refusal.code,
                refusal.message,
                isTemporary: refusal.isTemporary
            )
            answer = HookAnswer.error(refusal).summary
        case .success(.disconnect(let code, let reason)):
            admission.grants.answer = nil
            close(session, DisconnectCode(ofApplication: code, reason))
            return true
        case .success: return false
        }
        // The actions that follow from the refusal are not about the answer.
        admission.grants.answer = nil
        switch action {
        case .connect: refuse(error, session, on: id)
        case .subscribe(let request):
            fanOut.record.refuse(
                client: session.id,
                topic: request.topic,
                at: hub.position(of: request.topic).offset,
                by: admission.refusal(by: answer, of: request.topic)
            )
            refuse(action, error, session)
        default: refuse(action, error, session)
        }
        return true
    }

    // MARK: Whether a client may stay

    /// Decides on a connection whose time has come.
    package func decideOnConnection(_ session: ClientSession, on id: ConnectionID) {
        guard let hooks = shared.hooks, session.hooked?.isLetIn == true,
            let hook = settings.hooks.refresh
        else { return close(session, .expired) }
        ask(.refresh, of: hook, session, hooks) { .refreshAnswered(id, nil, $0) }
    }

    /// Decides on a subscription whose time has come.
    package func decideOnSubscription(
        to topic: Topic,
        _ session: ClientSession,
        on id: ConnectionID
    ) {
        guard let hooks = shared.hooks, let hooked = session.hooked?.subscriptions[topic],
            session.subscriptions[topic] != nil,
            let hook = rules.features(of: topic)?.hooks.subRefresh
        else {
            endSubscription(to: topic, .expired, session, on: id)
            return
        }
        let place = HookedPlace(topic: topic, number: hooked.number)
        ask(.subRefresh(topic), of: hook, session, hooks) { .refreshAnswered(id, place, $0) }
    }

    /// Takes the answer whether a client may stay, or its subscription to a topic.
    package func takeRefresh(_ outcome: HookOutcome, of place: HookedPlace?, on id: ConnectionID) {
        guard case .client(let session) = session(of: id), session.machine.isOpen,
            let hooked = session.hooked
        else { return }
        let topic = place?.topic
        // The client may have another token or another subscription meanwhile, to which this is no answer.
        let isCurrent =
            place.map { hooked.subscriptions[$0.topic]?.number == $0.number } ?? hooked.isLetIn
        guard isCurrent else { return }
        turn.clearOutput()
        switch outcome {
        case .success(.refresh(let answer)) where !answer.hasExpired:
            if let topic { keep(topic, answer, session) } else { keep(answer, session) }
        case .success(.disconnect(let code, let reason)):
            close(session, DisconnectCode(ofApplication: code, reason))
        case .success(.error(let refusal)) where refusal.isTemporary:
            askAgain(of: topic, session, on: id)
        case .success:
            if let topic {
                endSubscription(to: topic, .expired, session, on: id)
            } else {
                close(session, .expired)
            }
        case .failure: askAgain(of: topic, session, on: id)
        }
        sendOutput(session, on: id)
    }

    private func keep(_ answer: HookRefresh, _ session: ClientSession) {
        guard let hooked = session.hooked else { return }
        hooked.unansweredSince = nil
        if let info = answer.info { setInfo(info, of: session) }
        if let meta = answer.meta { hooked.meta = meta }
        if let capabilities = answer.capabilities { hooked.use(capabilities) }
        session.machine.decideOnConnection(at: answer.expiresAt.map(instant))
    }

    private func keep(_ topic: Topic, _ answer: HookRefresh, _ session: ClientSession) {
        guard let info = session.subscriptions[topic]?.info else { return }
        session.hooked?.subscriptions[topic]?.unansweredSince = nil
        if let new = answer.info {
            session.subscriptions[topic]?.info = ClientInfo(
                user: info.user,
                client: info.client,
                connectionInfo: info.connectionInfo,
                topicInfo: new
            )
        }
        session.machine.decideOnSubscription(to: topic, at: answer.expiresAt.map(instant))
    }

    /// The time after which an application that has not answered is asked again.
    private static let pause = Duration.seconds(4)

    /// Lets a client stay for now because the application has not answered.
    private func askAgain(of topic: Topic?, _ session: ClientSession, on id: ConnectionID) {
        guard let hooked = session.hooked, let hooks = shared.hooks else { return }
        let hook =
            topic.map { rules.features(of: $0)?.hooks.subRefresh } ?? settings.hooks.refresh
        let since =
            topic.map { hooked.subscriptions[$0]?.unansweredSince } ?? hooked.unansweredSince
        let isOver = hook.map { now - (since ?? now) >= hooks.grace(of: $0) } ?? true
        let next = now + Loop.pause * (0.75 + randomShare() / 2)
        switch topic {
        case nil where isOver: close(session, .expired)
        case nil:
            hooked.unansweredSince = since ?? now
            session.machine.decideOnConnection(at: next)
        case .some(let topic) where isOver:
            endSubscription(to: topic, .expired, session, on: id)
        case .some(let topic):
            guard session.subscriptions[topic] != nil else { return }
            hooked.subscriptions[topic]?.unansweredSince = since ?? now
            session.machine.decideOnSubscription(to: topic, at: next)
        }
    }

    /// The instant of this loop's clock at which an answer of the application ends.
    package func instant(_ time: Timestamp) -> MonotonicInstant {
        Admission.instant(of: time, now: now)
    }
}
