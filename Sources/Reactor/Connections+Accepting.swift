import CLinux
import Glibc

/// The acceptance of connections, and the refusal of those over a limit.
///
/// A connection over a limit is accepted and refused; if it stayed in the kernel's queue, its client
/// would wait in vain. The caller reads its request, because the right refusal depends on the
/// client. When the process is out of descriptors, a spare one is used for the connection until it
/// is refused.
extension Connections {
    package mutating func accept(_ listener: ListenerID) -> Accepted {
        let entry = listeners[listener.index]
        guard entry.descriptor >= 0, pausedUntil == nil else { return .none }
        let descriptor = varde_accept(entry.descriptor)
        guard descriptor >= 0 else { return acceptFailed(errno, listener) }
        // The last descriptors are for other code; and what is missing was freed by another loop to
        // refuse a connection.
        if DescriptorReserve.isForOthers(descriptor) || reserve.isMissing {
            counters.refusedDescriptors += 1
            turnAway(descriptor, isEncrypted: entry.tls != nil)
            reserve.refill()
            return .refused
        }
        let peer = limits.trust.isEmpty ? nil : SocketAddress.peer(of: descriptor)
        let awaitsHeader = sendsHeader(peer, entry.kind)
        switch admit(descriptor, isProxy: awaitsHeader || forwards(peer)) {
        case .success(let place):
            return open(descriptor, place, tls: entry.tls?.context, awaitsHeader: awaitsHeader)
        case .failure(let reason):
            let isEncrypted = entry.tls != nil
            return refuse(descriptor, isEncrypted: isEncrypted, awaitsHeader: awaitsHeader, reason)
        }
    }

    /// Adopts a connected non-blocking stream socket, whatever code accepted it.
    package mutating func adopt(_ descriptor: Int32) -> ConnectionID {
        precondition(hasPlace, "no place for another connection")
        counters.accepted += 1
        let id = open(descriptor, flags: [.isOpen, .isReading, .watchesInput])
        beginWatching(descriptor, id)
        return id
    }

    private mutating func admit(
        _ descriptor: Int32,
        isProxy: Bool
    ) -> Result<ConnectionCensus.Place, ConnectionCensus.Refusal> {
        // The census may allow more than this loop's table holds.
        guard hasPlace, count < limits.connectionsMax else {
            return .failure(.connectionsMax)
        }
        return census?.admit(isProxy ? nil : Peer(of: descriptor)) ?? .success(.none)
    }

    private mutating func open(
        _ descriptor: Int32,
        _ place: ConnectionCensus.Place,
        tls: TLSContext?,
        awaitsHeader: Bool
    ) -> Accepted {
        counters.accepted += 1
        setNoDelay(descriptor)
        setUserTimeout(descriptor, limits.userTimeout)
        let id = open(descriptor, flags: [.isOpen, .isReading, .watchesInput])
        (slots + Int(id.index)).pointee.censusPlace = place
        if awaitsHeader { expectHeader(id) }
        if let tls {
            do throws(TLSError) {
                let session = try TLSSession(context: tls, role: .server, buffers: tlsBuffers)
                attach(session, to: id)
            } catch {
                // Memory is short. The caller receives the connection and its end.
                end(Int(id.index), .tlsFailed(error.description))
                return .connection(id)
            }
        }
        beginWatching(descriptor, id)
        return .connection(id)
    }

    // MARK: Turning away

    private mutating func refuse(
        _ descriptor: Int32,
        isEncrypted: Bool,
        awaitsHeader: Bool,
        _ reason: ConnectionCensus.Refusal
    ) -> Accepted {
        switch reason {
        case .connectionsMax: counters.refusedConnectionsMax += 1
        case .perAddressMax: counters.refusedPerAddressMax += 1
        }
        guard !isEncrypted, mayReadRefused, hasPlace else {
            turnAway(descriptor, isEncrypted: isEncrypted)
            return .refused
        }
        let id = open(descriptor, flags: [.isOpen, .isReading, .watchesInput])
        countAsRefused(Int(id.index))
        if awaitsHeader { expectHeader(id) }
        beginWatching(descriptor, id)
        return .overLimit(id)
    }

    /// Whether one more connection over a limit may be read.
    var mayReadRefused: Bool { !limits.refusal.bytes.isEmpty && refusedCount < limits.refusedMax }

    /// Takes a connection over a limit out of the number of connections.
    mutating func countAsRefused(_ index: Int) {
        (slots + index).pointee.flags.insert(.isRefused)
        count -= 1
        refusedCount += 1
    }

    /// Whether the connection is over a limit: its request has to be refused.
    package func isOverLimit(_ id: ConnectionID) -> Bool {
        isOpen(id) && (slots + Int(id.index)).pointee.flags.contains(.isRefused)
    }

    /// Refuses without waiting until the peer has read the refusal. Arrived bytes are read first:
    /// closing a socket with unread bytes resets it, and the reset overtakes the refusal.
    private func turnAway(_ descriptor: Int32, isEncrypted: Bool) {
        defer { Glibc.close(descriptor) }
        guard !isEncrypted, !limits.refusal.bytes.isEmpty else { return }
        let count = max(0, recv(descriptor, input.baseAddress, input.count, 0))
        let refusal = limits.refusal.answer(to: UnsafeBufferPointer(rebasing: input[..<count]))
        refusal.withUnsafeBytes {
            _ = Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        shutdown(descriptor, Int32(SHUT_WR))
    }

    // MARK: Failures

    private mutating func acceptFailed(_ code: Int32, _ listener: ListenerID) -> Accepted {
        switch code {
        case EAGAIN: return .none
        // The peer has left while it waited; Linux passes its connection's error to accept.
        case ECONNABORTED, EINTR, EPROTO, ENETDOWN, EHOSTDOWN, ENETUNREACH, EHOSTUNREACH:
            return .refused
        case EMFILE, ENFILE:
            return refuseWithReserve(listener) ?? pause(code)
        default:
            return pause(code)
        }
    }

    /// A level-triggered listener would spin until descriptors or memory are available again.
    private mutating func pause(_ code: Int32) -> Accepted {
        counters.acceptPauses += 1
        pausedUntil = loop.clock.now + limits.acceptPause
        for index in listeners.indices { watchListener(index, 0) }
        return .paused(code: code)
    }

    /// Uses the spare descriptor to refuse the next connection in the kernel's queue, and takes the
    /// descriptor back. Returns nil when there is none to lend.
    private mutating func refuseWithReserve(_ listener: ListenerID) -> Accepted? {
        guard reserve.refill() else { return nil }
        let entry = listeners[listener.index]
        return reserve.lend {
            let descriptor = varde_accept(entry.descriptor)
            // No connection is waiting after all: Linux allocates a descriptor first. Or another
            // thread was faster; if it was another loop, that one frees the descriptor again.
            guard descriptor >= 0 else { return .none }
            counters.refusedDescriptors += 1
            turnAway(descriptor, isEncrypted: entry.tls != nil)
            return .refused
        }
    }
}
