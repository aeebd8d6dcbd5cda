import ClientWire
import Reactor
import Service
import Store
import Wire

/// Commands about which the application decides.
///
/// Such a command waits, with the input after it, until the application has answered, as one whose history is
/// not here: so the commands of a client keep their order, and no loop waits. Then it is carried out with the
/// answer (`Grants.answer`). Without hooks each command costs one comparison.
extension Loop {
    /// The number of connect commands of one connection about which the application is asked. SDKs open another
    /// connection after a refusal.
    private static let connectQuestionsMax = 8

    /// The questions of one stream that are open at the same time. Otherwise some requests for a hundred topics
    /// would fill the queue of a hook.
    private static let streamQuestionsMax = 8

    // MARK: Asking

    /// Asks the application about a command, which then waits with the rest of its frame. Returns false if it
    /// need not be asked, or has answered.
    package func asks(
        about action: SessionAction,
        with actions: ArraySlice<SessionAction>,
        _ session: ClientSession,
        on id: ConnectionID
    ) -> Bool {
        guard let hooks = shared.hooks, admission.grants.answer == nil,
            let (hook, subject) = admission.question(about: action, session)
        else { return false }
        if case .connect = action, let hooked = session.hooked {
            guard hooked.connectQuestions < Loop.connectQuestionsMax else {
                close(session, .tooManyRequests)
                return true
            }
            hooked.connectQuestions += 1
            // From its start, so that a client that connects again and again has no more time than others.
            let end = session.start + hooks.limit(of: hook) + settings.client.connectDeadline
            session.machine.extendConnect(until: end)
        }
        waitForAnswer(with: actions, on: id)
        ask(subject, of: hook, session, hooks) { .hookAnswered(id, $0) }
        return true
    }

    /// Asks the application to publish to a topic without publications, before a client subscribes with
    /// recovery. Returns false if it need not be asked, or has answered.
    package func asksToFill(
        _ action: SessionAction,
        with actions: ArraySlice<SessionAction>,
        _ session: ClientSession,
        on id: ConnectionID
    ) -> Bool {
        guard let hooks = shared.hooks, !admission.grants.hasAskedToFill,
            case .subscribe(let request) = action, request.recovers,
            let hook = rules.features(of: request.topic)?.hooks.cacheEmpty,
            session.subscriptions[request.topic] == nil,
            // One in the store counts as empty here, and has publications.
            !hub.isElsewhere(request.topic), hub.history(of: request.topic)?.count ?? 0 == 0,
            admission.maySubscribe(request, session)
        else { return false }
        admission.grants.hasAskedToFill = true
        waitForAnswer(with: actions, on: id)
        ask(HookQuestion(.cacheEmpty(request.topic), of: nil), of: hook, hooks) {
            .hookAnswered(id, $0)
        }
        return true
    }

    private func waitForAnswer(with actions: ArraySlice<SessionAction>, on id: ConnectionID) {
        var input = WaitingInput(actions: actions, waitedFor: .hook)
        admission.moveGrants(to: &input)
        waiting.wait(input, of: id)
        connections.setReading(false, on: id)
    }

    private func ask(
        _ subject: HookQuestion.Subject,
        of hook: String,
        _ session: ClientSession,
        _ hooks: any ClientHooks,
        _ message: @escaping @Sendable (HookOutcome) -> LoopMessage
    ) {
        let client = HookClient(
            id: session.id,
            transport: session.streamed?.framing.transport ?? "websocket",
            protocolName: session.encoding == .json ? "json" : "protobuf",
            user: session.identity.user,
            meta: session.hooked?.meta
        )
        let question = HookQuestion(subject, of: client, headers: session.hooked?.headers ?? [])
        ask(question, of: hook, hooks, message)
    }

    private func ask(
        _ question: HookQuestion,
        of hook: String,
        _ hooks: any ClientHooks,
        _ message: @escaping @Sendable (HookOutcome) -> LoopMessage
    ) {
        hooks.ask(question, of: hook) { [mailbox, logger] outcome in
            guard !mailbox.post(message(outcome)) else { return }
            logger.error(
                "answer of a hook lost: the mailbox of its loop is full",
                metadata: ["hook": "\(hook)"],
                source: LogSource.peer
            )
        }
    }

    // MARK: Answers

    /// Whether a command ends with the answer of the application: it was refused, or there is none.
    package func isRefused(
        _ action: SessionAction,
        _ session: ClientSession,
        on id: ConnectionID
    ) -> Bool {
        let error: ProtocolError
        switch admission.grants.answer {
        case nil: return false
        case .failure: error = .internalError
        case .success(.error(let refusal)):
            error = ProtocolError(
                ofApplication: refusal.code,
                refusal.message,
                isTemporary: refusal.isTemporary
            )
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
                at: hub.position(of: request.topic).offset
            )
            refuse(action, error, session)
        default: refuse(action, error, session)
        }
        return true
    }

    // MARK: Readers of streams

    /// Asks the application about the request of a stream, which then waits with the input after it: first who
    /// the reader is, then about its topics, a few at a time, until one is refused. Returns false if nothing is
    /// left to ask.
    package func asks(
        about topics: [Topic],
        _ credentials: ReaderCredentials,
        _ head: HTTPRequestHead,
        keeping rest: [UInt8],
        on id: ConnectionID
    ) throws(ReaderRefusal) -> Bool {
        let questions = admission.questions(about: topics, credentials).prefix(
            Loop.streamQuestionsMax
        )
        guard !questions.isEmpty else { return false }
        guard let hooks = shared.hooks else { throw .temporary("no application can be asked") }
        let answers =
            admission.grants.stream ?? StreamAnswers(id: uuidVersion4(settings.random(16)))
        var input = WaitingInput(bytes: WaitingBytes(rest), waitedFor: .hook)
        admission.moveGrants(to: &input)
        waiting.wait(input, of: id)
        connections.setReading(false, on: id)
        connections.setDeadline(nil, on: id)
        let client = HookClient(
            id: answers.id,
            transport: head.isUpgrade(to: "websocket") ? "cloudevents" : "uni_sse",
            protocolName: "json",
            user: credentials.claims?.user ?? "",
            meta: credentials.claims?.meta
        )
        let fields = admission.forwardedFields(of: head, hooks)
        hooks.ask(Array(questions), of: client, headers: fields, answers) { [mailbox] answered in
            _ = mailbox.post(.streamAnswered(id, answered))
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
