import Glibc

@testable import Reactor

/// Drives the connections of one loop as a server does, and keeps what happens.
actor LoopHost {
    enum Event: Equatable, Sendable {
        case accepted(ConnectionID)
        case refused
        case paused(code: Int32)
        case received(ConnectionID, [UInt8])
        case endOfStream(ConnectionID)
        case due(ConnectionID)
        case closed(ConnectionID, ConnectionEnd)
    }

    nonisolated let loop: EventLoop
    var connections: Connections
    private(set) var events: [Event] = []
    private(set) var turnCount = 0
    private(set) var overLimit: [ConnectionID] = []
    /// Whether it answers connections over a limit at once, without their requests.
    private var answersRefused = true
    /// Called within the turn that receives something.
    var whenReceived: (@Sendable (isolated LoopHost, ConnectionID) -> Void)?
    private var waiters: [(isolated LoopHost) -> Bool] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(limits: ConnectionLimits, census: ConnectionCensus? = nil) throws {
        let loop = try EventLoop(name: "test-loop")
        self.loop = loop
        connections = Connections(loop: loop, limits: limits, census: census)
    }

    var counters: ConnectionCounters { connections.snapshot() }

    nonisolated func start() {
        loop.start { [self] readyCount in assumeIsolated { $0.turn(readyCount) } }
    }

    // MARK: For tests

    /// Runs `body` between two turns; what it queues is sent when it returns.
    func perform<Value: Sendable>(
        _ body: @Sendable (isolated LoopHost) throws -> Value
    ) rethrows -> Value {
        defer {
            finishTurn()
            loop.wake()
        }
        return try body(self)
    }

    /// Waits until `value` answers, which is asked after every turn. A test that runs into its time limit
    /// here ends the process: nothing else gets it out of the wait.
    func wait<Value: Sendable>(
        for value: @escaping @Sendable (isolated LoopHost) -> Value?
    ) async -> Value {
        if let found = value(self) { return found }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiters.append { host in
                    guard let found = value(host) else { return false }
                    continuation.resume(returning: found)
                    return true
                }
            }
        } onCancel: {
            fatalError("what the test waits for has not come in time")
        }
    }

    /// The `index`-th connection that was accepted.
    func accepted(_ index: Int = 0) async -> ConnectionID {
        await wait { host in
            let accepted = host.events.compactMap {
                if case .accepted(let id) = $0 { id } else { nil }
            }
            return index < accepted.count ? accepted[index] : nil
        }
    }

    /// Waits until `count` bytes have come on a connection, and answers all that have.
    func received(_ count: Int, on id: ConnectionID) async -> [UInt8] {
        await wait { host in
            let bytes = host.receivedBytes(on: id)
            return bytes.count >= count ? bytes : nil
        }
    }

    func end(of id: ConnectionID) async -> ConnectionEnd {
        await wait { host in host.ends(of: id).first }
    }

    /// How a connection has ended: at most one.
    func ends(of id: ConnectionID) -> [ConnectionEnd] {
        events.compactMap { if case .closed(id, let end) = $0 { end } else { nil } }
    }

    func receivedBytes(on id: ConnectionID) -> [UInt8] {
        events.flatMap { event -> [UInt8] in
            if case .received(id, let bytes) = event { bytes } else { [] }
        }
    }

    // Forwarded, because a noncopyable value does not leave its actor.

    var connectionCount: Int { connections.count }
    func isOpen(_ id: ConnectionID) -> Bool { connections.isOpen(id) }
    func isEstablished(_ id: ConnectionID) -> Bool { connections.isEstablished(id) }

    func count(of event: Event) -> Int { events.count { $0 == event } }

    /// - Parameter host: one of its own for a test that leaves the port: on the common one, another test's
    ///   listener may be given that port at once.
    func listen(
        on host: String = "127.0.0.1",
        tls: TLSServer? = nil,
        kind: ListenerKind = .public
    ) throws -> SocketAddress {
        guard let loopback = SocketAddress("\(host):0") else { throw SystemTestError(code: 0) }
        return try connections.listen(on: loopback, tls: tls, kind: kind)
    }

    // MARK: The turn

    private func turn(_ readyCount: Int) -> MonotonicInstant? {
        turnCount += 1
        for index in 0..<readyCount { handle(connections.readiness(index)) }
        while let id = connections.popDue(now: .now) { events.append(.due(id)) }
        finishTurn()
        return connections.nextDeadline
    }

    private func handle(_ readiness: Readiness) {
        switch readiness {
        case .nothing: break
        case .listener(let listener): accept(from: listener)
        case .connection(let id, let isReadable, let isWritable):
            if isWritable { connections.resume(id) }
            if isReadable { receive(on: id) }
        }
    }

    private func accept(from listener: ListenerID) {
        while true {
            switch connections.accept(listener) {
            case .connection(let id): events.append(.accepted(id))
            case .overLimit(let id):
                events.append(.refused)
                overLimit.append(id)
                guard answersRefused else { continue }
                connections.send(connections.limits.refusal.bytes, on: id)
                connections.close(id)
            case .refused: events.append(.refused)
            case .paused(let code): return events.append(.paused(code: code))
            case .none: return
            }
        }
    }

    private func receive(on id: ConnectionID) {
        switch connections.receive(id) {
        case .nothing: break
        case .endOfStream: events.append(.endOfStream(id))
        case .bytes(let count):
            events.append(.received(id, Array(connections.input[..<count])))
            whenReceived?(self, id)
        }
    }

    private func finishTurn() {
        connections.flush()
        while let closure = connections.takeClosure() {
            events.append(.closed(closure.id, closure.end))
        }
        waiters.removeAll { $0(self) }
    }

    func setAnswersRefused(_ value: Bool) { answersRefused = value }

    func setWhenReceived(_ body: @escaping @Sendable (isolated LoopHost, ConnectionID) -> Void) {
        whenReceived = body
    }
}

/// A host with a thread of its own, for as long as `body` runs.
func withHost<Value>(
    connectionsMax: Int = 16,
    queueBytesMax: Int = 1 << 20,
    _ change: (inout ConnectionLimits) -> Void = { _ in },
    census: ConnectionCensus? = nil,
    _ body: (LoopHost) async throws -> Value
) async throws -> Value {
    var limits = ConnectionLimits(connectionsMax: connectionsMax, queueBytesMax: queueBytesMax)
    // `make test` sends with io_uring where the kernel offers it, and `make test-one-thread` without.
    limits.ringSendsMin = getenv("WITHOUT_RING") == nil ? 1 : .max
    change(&limits)
    let host = try LoopHost(limits: limits, census: census)
    host.start()
    defer { host.loop.stop() }
    return try await body(host)
}

/// A host with one connection, and the client's end of it.
func withConnection<Value>(
    queueBytesMax: Int = 1 << 20,
    receiveBufferSize: Int32? = nil,
    _ change: (inout ConnectionLimits) -> Void = { _ in },
    _ body: (LoopHost, ConnectionID, TestSocket) async throws -> Value
) async throws -> Value {
    try await withHost(queueBytesMax: queueBytesMax, change) { host in
        let address = try await host.listen()
        let client = try TestSocket(to: address, receiveBufferSize: receiveBufferSize)
        let id = await host.accepted()
        return try await body(host, id, client)
    }
}
