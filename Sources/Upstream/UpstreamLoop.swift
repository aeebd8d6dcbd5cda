import HeapModule
import Reactor
import Synchronization

/// The event loop of outgoing requests: their connections, their deadlines, and the waiting
/// requests.
///
/// It has a separate thread, so that outgoing requests, however many, do not delay the loops that
/// serve clients.
package actor UpstreamLoop {
    enum Message: Sendable {
        case begin(Exchange)
        case cancel(Exchange)
        case resolved(Exchange, Result<[SocketAddress], NameResolutionError>)
        case forget(UpstreamProfile)
    }

    private struct Alarm: Comparable {
        let instant: MonotonicInstant
        let exchange: ObjectIdentifier

        static func < (left: Alarm, right: Alarm) -> Bool { left.instant < right.instant }
    }

    /// The loop of the process; its thread starts with the first client.
    package static let shared: UpstreamLoop = {
        do { return try UpstreamLoop() } catch {
            fatalError("no event loop for outgoing requests: \(error)")
        }
    }()

    nonisolated let loop: EventLoop
    private nonisolated let mailbox: Mailbox<Message>
    let resolver: any NameResolver
    var connections: Connections
    var pools: [PoolKey: ConnectionPool] = [:]
    /// By their places in the loop's table.
    var lines: [UInt32: Line] = [:]
    var idleNumber: UInt64 = 0
    /// Hosts that may open another connection, once for each.
    var freed: [PoolKey] = []
    private var exchanges: [ObjectIdentifier: Exchange] = [:]
    private var alarms = Heap<Alarm>()
    private var messages: [Message] = []
    private var isShutDown = false
    nonisolated let connectionsMax: Int
    private nonisolated let isClosed = Atomic(false)

    /// The maximum number of queued bytes of a request whose server does not read. A request beyond
    /// it fails.
    private static let queueBytesMax = 64 << 20
    /// The maximum number of requests and other messages that wait for the loop.
    private static let messagesMax = 1 << 16

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        loop.asUnownedSerialExecutor()
    }

    /// - Parameter connectionsMax: of all clients together.
    package init(
        resolver: any NameResolver = SystemNameResolver.shared,
        connectionsMax: Int = 1024
    ) throws(SystemError) {
        let loop = try EventLoop(name: "upstream")
        self.loop = loop
        self.resolver = resolver
        self.connectionsMax = connectionsMax
        mailbox = Mailbox(loop: loop, capacity: UpstreamLoop.messagesMax)
        connections = Connections(
            loop: loop,
            limits: ConnectionLimits(
                connectionsMax: connectionsMax,
                queueBytesMax: UpstreamLoop.queueBytesMax
            )
        )
        start()
    }

    private nonisolated func start() {
        loop.start { [self] readyCount in assumeIsolated { $0.turn(readyCount) } }
    }

    /// Ends every request and the thread. Later requests fail.
    package nonisolated func shutDown() {
        isClosed.store(true, ordering: .sequentiallyConsistent)
        // Not a message, for which there may be no room.
        loop.wake()
    }

    /// Returns the time at which the loop runs the call. The time since the call was made is the
    /// delay by the current turn.
    package func reach() -> MonotonicInstant { now }

    // MARK: From other threads

    nonisolated var now: MonotonicInstant { loop.clock.now }

    nonisolated func send(
        _ request: UpstreamRequest,
        _ profile: UpstreamProfile,
        start: MonotonicInstant
    ) async -> Exchange.Outcome {
        let current = Locked<Exchange?>(nil)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let exchange = Exchange(request, profile: profile, start: start) {
                    continuation.resume(returning: $0)
                }
                current.withLock { $0 = exchange }
                // Cancelled before the exchange was set.
                if Task.isCancelled { exchange.isCancelled.store(true, ordering: .relaxed) }
                if !mailbox.post(.begin(exchange)) { exchange.tell(.failure(.overloaded)) }
                // After its last turn the loop takes no messages.
                if isClosed.load(ordering: .sequentiallyConsistent) {
                    exchange.tell(.failure(.shutDown))
                }
            }
        } onCancel: {
            guard let exchange = current.withLock({ $0 }) else { return }
            exchange.isCancelled.store(true, ordering: .relaxed)
            // Without room for the message the loop continues the request, but its caller returns.
            if !mailbox.post(.cancel(exchange)) { exchange.tell(.failure(.cancelled)) }
        }
    }

    nonisolated func forget(_ profile: UpstreamProfile) {
        _ = mailbox.post(.forget(profile))
    }

    nonisolated func post(_ message: Message) {
        _ = mailbox.post(message)
    }

    // MARK: The turn

    private func turn(_ readyCount: Int) -> MonotonicInstant? {
        for index in 0..<readyCount {
            guard
                case .connection(let id, let isReadable, let isWritable) =
                    connections.readiness(index)
            else { continue }
            // A response that arrived before the server closed would be lost by an attempt to
            // write.
            if isReadable { receive(id) }
            if isWritable { resume(id) }
        }
        // Before the messages are taken: `send` reads it after posting its own.
        let isClosed = isClosed.load(ordering: .sequentiallyConsistent)
        mailbox.drain(into: &messages)
        for message in messages { handle(message) }
        messages.removeAll(keepingCapacity: true)
        if isClosed { endAll() }
        while let id = connections.popDue(now: now) {
            if let line = lines[id.index], line.id == id { close(line) }
        }
        ringAlarms()
        // Ended requests make room for others, which may end at once.
        repeat {
            serveWaiting()
            connections.flush()
        } while takeClosures() || !freed.isEmpty
        return isShutDown
            ? nil : [connections.nextDeadline, alarms.min?.instant].compactMap(\.self).min()
    }

    func takeClosures() -> Bool {
        var isAny = false
        while let closure = connections.takeClosure() {
            isAny = true
            guard let line = lines.removeValue(forKey: closure.id.index) else { continue }
            handleEnd(of: line, closure.end)
        }
        return isAny
    }

    private func handle(_ message: Message) {
        switch message {
        case .begin(let exchange):
            guard !exchange.isCancelled.load(ordering: .relaxed) else {
                return exchange.tell(.failure(.cancelled))
            }
            exchanges[ObjectIdentifier(exchange)] = exchange
            schedule(exchange)
            assign(exchange)
        case .cancel(let exchange): fail(exchange, .cancelled)
        case .resolved(let exchange, let result): connect(exchange, to: result)
        case .forget(let profile): endAll(of: profile)
        }
    }

    private func endAll() {
        isShutDown = true
        for exchange in exchanges.values { fail(exchange, .shutDown) }
        for line in lines.values { connections.abort(line.id) }
        loop.stop()
    }

    private func endAll(of profile: UpstreamProfile) {
        for exchange in exchanges.values where exchange.profile === profile {
            fail(exchange, .shutDown)
        }
        for (key, pool) in pools where key.profile == ObjectIdentifier(profile) {
            for line in pool.idle { close(line) }
        }
    }

    // MARK: Deadlines

    /// Schedules the loop's next check of a request: at the end of its phase, or when a part of it
    /// is due.
    func schedule(_ exchange: Exchange) {
        var instant = exchange.phaseEnd
        if case .connecting(let dial) = exchange.phase, let next = dial.nextAttempt {
            instant = min(instant, next)
        }
        if let bodyWaitsUntil = exchange.bodyWaitsUntil { instant = min(instant, bodyWaitsUntil) }
        if let scheduled = exchange.scheduled, scheduled <= instant { return }
        exchange.scheduled = instant
        alarms.insert(Alarm(instant: instant, exchange: ObjectIdentifier(exchange)))
    }

    private func ringAlarms() {
        let now = now
        while let first = alarms.min, first.instant <= now {
            alarms.removeMin()
            guard let exchange = exchanges[first.exchange], exchange.scheduled == first.instant
            else { continue }
            exchange.scheduled = nil
            guard exchange.phaseEnd > now else {
                fail(exchange, exchange.timeout)
                continue
            }
            if case .connecting(let dial) = exchange.phase { advance(exchange, dial) }
            if let instant = exchange.bodyWaitsUntil, instant <= now { sendBody(of: exchange) }
            if !exchange.isDone { schedule(exchange) }
        }
    }

    // MARK: The end of a request

    /// Fails a request without a response, in any phase. If content is dropped, the response is
    /// valid from its head on.
    func fail(_ exchange: Exchange, _ error: UpstreamError) {
        let phase = exchange.phase
        if case .dropping(let line) = phase {
            finish(exchange, .success(response(of: line, exchange)))
        } else {
            finish(exchange, .failure(error))
        }
        switch phase {
        case .new, .waiting, .done: break
        case .resolving: release(exchange.key)
        case .connecting(let dial):
            abandon(dial)
            release(exchange.key)
        case .preparing(let line), .firstByte(let line), .reading(let line), .dropping(let line):
            retire(line)
            connections.abort(line.id)
        }
    }

    func finish(_ exchange: Exchange, _ outcome: Exchange.Outcome) {
        exchange.phase = .done
        exchange.bodyWaitsUntil = nil
        exchanges[ObjectIdentifier(exchange)] = nil
        exchange.tell(outcome)
    }
}
