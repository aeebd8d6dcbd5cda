import CLinux
import Glibc

/// How connections end.
extension Connections {
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
    mutating func finishClosing(_ index: Int) {
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

    mutating func end(_ index: Int, _ end: ConnectionEnd) {
        guard slots[index].flags.contains(.isOpen) else { return }
        Glibc.close(slots[index].descriptor)
        Connections.releaseHeap(of: &slots[index])
        slots[index].descriptor = -1
        slots[index].flags.remove(.isOpen)
        slots[index].deadline = ConnectionSlot.never
        count -= 1
        closures.append((id(at: Int32(index)), end))
    }

    static func releaseHeap(of slot: inout ConnectionSlot) {
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
}
