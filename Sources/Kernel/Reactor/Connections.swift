import CLinux
import Glibc

/// The listeners and connections of one event loop: sockets, TLS, queues and deadlines.
///
/// It belongs to the actor on that loop, which drives it once per turn:
/// 1. for each ready descriptor `readiness(_:)`, then `accept`, `receive` or `resume` until there is nothing;
/// 2. `popDue(now:)` until nil;
/// 3. `flush()`, which makes at most one write per connection of everything queued in the turn, or goes
///    on with it in the next turn when there is very much;
/// 4. `takeClosure()` until nil. A connection's place is used again only after its closure was taken,
///    and each connection that `accept` or `connect` named has exactly one.
///
/// What a peer sends and what it should get is for the caller to know.
package struct Connections: ~Copyable {
    /// The bytes of the last `receive`, in the loop's one buffer. The caller may change them in place.
    package let input: UnsafeMutableBufferPointer<UInt8>

    static let inputSize = 64 << 10
    /// Bytes that count as one write in the work of a turn: the kernel copies them in the time of one.
    static let writeBytes = 16 << 10
    static let listenerBit = UInt64(1) << 63

    let loop: EventLoop
    let limits: ConnectionLimits
    let slots: UnsafeMutablePointer<ConnectionSlot>
    var slotsUsed = 0
    var free: [UInt32] = []
    var stage = OutputStage()
    /// Connections with something to flush, those first that have waited longest; the ones before
    /// `firstDirty` are done.
    var dirty: [UInt32] = []
    var firstDirty = 0
    var closures: [(id: ConnectionID, end: ConnectionEnd)] = []
    var timers = TimerQueue()
    var listeners: [Listener] = []
    var pausedUntil: MonotonicInstant?
    let tlsBuffers = TLSBuffers()
    /// What was read from a TLS connection, before it is decrypted into `input`.
    let ciphertext: UnsafeMutableRawBufferPointer
    /// Connections that are open or lingering; without those that were turned away.
    package internal(set) var count = 0
    var refusedCount = 0
    /// The memory of what waits for all connections, in bytes. Changes only where a peer does not take what is
    /// sent, so sending to those who read costs nothing for it.
    package internal(set) var backlogBytes = 0
    var counters = ConnectionCounters()
    /// Nil counts nowhere but here.
    let census: ConnectionCensus?
    let reserve: DescriptorReserve
    /// By places in the table: of connections from trusted proxies.
    var origins: [UInt32: ConnectionOrigin] = [:]

    struct Listener {
        var descriptor: Int32
        var tls: TLSServer?
        var kind = ListenerKind.public
    }

    /// - Parameters:
    ///   - census: counts the connections of this and other loops together.
    ///   - reserve: that of the process; all its loops share one.
    package init(
        loop: EventLoop,
        limits: ConnectionLimits,
        census: ConnectionCensus? = nil,
        reserve: DescriptorReserve = DescriptorReserve()
    ) {
        self.loop = loop
        self.limits = limits
        self.census = census
        self.reserve = reserve
        input = .allocate(capacity: Connections.inputSize)
        ciphertext = .allocate(
            byteCount: Connections.inputSize - TLSSession.plaintextSlack,
            alignment: 16
        )
        // Untouched pages of the table cost nothing until a connection uses them.
        slots = .allocate(capacity: limits.connectionsMax + limits.refusedMax)
    }

    deinit {
        for index in 0..<slotsUsed where (slots + index).pointee.descriptor >= 0 {
            Glibc.close((slots + index).pointee.descriptor)
            Connections.releaseHeap(of: &(slots + index).pointee)
            census?.release((slots + index).pointee.censusPlace)
        }
        for listener in listeners where listener.descriptor >= 0 {
            Glibc.close(listener.descriptor)
        }
        slots.deallocate()
        input.deallocate()
        ciphertext.deallocate()
    }

    // MARK: Listening and connecting

    /// Listens on `address`. Several loops may listen on one address; the kernel deals out the
    /// connections among them.
    @discardableResult
    package mutating func listen(
        on address: SocketAddress,
        tls: TLSServer?,
        kind: ListenerKind = .public
    ) throws(SystemError) -> SocketAddress {
        let descriptor = try openListener(on: address)
        add(Listener(descriptor: descriptor, tls: tls, kind: kind))
        return SocketAddress.local(of: descriptor) ?? address
    }

    /// Accepts no more. Connections stay.
    package mutating func stopListening() {
        for index in listeners.indices where listeners[index].descriptor >= 0 {
            Glibc.close(listeners[index].descriptor)
            listeners[index].descriptor = -1
        }
    }

    /// Connects to `address`. `receive` answers nothing until then; `isEstablished` tells when bytes
    /// may be sent.
    ///
    /// - Parameter source: Which of this machine's addresses the connection comes from, with port 0
    ///   for any; nil lets the kernel choose.
    package mutating func connect(
        to address: SocketAddress,
        from source: SocketAddress? = nil,
        tls: TLSContext?,
        hostName: String
    ) throws -> ConnectionID {
        guard hasPlace, count < limits.connectionsMax else {
            throw SystemError("connect", code: ENOBUFS, context: "\(address)")
        }
        let type =
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.family, type, 0)
        guard descriptor >= 0 else { throw SystemError("socket") }
        setNoDelay(descriptor)
        if let source, let error = bindSource(descriptor, to: source) {
            Glibc.close(descriptor)
            throw error
        }
        let result = address.withSockaddr { Glibc.connect(descriptor, $0, $1) }
        guard result == 0 || errno == EINPROGRESS else {
            let error = SystemError("connect", context: "\(address)")
            Glibc.close(descriptor)
            throw error
        }
        let id = open(
            descriptor,
            flags: [.isOpen, .isReading, .isConnecting, .watchesInput, .watchesOutput]
        )
        if let tls {
            do {
                attach(
                    try TLSSession(
                        context: tls,
                        role: .client(hostName: hostName),
                        buffers: tlsBuffers
                    ),
                    to: id
                )
            } catch {
                end(Int(id.index), .tlsFailed(error.description))
                throw error
            }
        }
        watch(descriptor, token: id.token, EPOLL_CTL_ADD, EPOLLIN.rawValue | EPOLLOUT.rawValue)
        return id
    }

    /// Whether bytes may be sent: connected, and with TLS the handshake is done.
    package func isEstablished(_ id: ConnectionID) -> Bool {
        guard isOpen(id), !(slots + Int(id.index)).pointee.flags.contains(.isConnecting) else {
            return false
        }
        return (slots + Int(id.index)).pointee.tls?.pointee.isHandshakeComplete ?? true
    }

    package func isOpen(_ id: ConnectionID) -> Bool {
        Int(id.index) < slotsUsed && (slots + Int(id.index)).pointee.generation == id.generation
            && (slots + Int(id.index)).pointee.flags.contains(.isOpen)
    }

    /// Whether the peer's end of stream has come; with TLS it can come along with the last bytes.
    package func hasEnded(_ id: ConnectionID) -> Bool {
        isOpen(id) && (slots + Int(id.index)).pointee.flags.contains(.hasEnded)
    }

    /// Whether `close` was called and what is queued is still on its way.
    package func isClosing(_ id: ConnectionID) -> Bool {
        isOpen(id) && (slots + Int(id.index)).pointee.flags.contains(.isClosing)
    }

    /// What the connections have come to. A function, because Swift 6.3 in debug builds copies so large a
    /// stored property out of a noncopyable one of an actor only after the access to it has ended: out
    /// of memory that is freed, as AddressSanitizer tells.
    package func snapshot() -> ConnectionCounters { counters }

    /// The open connection in a place of the table.
    package func id(at index: Int32) -> ConnectionID {
        ConnectionID(index: UInt32(index), generation: (slots + Int(index)).pointee.generation)
    }

    /// Every open connection; for shutdown and counts, not for the hot path.
    package func openConnections() -> [ConnectionID] {
        (0..<slotsUsed).filter {
            let flags = (slots + $0).pointee.flags
            return flags.contains(.isOpen) && !flags.contains(.isRefused)
        }.map { id(at: Int32($0)) }
    }

    /// The open connection at a place in the table; nil when there is none.
    package func id(at place: UInt32) -> ConnectionID? {
        guard Int(place) < slotsUsed else { return nil }
        let id = id(at: Int32(place))
        return isOpen(id) ? id : nil
    }
}
