// Loops: the loops of a hub. Each has its connections and their sessions; histories are shared.

import ClientWire
import Core
import Reactor
import Service
import Wire

/// The state of one event loop: its connections, their sessions, and the topics of its subscribers.
///
/// Each loop receives every publication through its mailbox, in commit order, and reads the
/// histories that all loops share as they were at the newest of these. So subscribing, recovering
/// and publishing wait for no other thread, and no publication can be lost between the answer to a
/// subscription and the next publication.
package actor Loop {
    package nonisolated let context: LoopContext
    package nonisolated let eventLoop: EventLoop
    package nonisolated let mailbox: Mailbox<LoopMessage>
    package var settings: LoopSettings
    package private(set) var services: LoopServices

    package var connections: Connections
    package var hub: LoopTopics
    /// By the connection's place in the loop's table.
    package var sessions: [Session] = []
    package var turn: Turn
    package var pending = PendingPublications()
    package var ending = Ending()
    package var memory: MemoryLedger
    package var admission: Admission
    package var fanOut: FanOut
    package var waiting = Waiting()

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        eventLoop.asUnownedSerialExecutor()
    }

    package init(
        index: Int,
        settings: LoopSettings,
        hub: consuming sending LoopTopics,
        rules: NamespaceRules,
        sockets: [TopicSocket] = [],
        verifier: TokenVerifier = TokenVerifier(keys: TokenKeySet(configured: [])),
        apiKeys: APIKeys = APIKeys([]),
        shared: HubShared = HubShared(),
        census: ConnectionCensus? = nil,
        reserve: DescriptorReserve = DescriptorReserve(),
        logger: Logger,
        publisher: @escaping Publisher,
        barrier: PositionBarrier? = nil,
        lister: TopicLister? = nil,
        respond: Responder? = nil
    ) throws(SystemError) {
        context = LoopContext(index: index, shared: shared, logger: logger)
        let eventLoop = try EventLoop(name: "varde-loop-\(index)", clock: settings.clock)
        self.eventLoop = eventLoop
        turn = Turn(now: eventLoop.clock.now)
        mailbox = Mailbox(loop: eventLoop, capacity: Loop.mailboxMax)
        self.settings = settings
        admission = Admission(
            verifier: verifier,
            apiKeys: apiKeys,
            rules: rules,
            sockets: sockets,
            settings: settings.access,
            context: context
        )
        memory = MemoryLedger(shared.budget)
        services = LoopServices(
            respond: respond,
            publisher: publisher,
            barrier: barrier,
            lister: lister
        )
        self.hub = hub
        fanOut = FanOut(
            deflate: settings.deflate,
            queueBytesMax: settings.connections.queueBytesMax
        )
        var limits = settings.connections
        // Sent before it exceeds the room of a slow reader, so that slowness is detected in time.
        limits.turnBytesMax = min(limits.turnBytesMax, max(1, limits.queueBytesMax / 4))
        connections = Connections(
            loop: eventLoop,
            limits: limits,
            census: census,
            reserve: reserve
        )
        shared.add(mailbox)
    }

    /// The maximum number of messages that wait for one loop. Responses are bounded by the
    /// connections, publications by the store's queue; more messages mean that the loop hangs.
    private static let mailboxMax = 1 << 20

    /// - Parameter respond: nil when the loop ends.
    package func use(_ respond: Responder?) { services.respond = respond }

    package nonisolated func start() {
        eventLoop.start { [self] readyCount in
            assumeIsolated { $0.takeTurn(readyCount) }
        }
    }

    package func listen(
        on address: SocketAddress,
        tls: TLSServer?,
        kind: ListenerKind = .public
    ) throws(SystemError) -> SocketAddress {
        try connections.listen(on: address, tls: tls, kind: kind)
    }

    package func listen(
        on listener: UnixListener,
        kind: ListenerKind
    ) throws(SystemError) {
        try connections.listen(on: listener, kind: kind)
    }

    package var connectionCount: Int { connections.count }

    package nonisolated var shared: HubShared { context.shared }
    package var rules: NamespaceRules { admission.rules }
    package nonisolated var logger: Logger { context.logger }
    /// Whether this loop counts the data that all loops share.
    package nonisolated var isFirst: Bool { context.index == 0 }

    // MARK: The turn

    /// The start of the current turn.
    package var now: MonotonicInstant { turn.now }

    package func takeTurn(_ readyCount: Int) -> MonotonicInstant? {
        turn.begin(at: eventLoop.clock.now)
        // Before any input: a client from another loop may hold a position of the mailbox.
        drainMailbox()
        for index in 0..<readyCount { handle(connections.readiness(index)) }
        waiting.endOverdue(now: now)
        endHistoryWaits()
        continuePostponed()
        while let id = connections.popDue(now: now) { handleDeadline(of: id) }
        for id in ending.takeDue(now: now) { drain(id) }
        if memory.hasInput {
            endOverdueMessages()
            giveUpInput()
        }
        finishTurn()
        if hasWorkPostponed() { return now }
        let next = Loop.earlier(connections.nextDeadline, ending.nextDeadline)
        let nextInput = Loop.earlier(memory.nextMessageDeadline, waiting.nextDeadline)
        return Loop.earlier(next, Loop.earlier(nextInput, nextCostlyWork))
    }

    /// Nil means never.
    private static func earlier(
        _ one: MonotonicInstant?,
        _ other: MonotonicInstant?
    ) -> MonotonicInstant? {
        guard let one, let other else { return one ?? other }
        return min(one, other)
    }

    private func handle(_ readiness: Readiness) {
        switch readiness {
        case .nothing: break
        case .listener(let listener): accept(from: listener)
        case .connection(let id, let isReadable, let isWritable):
            if isWritable {
                connections.resume(id)
                noteTaking(by: id)
                continueAnswer(on: id)
                resumeHeld(on: id)
            }
            if isReadable { receive(on: id) }
        }
    }

    private func receive(on id: ConnectionID) {
        switch connections.receive(id) {
        case .nothing: break
        case .bytes(let count):
            let bytes = UnsafeMutableBufferPointer(rebasing: connections.input[..<count])
            receive(bytes, on: id)
            if connections.hasEnded(id) { receiveEndOfStream(on: id) }
        case .endOfStream: receiveEndOfStream(on: id)
        }
    }

    package func receive(_ bytes: UnsafeMutableBufferPointer<UInt8>, on id: ConnectionID) {
        switch session(of: id) {
        case .none: break
        case .http(let session):
            let consumed = receiveHTTP(bytes, session, on: id)
            session.machine.keep(bytes[consumed...])
        // Its commands arrive in other requests.
        case .client(let session) where session.streamed != nil: break
        case .client(let session):
            if session.calls.isTooMuch(now: milliseconds) {
                postpone(bytes[...], of: id)
            } else {
                turn.beginWork()
                receiveClient(bytes, session, on: id)
            }
        case .echo(let session):
            turn.beginWork()
            receiveEcho(bytes, session, on: id)
        // A stream's client sends nothing more; RFC 9112 §9.3.2 allows ignoring its requests.
        case .eventStream: break
        case .socketReader(let session): receive(bytes, session, on: id)
        }
        accountForInput(of: id)
    }

    private func receiveEndOfStream(on id: ConnectionID) {
        // Over TLS, the end can arrive in one read with a Close frame, whose answer waits.
        guard !connections.isClosing(id) else { return }
        switch session(of: id) {
        // A stream that waits for its cursor ends as a running one does.
        case .http where waiting.contains(id): connections.close(id)
        case .http(let session): perform(session.machine.receiveEndOfStream(), session, on: id)
        case .client(let session):
            perform(session.machine.receiveEndOfStream(), session, on: id)
        case .socketReader(let session):
            turn.clearOutput()
            perform(session.machine.receiveEndOfStream(), on: id)
        // The last answer may still wait for room. And RFC 8446 §6.1: "Each party MUST send a
        // "close_notify" alert before closing its write side of the connection".
        case .none, .echo, .eventStream: connections.close(id)
        }
    }

    private func handleDeadline(of id: ConnectionID) {
        switch session(of: id) {
        case .none: break
        case .http(let session): handleDeadline(session, on: id)
        case .client(let session): handleDeadline(session, on: id)
        case .echo(let session): handleDeadline(session, on: id)
        case .eventStream(let session): handleDeadline(session, on: id)
        case .socketReader(let session): handleDeadline(session, on: id)
        }
    }

    private func drainMailbox() {
        var messages = turn.takeMessages()
        mailbox.drain(into: &messages)
        for message in messages {
            switch message {
            case .publications(let publications, let committed):
                turn.add(committed: committed)
                publish(publications)
            case .response(let id, let response): send(response, on: id)
            case .published(let tickets, let error): answer(tickets, error)
            case .historyRemoved(let topic, let offset): removeHistory(of: topic, through: offset)
            case .erased(let erasures): erase(erasures)
            case .forgotten(let topics): forget(topics)
            case .caughtUp(let question): waiting.answered(question)
            case .historyRead(let topic, let outcome): endRead(of: topic, outcome)
            case .hookAnswered(let id, let outcome): waiting.come(outcome, for: id)
            case .streamAnswered(let id, let answers): waiting.come(answers, for: id)
            case .refreshAnswered(let id, let place, let outcome):
                takeRefresh(outcome, of: place, on: id)
            case .presence(let topic, let info, let isJoin): announce(topic, info, isJoin: isJoin)
            case .work(let work): work.body(self)
            }
        }
        turn.keep(consume messages)
    }

    /// Sends the queues within the limits of one turn, and removes ended connections.
    private func finishTurn() {
        askBarrier()
        commitPending()
        accountForHistories()
        accountForTopics()
        connections.flush()
        accountForQueues()
        giveUpAnswers()
        continueCatchingUp()
        releaseKept()
        admission.grants.verified = nil
        turn.end(at: eventLoop.clock.now)
        while let closure = connections.takeClosure() { forget(closure.id, closure.end) }
        reportAttendance()
        ending.takeWaiter(connectionCount: connections.count)?.resume()
    }

    private func forget(_ id: ConnectionID, _ end: ConnectionEnd) {
        end.logProblem(to: logger)
        let index = Int(id.index)
        // A connection that ended before it had a session is beyond the table.
        guard index < sessions.count else { return }
        switch sessions[index] {
        case .http: memory.removeAnswer(of: id)
        case .none, .echo: break
        case .client(let session):
            endSubscriptions(session, on: id, end)
            noteDisconnect(session.logged, session.machine.disconnectCode, end)
        case .eventStream(let session):
            forget(session.reader, on: id)
            noteDeparture(of: id, session.machine.disconnectCode, end)
            noteDisconnect(session.logged, session.machine.disconnectCode, end)
        case .socketReader(let session):
            forget(session.reader, on: id)
            noteDeparture(of: id, session.machine.disconnectCode, end)
            noteDisconnect(session.logged, session.machine.disconnectCode, end)
        }
        sessions[index] = .none
        for topic in waiting.remove(id) { hub.release(topic) }
        memory.removeInput(of: id)
    }
}

