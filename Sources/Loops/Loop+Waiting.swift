import ClientWire
import Reactor
import Service
import Store
import Wire

/// Few bytes can request very much: pages of history, compressed messages that inflate to a
/// thousand times their length. So the work that a turn does for one client is bounded. The rest
/// continues in later turns, for one client in each, after all other clients with input; until it
/// is finished, the hub reads no more from the client. A client whose calls have cost too much is
/// served only in later turns, so many such clients delay the others no more than one does. The
/// calls of all clients together have a share of the loop's time, and so does their compressed
/// input (`RecentWork`).
///
/// Commands of a client are answered as fast as it reads the answers. Otherwise the publications
/// that it has missed would disconnect a client that returns to many topics over a slow network,
/// and it would request them again.
extension Loop {
    package var isWorkDone: Bool { turn.workBytes > settings.turnWorkBytesMax }

    /// The bytes that a client may inflate in a turn even if the loop has inflated too much.
    /// Commands are shorter.
    private static let inflatedAnyway = 8 << 10

    /// Counts the inflated bytes of a piece of a client's input.
    package func countInflated(_ bytes: Int) {
        guard bytes > 0 else { return }
        turn.countWork(bytes)
        waiting.costs.inflating.add(bytes, now: milliseconds)
    }

    /// Whether the current client must wait with its compressed input.
    package var hasInflatedTooMuch: Bool {
        turn.workBytes > Loop.inflatedAnyway && waiting.costs.inflating.isTooMuch(now: milliseconds)
    }

    /// Postpones the remaining commands of a frame to a later turn.
    package func postpone(_ actions: ArraySlice<SessionAction>, of id: ConnectionID) {
        if waiting.postpone(actions, of: id) { noteWaiting(id) }
    }

    /// Postpones the input after a frame to a later turn.
    package func postpone(
        _ bytes: UnsafeMutableBufferPointer<UInt8>.SubSequence,
        of id: ConnectionID
    ) {
        if waiting.postpone(bytes, of: id) { noteWaiting(id) }
    }

    private func noteWaiting(_ id: ConnectionID) {
        turn.counters.bounds[.turnWork] += 1
        connections.setReading(false, on: id)
    }

    /// The reason why a postponed client cannot continue; nil if it can.
    private func obstacle(
        of id: ConnectionID,
        with input: WaitingInput,
        _ allowance: PostponedOrder.Allowance
    ) -> PostponedOrder.Obstacle? {
        guard case .client(let session) = session(of: id) else { return nil }
        if !hasRoom(id) { return .room }
        if !allowance.calls, mayCall(session, input) { return .calls }
        if !allowance.inflating, mayInflate(session, input) { return .inflating }
        return nil
    }

    /// Whether the queue of a postponed client has room for answers.
    private func hasRoom(_ id: ConnectionID) -> Bool {
        connections.queuedBytes(id) <= settings.connections.queueBytesMax / 2
    }

    /// Whether the input of a postponed client continues with compressed bytes.
    private func mayInflate(_ session: ClientSession, _ input: WaitingInput) -> Bool {
        guard let next = input.bytes.first else { return false }
        return session.machine.mayInflate(next)
    }

    /// Whether the input of a postponed client continues with a call. If the client has called too
    /// much, it is assumed to.
    private func mayCall(_ session: ClientSession, _ input: WaitingInput) -> Bool {
        if case .rpc = input.actions.first { return true }
        return session.calls.isTooMuch(now: milliseconds)
    }

    /// The time at which the first costly work may continue; nil if no work has to wait for that.
    package var nextCostlyWork: MonotonicInstant? {
        waiting.nextCostlyWork(now: milliseconds).map { MonotonicInstant(milliseconds: $0) }
    }

    /// Whether a client waits only for the next turn.
    package func hasWorkPostponed() -> Bool {
        guard !waiting.isEmpty else { return false }
        let allowance = waiting.allowance(now: milliseconds)
        return waiting.hasNext(allowance) { obstacle(of: $0, with: $1, allowance) }
    }

    /// Notes that a client reads: its input may continue. It is also a sign of life, because its answer
    /// to a ping is not read while its input waits.
    package func noteTaking(by id: ConnectionID) {
        guard waiting.contains(id), case .client(let session) = session(of: id) else { return }
        session.machine.receiveSignOfLife()
        if hasRoom(id) { waiting.roomCame(id) }
    }

