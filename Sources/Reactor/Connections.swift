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

    private static let inputSize = 64 << 10
    private static let listenerBit = UInt64(1) << 63

    let loop: EventLoop
    let limits: ConnectionLimits
    let slots: UnsafeMutablePointer<ConnectionSlot>
    private var slotsUsed = 0
    private var free: [UInt32] = []
    private var stage = OutputStage()
    private var dirty: [UInt32] = []
    private var closures: [(id: ConnectionID, end: ConnectionEnd)] = []
    private var timers = TimerQueue()
    private var listeners: [Listener] = []
    private var pausedUntil: MonotonicInstant?
    private let tlsBuffers = TLSBuffers()
    /// What was read from a TLS connection, before it is decrypted into `input`.
    private let ciphertext: UnsafeMutableRawBufferPointer
    /// Connections that are open or lingering.
    package private(set) var count = 0

    private struct Listener {
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

    private mutating func acceptFailed(_ code: Int32) -> Accepted {
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

    // MARK: A turn

    package func readiness(_ index: Int) -> Readiness {
        let (token, flags) = loop.ready(index)
        if token == EventLoop.wakeToken { return .nothing }
        if token & Connections.listenerBit != 0 {
            return .listener(ListenerID(index: Int(token & ~Connections.listenerBit)))
        }
        let id = ConnectionID(token: token)
        guard slots[Int(id.index)].generation == id.generation, slots[Int(id.index)].descriptor >= 0
        else { return .nothing }
        // EPOLLERR and EPOLLHUP come unasked; the next read tells what they mean.
        return .connection(
            id,
            isReadable: flags & ~EPOLLOUT.rawValue != 0,
            isWritable: flags & EPOLLOUT.rawValue != 0
        )
    }

    /// Reads what the peer has sent, at most one buffer full, into `input`.
    package mutating func receive(_ id: ConnectionID) -> Received {
        let index = Int(id.index)
        guard slots[index].generation == id.generation, slots[index].descriptor >= 0 else {
            return .nothing
        }
        if slots[index].flags.contains(.isConnecting) { return .nothing }
        if slots[index].flags.contains(.isClosing) {
            dropInput(index)
            return .nothing
        }
        if slots[index].tls != nil { return receiveEncrypted(index) }
        let count = recv(slots[index].descriptor, input.baseAddress, input.count, 0)
        return count > 0 ? .bytes(count) : receiveNothing(index, count)
    }

    private mutating func receiveNothing(_ index: Int, _ count: Int) -> Received {
        guard count == 0 else {
            if errno != EAGAIN && errno != EINTR { end(index, .broken(code: errno)) }
            return .nothing
        }
        guard !slots[index].flags.contains(.hasEnded) else {
            // Nobody watches for input behind the end of the stream, so an error has woken us. Linux
            // answers 0 and not the error there, and wakes again until the socket is closed.
            let code = takeError(of: slots[index].descriptor)
            if code != 0 { end(index, .broken(code: code)) }
            return .nothing
        }
        slots[index].flags.insert(.hasEnded)
        updateInterest(index)
        return .endOfStream
    }

    /// Reads what comes in while the connection is being closed; only its end is of interest.
    private mutating func dropInput(_ index: Int) {
        let count = recv(slots[index].descriptor, input.baseAddress, input.count, 0)
        guard count <= 0 else { return }
        if !slots[index].flags.contains(.isLingering) {
            _ = receiveNothing(index, count)
        } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
            end(index, .closed)
        }
    }

    private mutating func receiveEncrypted(_ index: Int) -> Received {
        let count = recv(slots[index].descriptor, ciphertext.baseAddress, ciphertext.count, 0)
        guard count > 0 else {
            if count == 0, let error = slots[index].tls!.pointee.endOfStream() {
                end(index, .tlsFailed(error.description))
                return .nothing
            }
            return receiveNothing(index, count)
        }
        let received = slots[index].tls!.pointee.receive(
            UnsafeRawBufferPointer(rebasing: ciphertext[..<count]),
            plaintext: UnsafeMutableRawBufferPointer(input)
        )
        transmitTLSOutput(index)
        switch received.state {
        case .handshaking, .open:
            return received.plaintextCount > 0 ? .bytes(received.plaintextCount) : .nothing
        case .closedByPeer:
            slots[index].flags.insert(.hasEnded)
            updateInterest(index)
            return received.plaintextCount > 0 ? .bytes(received.plaintextCount) : .endOfStream
        case .failed(let error):
            end(index, .tlsFailed(error.description))
            return .nothing
        }
    }

    /// Sends what waits for room, or finishes a `connect`.
    package mutating func resume(_ id: ConnectionID) {
        let index = Int(id.index)
        guard slots[index].generation == id.generation, slots[index].descriptor >= 0 else { return }
        if slots[index].flags.contains(.isConnecting) { return finishConnect(index) }
        guard slots[index].backlog != nil else { return updateInterest(index) }
        sendBacklog(index)
    }

    private mutating func finishConnect(_ index: Int) {
        let code = takeError(of: slots[index].descriptor)
        guard code == 0 else { return end(index, .broken(code: code)) }
        slots[index].flags.remove(.isConnecting)
        updateInterest(index)
        guard slots[index].tls != nil else { return }
        slots[index].tls!.pointee.startHandshake()
        transmitTLSOutput(index)
    }

    // MARK: Sending

    /// Puts bytes where any number of connections may be given them in this turn. Valid until the next call.
    package mutating func stage(_ bytes: borrowing [UInt8]) -> OutputRange {
        if stage.count > limits.turnBytesMax { flush() }
        return bytes.withUnsafeBytes { stage.append($0) }
    }

    /// Queues bytes for one connection.
    package mutating func send(_ bytes: borrowing [UInt8], on id: ConnectionID) {
        guard isOpen(id), !bytes.isEmpty else { return }
        let range = stage(bytes)
        send(range, to: Int(id.index))
    }

    /// Queues staged bytes for many connections, by their places in the table. The fan-out: no
    /// allocation, no reference counting, one pass over contiguous memory.
    package mutating func send(_ range: OutputRange, toEach places: UnsafeBufferPointer<Int32>) {
        for place in places { send(range, to: Int(place)) }
    }

    private mutating func send(_ range: OutputRange, to index: Int) {
        // One that has ended in this turn may still be among the subscribers: staging for others can
        // flush, and a flush can end it.
        guard slots[index].flags.isDisjoint(with: .isClosing), slots[index].flags.contains(.isOpen)
        else { return }
        stage.add(range, to: &slots[index])
        markDirty(index)
    }

    private mutating func markDirty(_ index: Int) {
        guard !slots[index].flags.contains(.isDirty) else { return }
        slots[index].flags.insert(.isDirty)
        dirty.append(UInt32(index))
    }

    /// Bytes that wait for one connection from earlier turns.
    package func queuedBytes(_ id: ConnectionID) -> Int {
        isOpen(id) ? slots[Int(id.index)].backlog?.pointee.count ?? 0 : 0
    }

    /// Sends everything queued: at most one write per connection.
    package mutating func flush() {
        for place in dirty { flush(Int(place)) }
        dirty.removeAll(keepingCapacity: true)
        stage.removeAll()
    }

    private mutating func flush(_ index: Int) {
        slots[index].flags.remove(.isDirty)
        guard slots[index].flags.contains(.isOpen) else { return }
        let plaintext = stage.take(from: &slots[index])
        if !plaintext.isEmpty {
            if slots[index].tls == nil {
                transmit(index, plaintext)
            } else if let error = slots[index].tls!.pointee.send(plaintext) {
                end(index, .tlsFailed(error.description))
            } else {
                transmitTLSOutput(index)
            }
        }
        finishClosing(index)
    }

    private mutating func transmitTLSOutput(_ index: Int) {
        defer { tlsBuffers.clearOutput() }
        if !tlsBuffers.output.isEmpty { transmit(index, tlsBuffers.output) }
    }

    private mutating func transmit(_ index: Int, _ bytes: UnsafeRawBufferPointer) {
        guard slots[index].descriptor >= 0 else { return }
        var sent = 0
        if slots[index].backlog == nil {
            sent = Glibc.send(
                slots[index].descriptor,
                bytes.baseAddress,
                bytes.count,
                Int32(MSG_NOSIGNAL)
            )
            if sent < 0 {
                guard errno == EAGAIN || errno == EINTR else {
                    return end(index, .broken(code: errno))
                }
                sent = 0
            }
            if sent == bytes.count { return }
        }
        queue(index, UnsafeRawBufferPointer(rebasing: bytes[sent...]))
    }

    private mutating func queue(_ index: Int, _ rest: UnsafeRawBufferPointer) {
        let waiting = slots[index].backlog?.pointee.count ?? 0
        guard waiting + rest.count <= limits.queueBytesMax else {
            return end(index, .queueOverflow)
        }
        if slots[index].backlog == nil {
            slots[index].backlog = .allocate(capacity: 1)
            slots[index].backlog!.initialize(to: Backlog())
        }
        slots[index].backlog!.pointee.append(rest)
        updateInterest(index)
    }

    private mutating func sendBacklog(_ index: Int) {
        let bytes = slots[index].backlog!.pointee.bytes
        let sent = Glibc.send(
            slots[index].descriptor,
            bytes.baseAddress,
            bytes.count,
            Int32(MSG_NOSIGNAL)
        )
        if sent < 0 {
            if errno != EAGAIN && errno != EINTR { end(index, .broken(code: errno)) }
            return
        }
        slots[index].backlog!.pointee.removeFirst(sent)
        guard slots[index].backlog!.pointee.count == 0 else {
            if slots[index].flags.contains(.isClosing) {
                schedule(index, .now + limits.stallTimeout)
            }
            return
        }
        slots[index].backlog!.deinitialize(count: 1)
        slots[index].backlog!.deallocate()
        slots[index].backlog = nil
        updateInterest(index)
        finishClosing(index)
    }

    // MARK: Closing

    /// Ends the connection after everything queued is sent. What the peer still sends is dropped, and
    /// the deadline is answered no more.
    package mutating func close(_ id: ConnectionID) {
        guard isOpen(id), !slots[Int(id.index)].flags.contains(.isClosing) else { return }
        slots[Int(id.index)].flags.insert(.isClosing)
        schedule(Int(id.index), nil)
        markDirty(Int(id.index))
    }

    /// Ends the connection at once; what is queued is lost.
    package mutating func abort(_ id: ConnectionID) {
        guard isOpen(id) else { return }
        end(Int(id.index), .closed)
    }

    /// The next connection that has ended. Its place is free from here on.
    package mutating func takeClosure() -> (id: ConnectionID, end: ConnectionEnd)? {
        guard let closure = closures.popLast() else { return nil }
        let index = Int(closure.id.index)
        slots[index] = .unused(generation: closure.id.nextGeneration)
        free.append(closure.id.index)
        return closure
    }

    /// Our end of stream goes out behind the last byte; the socket is closed when the peer's has come. To
    /// close at once would make the kernel answer bytes still under way with a reset, which can
    /// destroy what the peer has not yet read (RFC 9112 §9.6).
    private mutating func finishClosing(_ index: Int) {
        guard slots[index].flags.contains(.isClosing), slots[index].flags.contains(.isOpen),
            !slots[index].flags.contains(.isLingering)
        else { return }
        guard slots[index].backlog == nil else {
            return schedule(index, .now + limits.stallTimeout)
        }
        if slots[index].tls != nil {
            slots[index].tls!.pointee.close()
            transmitTLSOutput(index)
            guard slots[index].flags.contains(.isOpen) else { return }
            guard slots[index].backlog == nil else {
                return schedule(index, .now + limits.stallTimeout)
            }
        }
        guard slots[index].flags.isDisjoint(with: [.hasEnded, .isConnecting]) else {
            return end(index, .closed)
        }
        shutdown(slots[index].descriptor, Int32(SHUT_WR))
        slots[index].flags.insert([.isLingering, .isReading])
        updateInterest(index)
        schedule(index, .now + limits.lingerTimeout)
    }

    private mutating func end(_ index: Int, _ end: ConnectionEnd) {
        guard slots[index].flags.contains(.isOpen) else { return }
        Glibc.close(slots[index].descriptor)
        Connections.releaseHeap(of: &slots[index])
        slots[index].descriptor = -1
        slots[index].flags.remove(.isOpen)
        slots[index].deadline = ConnectionSlot.never
        count -= 1
        closures.append((id(at: Int32(index)), end))
    }

    private static func releaseHeap(of slot: inout ConnectionSlot) {
        if let backlog = slot.backlog {
            backlog.deinitialize(count: 1)
            backlog.deallocate()
            slot.backlog = nil
        }
        if let tls = slot.tls {
            tls.deinitialize(count: 1)
            tls.deallocate()
            slot.tls = nil
        }
    }

    // MARK: Deadlines

    /// Sets the connection's one deadline; nil for none. `popDue` answers it once it has passed.
    package mutating func setDeadline(_ deadline: MonotonicInstant?, on id: ConnectionID) {
        guard isOpen(id), !slots[Int(id.index)].flags.contains(.isClosing) else { return }
        schedule(Int(id.index), deadline)
    }

    private mutating func schedule(_ index: Int, _ deadline: MonotonicInstant?) {
        slots[index].deadline = deadline?.nanoseconds ?? ConnectionSlot.never
        guard let deadline, deadline.nanoseconds < slots[index].scheduled else { return }
        slots[index].scheduled = deadline.nanoseconds
        timers.insert(
            .init(deadline: deadline, index: UInt32(index), generation: slots[index].generation)
        )
    }

    /// When the loop has to turn at the latest.
    package var nextDeadline: MonotonicInstant? {
        guard let pausedUntil else { return timers.next }
        return timers.next.map { min($0, pausedUntil) } ?? pausedUntil
    }

    /// The next connection whose deadline has passed.
    package mutating func popDue(now: MonotonicInstant) -> ConnectionID? {
        if let instant = pausedUntil, instant <= now {
            pausedUntil = nil
            for index in listeners.indices { watchListener(index, EPOLLIN.rawValue) }
        }
        while let entry = timers.popDue(now: now) {
            let index = Int(entry.index)
            guard slots[index].generation == entry.generation,
                slots[index].flags.contains(.isOpen),
                slots[index].scheduled == entry.deadline.nanoseconds
            else { continue }
            slots[index].scheduled = ConnectionSlot.never
            let deadline = slots[index].deadline
            if deadline == ConnectionSlot.never { continue }
            if deadline > now.nanoseconds {
                schedule(index, MonotonicInstant(nanoseconds: deadline))
            } else if slots[index].flags.contains(.isLingering) {
                end(index, .closed)
            } else if slots[index].flags.contains(.isClosing) {
                end(index, .broken(code: ETIMEDOUT))
            } else {
                slots[index].deadline = ConnectionSlot.never
                return id(at: Int32(index))
            }
        }
        return nil
    }

    // MARK: The kernel's side

    /// Stops or resumes reading, for a peer that sends faster than it is served.
    package mutating func setReading(_ isReading: Bool, on id: ConnectionID) {
        guard isOpen(id) else { return }
        if isReading {
            slots[Int(id.index)].flags.insert(.isReading)
        } else {
            slots[Int(id.index)].flags.remove(.isReading)
        }
        updateInterest(Int(id.index))
    }

    /// Whether the table takes another connection. An ended one keeps its place until its closure is
    /// taken, so this is not a matter of `count`.
    private var hasPlace: Bool { !free.isEmpty || slotsUsed < limits.connectionsMax }

    private mutating func open(
        _ descriptor: Int32,
        flags: ConnectionSlot.Flags
    ) -> ConnectionID {
        let index: Int
        if let place = free.popLast() {
            index = Int(place)
        } else {
            index = slotsUsed
            slots[index] = .unused(generation: 1)
            slotsUsed += 1
        }
        slots[index].descriptor = descriptor
        slots[index].flags = flags
        count += 1
        return id(at: Int32(index))
    }

    private func attach(_ session: consuming TLSSession, to id: ConnectionID) {
        let pointer = UnsafeMutablePointer<TLSSession>.allocate(capacity: 1)
        pointer.initialize(to: session)
        slots[Int(id.index)].tls = pointer
    }

    private func updateInterest(_ index: Int) {
        let flags = slots[index].flags
        guard flags.contains(.isOpen) else { return }
        let isReading = flags.contains(.isReading) && !flags.contains(.hasEnded)
        let isWriting = slots[index].backlog != nil || flags.contains(.isConnecting)
        guard
            flags.contains(.watchesInput) != isReading
                || flags.contains(.watchesOutput) != isWriting
        else { return }
        slots[index].flags.subtract([.watchesInput, .watchesOutput])
        if isReading { slots[index].flags.insert(.watchesInput) }
        if isWriting { slots[index].flags.insert(.watchesOutput) }
        watch(
            slots[index].descriptor,
            token: id(at: Int32(index)).token,
            EPOLL_CTL_MOD,
            (isReading ? EPOLLIN.rawValue : 0) | (isWriting ? EPOLLOUT.rawValue : 0)
        )
    }

    private func watchListener(_ index: Int, _ events: UInt32) {
        guard listeners[index].descriptor >= 0 else { return }
        let token = Connections.listenerBit | UInt64(index)
        watch(listeners[index].descriptor, token: token, EPOLL_CTL_MOD, events)
    }

    private func watch(_ descriptor: Int32, token: UInt64, _ operation: Int32, _ events: UInt32) {
        var event = epoll_event(events: events, data: epoll_data_t(u64: token))
        let result = epoll_ctl(loop.epoll, operation, descriptor, &event)
        // Only a wrong descriptor or ENOMEM can fail here; the first is our own mistake.
        assert(result == 0 || errno == ENOMEM, "epoll_ctl: \(errno)")
    }
}
