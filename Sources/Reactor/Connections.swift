import CLinux
import Glibc

/// The listeners and connections of one event loop: sockets, TLS, queues and deadlines.
///
/// It belongs to the actor on that loop, which drives it once per turn:
/// 1. for each ready descriptor `readiness(_:)`, then `accept`, `receive` or `resume` until there is nothing;
/// 2. `popDue(now:)` until nil;
/// 3. `flush()`, which makes at most one write per connection of everything queued in the turn;
/// 4. `takeClosure()` until nil. A connection's place is used again only after its closure was taken,
///    and each connection that `accept` or `connect` named has exactly one.
///
/// What a peer sends and what it should get is for the caller to know.
package struct Connections: ~Copyable {
    /// The bytes of the last `receive`, in the loop's one buffer. The caller may change them in place.
    package let input: UnsafeMutableBufferPointer<UInt8>

    static let inputSize = 64 << 10
    static let listenerBit = UInt64(1) << 63

    let loop: EventLoop
    let limits: ConnectionLimits
    let slots: UnsafeMutablePointer<ConnectionSlot>
    var slotsUsed = 0
    var free: [UInt32] = []
    var stage = OutputStage()
    var dirty: [UInt32] = []
    var closures: [(id: ConnectionID, end: ConnectionEnd)] = []
    var timers = TimerQueue()
    var listeners: [Listener] = []
    var pausedUntil: MonotonicInstant?
    let tlsBuffers = TLSBuffers()
    /// What was read from a TLS connection, before it is decrypted into `input`.
    let ciphertext: UnsafeMutableRawBufferPointer
    /// Connections that are open or lingering.
    package internal(set) var count = 0

    struct Listener {
        var descriptor: Int32
        var tls: TLSContext?
    }

    package init(loop: EventLoop, limits: ConnectionLimits) {
        self.loop = loop
        self.limits = limits
        input = .allocate(capacity: Connections.inputSize)
        ciphertext = .allocate(
            byteCount: Connections.inputSize - TLSSession.plaintextSlack,
            alignment: 16
        )
        // Untouched pages of the table cost nothing until a connection uses them.
        slots = .allocate(capacity: limits.connectionsMax)
    }

    deinit {
        for index in 0..<slotsUsed where slots[index].descriptor >= 0 {
            Glibc.close(slots[index].descriptor)
            Connections.releaseHeap(of: &slots[index])
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
        tls: TLSContext?
    ) throws(SystemError) -> SocketAddress {
        let descriptor = try openListener(on: address)
        let token = Connections.listenerBit | UInt64(listeners.count)
        listeners.append(Listener(descriptor: descriptor, tls: tls))
        watch(descriptor, token: token, EPOLL_CTL_ADD, EPOLLIN.rawValue)
        return SocketAddress.local(of: descriptor) ?? address
    }

    /// Accepts no more. Connections stay.
    package mutating func stopListening() {
        for index in listeners.indices where listeners[index].descriptor >= 0 {
            Glibc.close(listeners[index].descriptor)
            listeners[index].descriptor = -1
        }
    }

    package mutating func accept(_ listener: ListenerID) -> Accepted {
        let entry = listeners[listener.index]
        guard entry.descriptor >= 0, pausedUntil == nil else { return .none }
        let descriptor = varde_accept(entry.descriptor)
        guard descriptor >= 0 else { return acceptFailed(errno) }
        guard hasPlace else {
            Glibc.close(descriptor)
            return .refused
        }
        setNoDelay(descriptor)
        let id = open(descriptor, flags: [.isOpen, .isReading, .watchesInput])
        if let context = entry.tls {
            do throws(TLSError) {
                let session = try TLSSession(context: context, role: .server, buffers: tlsBuffers)
                attach(session, to: id)
            } catch {
                // Memory is short. The caller hears of the connection and of its end.
                end(Int(id.index), .tlsFailed(error.description))
                return .connection(id)
            }
        }
        watch(descriptor, token: id.token, EPOLL_CTL_ADD, EPOLLIN.rawValue)
        return .connection(id)
    }

    mutating func acceptFailed(_ code: Int32) -> Accepted {
        switch code {
        case EAGAIN: return .none
        // The peer went away while it waited; Linux hands its connection's error to accept.
        case ECONNABORTED, EINTR, EPROTO, ENETDOWN, EHOSTDOWN, ENETUNREACH, EHOSTUNREACH:
            return .refused
        default:
            // Out of descriptors or memory. A level-triggered listener would spin until there are some.
            pausedUntil = .now + limits.acceptPause
            for index in listeners.indices { watchListener(index, 0) }
            return .paused(code: code)
        }
    }

    /// Connects to `address`. `receive` answers nothing until then; `isEstablished` tells when bytes
    /// may be sent.
    package mutating func connect(
        to address: SocketAddress,
        tls: TLSContext?,
        hostName: String
    ) throws -> ConnectionID {
        guard hasPlace else { throw SystemError("connect", code: ENOBUFS, context: "\(address)") }
        let type =
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.family, type, 0)
        guard descriptor >= 0 else { throw SystemError("socket") }
        setNoDelay(descriptor)
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
        guard isOpen(id), !slots[Int(id.index)].flags.contains(.isConnecting) else { return false }
        return slots[Int(id.index)].tls?.pointee.isHandshakeComplete ?? true
    }

    package func isOpen(_ id: ConnectionID) -> Bool {
        Int(id.index) < slotsUsed && slots[Int(id.index)].generation == id.generation
            && slots[Int(id.index)].flags.contains(.isOpen)
    }

    /// Whether the peer's end of stream has come; with TLS it can come along with the last bytes.
    package func hasEnded(_ id: ConnectionID) -> Bool {
        isOpen(id) && slots[Int(id.index)].flags.contains(.hasEnded)
    }

    package func peer(_ id: ConnectionID) -> SocketAddress? {
        isOpen(id) ? SocketAddress.peer(of: slots[Int(id.index)].descriptor) : nil
    }

    /// The open connection in a place of the table.
    package func id(at index: Int32) -> ConnectionID {
        ConnectionID(index: UInt32(index), generation: slots[Int(index)].generation)
    }

    /// Every open connection; for shutdown and counts, not for the hot path.
    package func openConnections() -> [ConnectionID] {
        (0..<slotsUsed).filter { slots[$0].flags.contains(.isOpen) }.map { id(at: Int32($0)) }
    }
}
