import CLinux
import Glibc

/// The listeners and connections of one event loop: sockets, TLS, queues and deadlines.
///
/// It belongs to the actor on that loop, which drives it once per turn:
/// 1. for each ready descriptor `readiness(_:)`, then `accept`, `receive` or `resume` until nothing
///    is left;
/// 2. `popDue(now:)` until nil;
/// 3. `flush()`, which makes at most one write per connection of everything queued in the turn, or
///    continues in the next turn after a large amount of work;
/// 4. `takeClosure()` until nil. A connection's place is reused only after its closure was taken,
///    and each connection that `accept` or `connect` returned has exactly one.
///
/// The caller handles the content of input and output.
package struct Connections: ~Copyable {
    /// The bytes of the last `receive`, in the loop's one buffer. The caller may change them in
    /// place.
    package let input: UnsafeMutableBufferPointer<UInt8>

    static let inputSize = 64 << 10
    /// The bytes that count as one write in the work of a turn: the kernel copies them in about the
    /// time of one.
    static let writeBytes = 16 << 10
    /// The number of encrypted bytes from which on they are sent without waiting for the end of the
    /// flush.
    static let pendingBytesMax = TLSBuffers.outputSizeKept / 2
    static let listenerBit = UInt64(1) << 63

    let loop: EventLoop
    let limits: ConnectionLimits
    let slots: UnsafeMutablePointer<ConnectionSlot>
    var slotsUsed = 0
    var free: [UInt32] = []
    var stage = OutputStage()
    /// Connections with bytes to flush, in the order of their waiting time; the ones before
    /// `firstDirty` are done.
    var dirty: [UInt32] = []
    var firstDirty = 0
    /// The sends of the current flush; empty between flushes.
    var pending = PendingSends()
    /// Nil if the kernel does not offer it, or if sends never share a call.
    var ring: SendRing?
    var isRingDecided = false
    var closures: [(id: ConnectionID, end: ConnectionEnd)] = []
    var timers = TimerQueue()
    var listeners: [Listener] = []
    var pausedUntil: MonotonicInstant?
    let tlsBuffers = TLSBuffers()
    /// Bytes read from a TLS connection, before they are decrypted into `input`.
    let ciphertext: UnsafeMutableRawBufferPointer
    /// The number of connections that are open or lingering, without refused ones.
    package internal(set) var count = 0
    var refusedCount = 0
    /// The memory of the queues of all connections, in bytes. Changes only when a peer does not
    /// read, so sending to peers that read does not pay for it.
    package internal(set) var backlogBytes = 0
    var counters = ConnectionCounters()
    /// If nil, connections are counted only here.
    let census: ConnectionCensus?
    let reserve: DescriptorReserve
    /// The origins of connections from trusted proxies, by their places in the table.
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

    /// Listens on `address`. Several loops may listen on one address; the kernel distributes the
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

    /// Stops accepting connections. Existing connections stay open.
    package mutating func stopListening() {
        for index in listeners.indices where listeners[index].descriptor >= 0 {
            Glibc.close(listeners[index].descriptor)
            listeners[index].descriptor = -1
        }
    }

    /// Connects to `address`. Until then `receive` returns nothing; `isEstablished` is true once
    /// bytes may be sent.
    ///
    /// - Parameter source: The local address of the connection, with port 0 for any; nil lets the
    ///   kernel choose.
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

    /// Whether bytes may be sent: the socket is connected, and the handshake of TLS, if any, is
    /// complete.
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

    /// Whether the peer's end of stream has arrived; with TLS it can arrive along with the last
    /// bytes.
    package func hasEnded(_ id: ConnectionID) -> Bool {
        isOpen(id) && (slots + Int(id.index)).pointee.flags.contains(.hasEnded)
    }

    /// Whether `close` was called and queued bytes are not yet sent.
    package func isClosing(_ id: ConnectionID) -> Bool {
        isOpen(id) && (slots + Int(id.index)).pointee.flags.contains(.isClosing)
    }

    /// Returns the counters. A function, because Swift 6.3 in debug builds copies so large a stored
    /// property out of a noncopyable one of an actor only after the access to it has ended: out of
    /// freed memory, as AddressSanitizer reports.
    package func snapshot() -> ConnectionCounters { counters }

    /// The ID of the open connection at a place in the table.
    package func id(at index: Int32) -> ConnectionID {
        ConnectionID(index: UInt32(index), generation: (slots + Int(index)).pointee.generation)
    }

    /// All open connections; for shutdown and counts, not for the hot path.
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