    /// Continues with the client that has waited longest.
    package func continuePostponed() {
        guard !waiting.isEmpty else { return }
        let allowance = waiting.allowance(now: milliseconds)
        let next = waiting.takeNext(allowance) { obstacle(of: $0, with: $1, allowance) }
        guard let (id, input, historyWork) = next else { return }
        turn.beginWork()
        resume(input, on: id)
        if let historyWork { finishHistoryWork(historyWork) }
        if !waiting.contains(id) { connections.setReading(true, on: id) }
        accountForInput(of: id)
    }

    private func resume(_ waited: consuming WaitingInput, on id: ConnectionID) {
        var input = waited
        var bytes = input.bytes
        input.bytes = WaitingBytes()
        admission.takeGrants(of: input)
        defer { admission.dropAnswers() }
        switch session(of: id) {
        case .client(let session):
            turn.clearOutput()
            resumeCommands(&input, session, on: id)
            bytes.read { readClient($0, session, on: id) }
        case .echo(let session):
            bytes.read { readEcho($0, session, on: id) }
        case .http(let session):
            bytes.read {
                openStream($0, session, waitedFor: input.waitedFor, input.hasFailed, on: id)
                return $0.count
            }
        case .none, .eventStream, .socketReader: return
        }
        if !bytes.isEmpty, waiting.postpone(bytes, of: id) { noteWaiting(id) }
    }

    private func resumeCommands(
        _ input: inout WaitingInput,
        _ session: ClientSession,
        on id: ConnectionID
    ) {
        if input.waitedFor == .position { noteWait(for: input.actions.first, session) }
        if input.hasFailed, session.machine.isOpen, let action = input.actions.popFirst() {
            input.waitedFor = nil
            admission.grants.answer = nil
            if case .connect = action {
                refuse(.internalError, session, on: id)
            } else {
                refuse(action, .internalError, session)
            }
        }
        // Answers after a Close frame are not read. The input is read on for the peer's Close
        // frame.
        if session.machine.isOpen {
            perform(input.actions, session, waitedFor: input.waitedFor, on: id)
        }
        sendOutput(session, on: id)
    }
}

/// Clients that need histories from the store.
///
/// The command of a client, or the request of a stream, is postponed with the input after it, as if it
/// were ahead, until the histories of its topics are in memory. A slow reader that
/// catches up waits in the same way. No loop waits for the store.
extension Loop {
    /// The maximum time to wait. The store answers in milliseconds, so a longer time means that it is
    /// overloaded or fails; the client receives a temporary error and comes back.
    package static let historyWaitMax = Duration.seconds(10)

    // MARK: Needs

    /// The topics whose histories a command needs and that are not here. A client that may not read a topic
    /// needs none.
    private func missingTopics(for action: SessionAction, _ session: ClientSession) -> [Topic] {
        switch action {
        case .connect(_, let request): return missingTopics(for: request)
        case .subscribe(let request):
            let topic = request.topic
            guard hub.mustRequest(topic), !hub.knowsPosition(of: topic, enoughFor: request.since),
                admission.maySubscribe(request, session)
            else { return [] }
            return [topic]
        case .history(let request):
            return admission.may(.history, request.topic, session) && hub.mustRequest(request.topic)
                ? [request.topic] : []
        case .rpc(let request):
            guard request.method == "hub.explain",
                let topic = ExplainRecord.place(in: request.data)?.topic,
                hub.mustRequest(topic), admission.mayRead(topic, session)
            else { return [] }
            return [topic]
        case .unsubscribe, .publish, .presence, .presenceStats, .send, .refresh, .subRefresh,
            .connectionExpired, .subscriptionExpired, .reply, .tooManySubscriptions, .ping,
            .disconnect:
            return []
        }
    }

    /// All topics that a token subscribes to, if one of them is not here: those that are here must stay.
    private func missingTopics(for request: ConnectRequest) -> [Topic] {
        let topics = admission.grantedTopics(of: request)
        return topics.contains { hub.mustRequest($0) } ? topics : []
    }

    // MARK: Waiting

    /// Postpones a command that needs something from the store, and the rest of its frame. Returns false
    /// if it needs nothing.
    ///
    /// - Parameter actions: the command and the rest.
    package func waits(
        for action: SessionAction,
        with actions: ArraySlice<SessionAction>,
        _ session: ClientSession,
        on id: ConnectionID
    ) -> Bool {
        guard hub.histories.isBacked else { return false }
        let topics = missingTopics(for: action, session)
        guard !topics.isEmpty else { return waits(forList: actions, on: id) }
        wait(
            for: topics,
            with: WaitingInput(actions: actions, waitedFor: .histories),
            on: id
        )
        return true
    }