/// The table of sessions, by the connection's place in the loop's table.
extension Loop {
    /// The session of an open connection; `none` after its end, when its place may belong to
    /// another one.
    package func session(of id: ConnectionID) -> Session {
        let index = Int(id.index)
        return index < sessions.count && connections.isOpen(id) ? sessions[index] : .none
    }

    /// The session at a place of the table; the hub names subscribers by place.
    package func session(at place: UInt32) -> Session {
        Int(place) < sessions.count ? sessions[Int(place)] : .none
    }

    /// The client at a place, if it is open.
    package func client(at place: UInt32) -> (id: ConnectionID, session: ClientSession)? {
        guard case .client(let session) = session(at: place), let id = connections.id(at: place)
        else { return nil }
        return (id, session)
    }

    package func setSession(_ session: Session, of id: ConnectionID) {
        while sessions.count <= Int(id.index) { sessions.append(.none) }
        sessions[Int(id.index)] = session
    }
}

extension Loop {
    /// Runs a function on the loop, within a turn, and returns its result.
    package nonisolated func perform<Value: Sendable>(
        _ body: @escaping @Sendable (isolated Loop) -> Value
    ) async -> Value {
        await withCheckedContinuation { continuation in
            let work = LoopMessage.Work { continuation.resume(returning: body($0)) }
            let isTaken = mailbox.post(.work(work))
            precondition(isTaken, "loop \(eventLoop.name) has stopped taking messages")
        }
    }
}

