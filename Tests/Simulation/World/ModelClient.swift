import Reactor

/// What clients of every kind have in common: a name, the world, the connection and what may befall it.
class ModelClient {
    let name: String
    let world: ModelWorld
    /// Nil between connections.
    var peer: Peer?
    /// When it connects again.
    var returnsAt = MonotonicInstant(nanoseconds: 0)
    /// Until then it neither reads nor writes, or does not read.
    var partitionedUntil = MonotonicInstant(nanoseconds: 0)
    var stalledUntil = MonotonicInstant(nanoseconds: 0)

    var random: Randomness { world.random }
    var store: Ledger { world.ledger }
    var trace: Trace { world.trace }

    init(name: String, world: ModelWorld) {
        self.name = name
        self.world = world
    }

    func fail(_ text: String) { trace.fail("\(name): \(text)") }

    func expect(_ condition: Bool, _ text: @autoclosure () -> String) {
        if !condition { fail(text()) }
    }

    // MARK: What kinds differ in

    /// A connection is there: says what comes first.
    func begin() {}
    func receive(_ bytes: [UInt8]) {}
    /// Does something of its own accord.
    func act() {}
    /// The connection is gone.
    ///
    /// - Parameter byHub: the hub closed it, and not the client.
    func forgetConnection(byHub: Bool) {}
    /// Whether it is where everybody has to get in the end; says what is missing.
    func missing() -> String? { nil }

    // MARK: Steps

    func connect() {
        guard peer == nil, world.time.now >= returnsAt else { return }
        let hub = world.pickHub()
        let loop = random.below(hub.loopCount)
        let sendBufferBytes: Int32? = random.chance(50) ? 4096 : nil
        guard let socket = hub.connect(loop: loop, sendBufferBytes: sendBufferBytes) else {
            returnsAt = world.time.now + .milliseconds(100 + random.below(400))
            return
        }
        peer = Peer(descriptor: socket, loop: loop, of: hub)
        trace.note("\(name) connects to \(hub.name)loop \(loop)")
        begin()
    }

    func read(bytesMax: Int) {
        let now = world.time.now
        guard let peer, now >= partitionedUntil, now >= stalledUntil else { return }
        switch peer.receive(bytesMax: bytesMax) {
        case .nothing: break
        case .bytes(let bytes): receive(bytes)
        case .end(let code):
            trace.note("\(name) reads the end, errno \(code)")
            leave(byHub: true)
        }
    }

    func write(bytesMax: Int) {
        guard let peer, world.time.now >= partitionedUntil else { return }
        peer.flush(bytesMax: bytesMax)
    }

    /// Closes the connection, in the middle of a frame or not.
    func cut() {
        guard peer != nil else { return }
        trace.note("\(name) is cut")
        trace.count(.cuts)
        leave(byHub: false)
    }

    func leave(byHub: Bool) {
        forgetConnection(byHub: byHub)
        peer?.close()
        peer = nil
        returnsAt = world.time.now + .milliseconds(random.below(2000))
    }

    /// Nothing is in its way any more.
    func calm() {
        partitionedUntil = MonotonicInstant(nanoseconds: 0)
        stalledUntil = partitionedUntil
    }
}