    /// Postpones the request of a stream that needs histories or is ahead, and the input after it. Returns
    /// false if it is neither.
    package func waits(
        for wish: StreamWish,
        keeping rest: [UInt8],
        _ waitedFor: WaitingInput.Reason?,
        on id: ConnectionID
    ) -> Bool {
        if wish.topics.contains(where: { hub.mustRequest($0) }) {
            let input = WaitingInput(bytes: WaitingBytes(rest), waitedFor: .histories)
            wait(for: wish.topics, with: input, on: id)
            connections.setDeadline(nil, on: id)
            return true
        }
        guard waitedFor != .position, mustWait(for: wish) else { return false }
        waitWithRequest(keeping: rest, on: id)
        return true
    }

    private func wait(for topics: [Topic], with input: WaitingInput, on id: ConnectionID) {
        turn.counters.historyWaits += 1
        var input = input
        admission.moveGrants(to: &input)
        waiting.wait(input, of: id)
        connections.setReading(false, on: id)
        let body: @Sendable (isolated Loop, Bool) -> Void = { $0.waiting.come(id, hasFailed: $1) }
        begin(HistoryQueue.Work(body: body, input: id), needing: topics)
    }

    /// Does work when the histories of topics are here: at once, or later.
    package func withHistories(
        of topics: [Topic],
        _ body: @escaping @Sendable (isolated Loop, _ hasFailed: Bool) -> Void
    ) {
        guard topics.contains(where: { hub.mustRequest($0) }) else { return body(self, false) }
        begin(HistoryQueue.Work(body: body), needing: topics)
    }

    private func begin(_ work: HistoryQueue.Work, needing topics: [Topic]) {
        // In an order that does not change from run to run.
        let topics = topics.sorted { $0.name < $1.name }
        let waits = topics.map { (topic: $0, wait: hub.request($0)) }
        guard waits.contains(where: { $0.wait != nil }) else {
            // They have come this moment.
            work.body(self, false)
            return releaseUnneeded(topics)
        }
        waiting.add(work, needing: waits, until: now + Loop.historyWaitMax)
    }

    // MARK: Continuing

    /// Takes the end of a read.
    package func endRead(of topic: Topic, _ outcome: HistoryReadEnd.Outcome) {
        carryOut(waiting.endRead(of: topic, outcome, at: hub.newestCursor))
        // All that have waited for it may have gone.
        releaseUnneeded([topic])
    }

    /// Continues with work whose histories this loop has reached, or that has waited too long.
    package func endHistoryWaits() {
        guard waiting.historyWorkCount > 0 else { return }
        carryOut(waiting.advance(to: hub.newestCursor))
        carryOut(waiting.takeOverdue(now: now))
    }

    private func carryOut(_ ready: [HistoryQueue.Ready]) {
        for (work, hasFailed, over) in ready {
            work.body(self, hasFailed)
            if let over { finishHistoryWork(over) }
        }
    }

    /// Releases the histories of finished work.
    package func finishHistoryWork(_ number: HistoryWaits.Number) {
        for topic in waiting.finish(number) { hub.release(topic) }
    }

    /// Releases the histories that were kept in this turn to be read.
    package func releaseKept() { releaseUnneeded(hub.takeKept()) }

    private func releaseUnneeded(_ topics: [Topic]) {
        for topic in topics where !waiting.needs(topic) { hub.release(topic) }
    }

    // MARK: Slow readers

    /// Whether a slow reader has to wait for histories before it catches up.
    package func waits(toCatchUp topics: [Topic], on id: ConnectionID) -> Bool {
        guard hub.histories.isBacked else { return false }
        guard !waiting.hasReader(id) else { return true }
        guard topics.contains(where: { hub.mustRequest($0) }) else { return false }
        waiting.addReader(id)
        withHistories(of: topics) { loop, hasFailed in
            loop.waiting.removeReader(id)
            guard loop.connections.isOpen(id) else { return }
            if hasFailed { loop.disconnect(id, .serverError) } else { loop.resumeHeld(on: id) }
        }
        return true
    }
}