/// A loop that is driven by hand, on one thread with others, for simulations. Its loop is not
/// started.
extension Loop {
    /// Takes one turn; returns the latest time of the next one.
    @discardableResult
    package nonisolated func step() -> MonotonicInstant? {
        eventLoop.step { readyCount in assumeIsolated { $0.takeTurn(readyCount) } }
    }

    /// Takes over one end of a connected socket, as if it had come in through a listener.
    package nonisolated func adopt(_ descriptor: Int32) {
        eventLoop.perform { assumeIsolated { $0.open(descriptor) } }
    }

    /// Asks every client to reconnect. `openConnectionCount` is 0 when all have left.
    package nonisolated func beginDraining(spread: Duration = .zero) {
        eventLoop.perform { assumeIsolated { $0.beginDrain(spread: spread) } }
    }

    /// The length of the longest queue of its connections.
    package nonisolated func queuedBytesMax() -> Int {
        eventLoop.perform {
            assumeIsolated { $0.longestQueue() }
        }
    }

    /// The number of connections that have not ended.
    package nonisolated func openConnectionCount() -> Int {
        eventLoop.perform { assumeIsolated { $0.connectionCount } }
    }

    /// The number of subscribers of a topic.
    package nonisolated func subscriberCount(of topic: Topic) -> Int {
        eventLoop.perform { assumeIsolated { $0.hub.subscriberCount(of: topic) } }
    }

