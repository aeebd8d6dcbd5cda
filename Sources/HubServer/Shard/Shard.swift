import ClientWire
import HTTPWire
import Logging
import PubSub
import Reactor
import WebSocketWire

/// Everything that lives on one event loop: its connections, their sessions, and a hub of its own.
///
/// Each shard holds the history of every topic and gets every publication through its mailbox, in
/// commit order. So subscribing, recovering and publishing need no other thread: between the answer to
/// a subscription and the next publication nothing can slip in.
package actor Shard {
    package nonisolated let loop: EventLoop
    package nonisolated let mailbox: Mailbox<ShardMessage>
    let settings: ShardSettings
    let respond: Responder
    let access: TopicAccess
    let publisher: Publisher
    let logger: Logger

    var connections: Connections
    var hub: Hub
    /// By the connection's place in the loop's table.
    var sessions: [Session] = []
    /// When the turn under way began.
    var now = MonotonicInstant.now
    /// Frames of one connection on their way into its queue; kept for its storage.
    var output: [UInt8] = []
    /// One message on its way into `output`; kept for its storage.
    var text: [UInt8] = []
    var pending = PendingPublications()
    let deflatePool: DeflatePool
    /// Nil until the end of the hub begins.
    private var drainPlan: DrainPlan?
    var counters = ShardCounters()
    var refusalsToTell = RefusalLog()
    private var batch: [ShardMessage] = []
    private var drained: CheckedContinuation<Void, Never>?

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        loop.asUnownedSerialExecutor()
    }

    package init(
        index: Int,
        settings: ShardSettings,
        hub: consuming sending Hub,
        access: TopicAccess,
        census: ConnectionCensus? = nil,
        reserve: DescriptorReserve = DescriptorReserve(),
        logger: Logger,
        publisher: @escaping Publisher,
        respond: @escaping Responder
    ) throws(SystemError) {
        let loop = try EventLoop(name: "varde-loop-\(index)")
        self.loop = loop
        mailbox = Mailbox(loop: loop, capacity: Shard.mailboxMax)
        self.settings = settings
        self.access = access
        self.publisher = publisher
        self.logger = logger
        self.respond = respond
        self.hub = hub
        deflatePool = DeflatePool(settings: settings.deflate ?? DeflateSettings())
        connections = Connections(
            loop: loop,
            limits: settings.connections,
            census: census,
            reserve: reserve
        )
    }

    /// Messages that wait for one loop. Responses are bounded by the connections, publications by the
    /// store's queue; more than this means that the loop hangs.
    private static let mailboxMax = 1 << 20
    /// Room for so many is kept from turn to turn; what a loop that hung has piled up is given back.
    private static let batchKept = 4096

    package nonisolated func start() {
        loop.start { [self] readyCount in
            assumeIsolated { $0.turn(readyCount) }
        }
    }

    package func listen(
        on address: SocketAddress,
        tls: TLSServer?
    ) throws(SystemError) -> SocketAddress {
        try connections.listen(on: address, tls: tls)
    }

    package var connectionCount: Int { connections.count }

    // MARK: The turn

    private func turn(_ readyCount: Int) -> MonotonicInstant? {
        now = .now
        // Before any input: a client that comes from another loop may hold a position that is in the mailbox.
        drainMailbox()
        for index in 0..<readyCount { handle(connections.readiness(index)) }
        while let id = connections.popDue(now: now) { handleDeadline(of: id) }
        for id in drainPlan?.takeDue(now: now) ?? [] { drain(id) }
        finishTurn()
        return [connections.nextDeadline, drainPlan?.next].compactMap(\.self).min()
    }

    private func handle(_ readiness: Readiness) {
        switch readiness {
        case .nothing: break
        case .listener(let listener): accept(from: listener)
        case .connection(let id, let isReadable, let isWritable):
            if isWritable {
                connections.resume(id)
                continueAnswer(on: id)
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

    func receive(_ bytes: UnsafeMutableBufferPointer<UInt8>, on id: ConnectionID) {
        switch session(of: id) {
        case .none: break
        case .http(let session): receiveHTTP(bytes, session, on: id)
        case .client(let session): receiveClient(bytes, session, on: id)
        case .echo(let session): receiveEcho(bytes, session, on: id)
        // A stream's client has nothing more to say; RFC 9112 §9.3.2 lets a server ignore what it pipelines.
        case .eventStream: break
        }
    }

    private func receiveEndOfStream(on id: ConnectionID) {
        switch session(of: id) {
        case .http(let session) where session.isAnswering:
            // Half-closed: the peer still wants its answer.
            session.hasPeerEnded = true
        case .client(let session): receiveEndOfStream(session, on: id)
        // The last answer may still wait for room.
        case .none, .http: connections.close(id)
        case .echo, .eventStream: connections.abort(id)
        }
    }

    private func handleDeadline(of id: ConnectionID) {
        switch session(of: id) {
        case .none: break
        case .http(let session): handleDeadline(session, on: id)
        case .client(let session): handleDeadline(session, on: id)
        case .echo(let session): handleDeadline(session, on: id)
        case .eventStream(let session): handleDeadline(session, on: id)
        }
    }

    private func drainMailbox() {
        mailbox.drain(into: &batch)
        for message in batch {
            switch message {
            case .publications(let publications): publish(publications)
            case .response(let id, let response): send(response, on: id)
            case .published(let tickets, let error): answer(tickets, error)
            }
        }
        batch.removeAll(keepingCapacity: batch.capacity <= Shard.batchKept)
    }

    /// Sends what is queued, as far as one turn goes, and forgets what has ended.
    private func finishTurn() {
        commitPending()
        connections.flush()
        while let closure = connections.takeClosure() { forget(closure.id, closure.end) }
        if isDraining, connections.count == 0 {
            drained?.resume()
            drained = nil
        }
    }

    private func forget(_ id: ConnectionID, _ end: ConnectionEnd) {
        // At debug level: anyone who scans ports can cause it.
        if case .tlsFailed(let reason) = end {
            logger.debug("tls failed", metadata: ["reason": "\(reason)"])
        }
        let index = Int(id.index)
        // One that ended before it had a session is beyond the table.
        guard index < sessions.count else { return }
        switch sessions[index] {
        case .none, .http, .echo: break
        case .client(let session):
            hub.removeSubscriber(Int32(id.index))
            logDisconnect(session.id, "websocket", session.start, end, session.disconnect)
        case .eventStream(let session):
            hub.removeSubscriber(Int32(id.index))
            logDisconnect(session.id, "eventstream", session.start, end, nil)
        }
        sessions[index] = .none
    }

    private func logDisconnect(
        _ client: String,
        _ transport: String,
        _ start: MonotonicInstant,
        _ end: ConnectionEnd,
        _ code: DisconnectCode?
    ) {
        let milliseconds = (now.nanoseconds - start.nanoseconds) / 1_000_000
        logger.info(
            "client disconnected",
            metadata: [
                "client": "\(client)", "transport": "\(transport)",
                "duration_ms": "\(milliseconds)",
                "code": "\(code?.code ?? 0)", "reason": "\(code?.reason ?? end.text)",
            ]
        )
    }

    // MARK: Sessions

    /// The session of an open connection. One that has ended has none: its place may be another's.
    func session(of id: ConnectionID) -> Session {
        let index = Int(id.index)
        return index < sessions.count && connections.isOpen(id) ? sessions[index] : .none
    }

    func setSession(_ session: Session, of id: ConnectionID) {
        while sessions.count <= Int(id.index) { sessions.append(.none) }
        sessions[Int(id.index)] = session
    }

    // MARK: Shutdown

    var isDraining: Bool { drainPlan != nil }

    /// Stops accepting, tells every client to come back, and returns when all are gone.
    ///
    /// - Parameter spread: over what time the clients are told.
    package func drain(spread: Duration) async {
        connections.stopListening()
        var order = connections.openConnections()
        order.shuffle()
        drainPlan = DrainPlan(order, spread: spread, now: .now)
        guard connections.count > 0 else { return }
        loop.wake()
        await withCheckedContinuation { drained = $0 }
    }

    /// Ends what is still there, at once.
    package func cut() {
        for id in connections.openConnections() { connections.abort(id) }
        loop.wake()
    }

    private func drain(_ id: ConnectionID) {
        switch session(of: id) {
        case .none: break
        case .http(let session): if !session.isAnswering { connections.close(id) }
        case .client(let session): disconnect(session, .shutdown, on: id)
        case .echo: connections.close(id)
        case .eventStream: endStream(on: id)
        }
    }
}

extension ConnectionEnd {
    /// For the log.
    var text: String {
        switch self {
        case .closed: "closed"
        case .broken: "connection lost"
        case .queueOverflow: "slow"
        case .tlsFailed(let text): text
        }
    }
}