/// Clients whose positions are ahead of this node.
///
/// Nodes that share a store receive every publication in commit order, but one can be some
/// milliseconds behind another. The hub of a client that comes from another node would report a gap
/// although the client misses nothing. So the command or the stream waits: it is postponed, with
/// the input after it, until the node has caught up with everything that was committed before
/// (`PositionBarrier`). Then it is carried out as if it had just arrived. If the barrier does not
/// answer in time, or the position is ahead even then, the client receives the gap.
///
/// A hub that is the only node of its store has no barrier, and nothing waits.
extension Loop {
    /// The maximum time that a command or a stream waits. The store is close to the hub, so a
    /// longer time means that it cannot be reached.
    package static let positionWaitMax = Duration.seconds(2)

    // MARK: Who waits

    /// Whether a command must wait. Only clients that may read a topic may notice how far it is,
    /// so no other client waits.
    package func mustWait(for action: SessionAction, _ session: ClientSession) -> Bool {
        guard services.barrier != nil, !session.hasWaitedInVain else { return false }
        switch action {
        case .connect(_, let request): return mustWait(for: request)
        case .subscribe(let request):
            return isAhead(request.since, of: request.topic)
                && admission.maySubscribe(request, session)
        case .history(let request):
            return isAhead(request.needed, of: request.topic)
                && admission.may(.history, request.topic, session)
        case .unsubscribe, .publish, .presence, .presenceStats, .rpc, .send, .refresh, .subRefresh,
            .connectionExpired, .subscriptionExpired, .reply, .tooManySubscriptions, .ping,
            .disconnect:
            return false
        }
    }

    /// Whether the positions of a connect command are ahead: those in the topics of its token.
    private func mustWait(for request: ConnectRequest) -> Bool {
        let topics = request.subscriptions.filter { isAhead($1.since, of: $0) }.keys
        guard !topics.isEmpty else { return false }
        return admission.grantedTopics(of: request).contains { topics.contains($0) }
    }

    private func isAhead(_ position: Position?, of topic: Topic) -> Bool {
        position.map { hub.isAhead($0, of: topic) } ?? false
    }

    /// Whether the stream of an authorized reader must wait.
    package func mustWait(for wish: StreamWish) -> Bool {
        guard services.barrier != nil, let cursor = wish.afterCursor else { return false }
        return hub.isAhead(cursor: cursor)
    }

    // MARK: Waiting

    /// Postpones a command that must wait, and the rest of its frame.
    package func wait(with actions: ArraySlice<SessionAction>, on id: ConnectionID) {
        beginWaiting(WaitingInput(actions: actions, waitedFor: .position), on: id)
    }

    /// Postpones the request of a stream that must wait, and the input after it.
    package func waitWithRequest(keeping rest: [UInt8], on id: ConnectionID) {
        beginWaiting(WaitingInput(bytes: WaitingBytes(rest), waitedFor: .position), on: id)
        connections.setDeadline(nil, on: id)
    }

    private func beginWaiting(_ input: WaitingInput, on id: ConnectionID) {
        turn.counters.positionWaits += 1
        var input = input
        admission.moveGrants(to: &input)
        waiting.wait(input, of: id, forPositionUntil: now + Loop.positionWaitMax)
        connections.setReading(false, on: id)
    }

    /// Asks the barrier once for all connections that have begun to wait. Call it at the end of a
    /// turn.
    package func askBarrier() {
        guard let barrier = services.barrier, let question = waiting.nextQuestion() else { return }
        // If the loop accepts no message, the connections wait until their deadline.
        barrier { [mailbox] in _ = mailbox.post(.caughtUp(question: question)) }
    }

    // MARK: Continuing

    /// Records whether a client has waited in vain. Such a client does not wait again: otherwise
    /// each of its subscriptions would wait while the store cannot be reached.
    package func noteWait(for action: SessionAction?, _ session: ClientSession) {
        guard let action else { return }
        session.hasWaitedInVain = mustWait(for: action, session)
    }

    /// Opens the stream of a request that has waited.
    package func openStream(
        _ rest: UnsafeMutableBufferPointer<UInt8>,
        _ session: HTTPSession,
        waitedFor: WaitingInput.Reason?,
        _ hasFailed: Bool,
        on id: ConnectionID
    ) {
        guard let head = session.machine.head, !connections.isClosing(id) else { return }
        if hasFailed {
            refuse(.historyUnavailable, answering: head, on: id)
        } else if head.isUpgrade(to: "websocket") {
            openCloudEvents(head, rest: rest, waitedFor: waitedFor, on: id)
        } else {
            openEventStream(head, waitedFor: waitedFor, on: id)
        }
    }
}

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

    func ask(
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
}