    private func longestQueue() -> Int {
        var longest = 0
        for id in connections.openConnections() {
            longest = max(longest, connections.queuedBytes(id))
        }
        return longest
    }

    private func open(_ descriptor: Int32) {
        turn.begin(at: eventLoop.clock.now)
        let id = connections.adopt(descriptor)
        setSession(.http(HTTPSession(limits: settings.http)), of: id)
        connections.setDeadline(now + settings.requestTimeout, on: id)
    }
}

extension Loop {
    /// The counters as of now; connections are counted by kind in one pass over the table.
    package func snapshot() -> LoopCounters {
        for id in connections.openConnections() {
            turn.counters.queueBytes.add(connections.queuedBytes(id))
        }
        var counters = turn.counters
        counters.connections = connections.snapshot()
        counters.tokensRefused = admission.counts.tokensRefused
        counters.pagesRefused = admission.counts.pagesRefused
        counters.bounds[.connections] = counters.connections.refusedConnectionsMax
        counters.bounds[.connectionsPerAddress] = counters.connections.refusedPerAddressMax
        counters.bounds[.descriptors] =
            counters.connections.refusedDescriptors + counters.connections.acceptPauses
        counters.bounds[.queueBytes] = counters.connections.queueOverflows
        counters.bounds[.userTimeout] = counters.connections.timedOut
        counters.bounds[.stallTimeout] += counters.connections.stalled
        counters.bounds[.turnWrites] = counters.connections.turnsSplit
        counters.open.sockets = Dictionary(
            uniqueKeysWithValues: admission.sockets.map { ($0.name, 0) }
        )
        for (place, session) in sessions.enumerated() {
            // A connection over a limit waits only for its refusal.
            guard let id = connections.id(at: UInt32(place)), !connections.isOverLimit(id) else {
                continue
            }
            counters.open.count(session)
        }
        counters.subscriptions = hub.subscriptionCount
        counters.topics = hub.topicCount
        counters.draining = isDraining ? connections.count : 0
        return counters
    }

    /// Counts a refused subscription if it exceeded a bound.
    package func count(_ error: SubscribeError) {
        switch error {
        case .tooManyTopics: turn.counters.bounds[.unpublishedTopics] += 1
        case .unknownTopic, .alreadySubscribed, .unrecoverablePosition: break
        }
    }

    /// Takes a sample. Only one caller may do so: the longest turn is reset.
    package func takeSample() -> LoopSample {
        LoopSample(
            taking: &turn,
            hub,
            connections,
            sessions,
            queueBytesMax: settings.connections.queueBytesMax
        )
    }
}

extension Loop {
    package func logConnect(_ client: LoggedClient, _ more: Logger.Metadata = [:]) {
        client.logConnect(node: settings.node, more, to: logger)
    }

    /// Counts and logs the end of a client.
    ///
    /// - Parameter code: the hub's reason for ending the connection, if the hub ended it.
    package func noteDisconnect(
        _ client: LoggedClient,
        _ code: DisconnectCode?,
        _ end: ConnectionEnd
    ) {
        // A full queue has no room for the code, which is still the reason.
        let code = code ?? (end == .queueOverflow ? .slow : nil)
        turn.counters.disconnects[DisconnectCause(code, end), default: 0] += 1
        client.logDisconnect(code, end, node: settings.node, now: now, to: logger)
    }
}

/// The shutdown: clients are asked to reconnect, spread over time by `DrainPlan`.
extension Loop {
    package var isDraining: Bool { ending.hasBegun }

    /// Stops accepting, asks every client to reconnect, and returns when all have left.
    ///
    /// - Parameter spread: the time over which the clients are notified.
    package func drain(spread: Duration) async {
        beginDrain(spread: spread)
        guard connections.count > 0 else { return }
        eventLoop.wake()
        await withCheckedContinuation { ending.wait($0) }
    }

    package func beginDrain(spread: Duration) {
        connections.stopListening()
        var order = connections.openConnections()
        var chance = Chance(bytes: settings.random)
        order.shuffle(using: &chance)
        ending.begin(order, spread: spread, now: eventLoop.clock.now)
    }

    /// Ends the remaining connections at once.
    package func cut() {
        for id in connections.openConnections() { connections.abort(id) }
        eventLoop.wake()
    }

    package func drain(_ id: ConnectionID) {
        switch session(of: id) {
        case .none: break
        // A stream that waits for its cursor: without an answer, the reader reconnects.
        case .http where waiting.contains(id): connections.close(id)
        case .http(let session): perform(session.machine.drain(), session, on: id)
        case .echo: connections.close(id)
        case .client, .eventStream, .socketReader: disconnect(id, .shutdown)
        }
    }
}
