import CLinux
import Glibc

/// The end of connections.
extension Connections {
    /// Ends the connection after all queued bytes are sent. Bytes that the peer still sends are
    /// dropped, and the deadline no longer applies.
    package mutating func close(_ id: ConnectionID) {
        guard isOpen(id), !(slots + Int(id.index)).pointee.flags.contains(.isClosing) else {
            return
        }
        (slots + Int(id.index)).pointee.flags.insert(.isClosing)
        schedule(Int(id.index), nil)
        markDirty(Int(id.index))
    }

    /// Ends the connection at once; queued bytes are lost.
    package mutating func abort(_ id: ConnectionID) {
        guard isOpen(id) else { return }
        end(Int(id.index), .closed)
    }

    /// Returns the next connection that has ended, and frees its place.
    package mutating func takeClosure() -> (id: ConnectionID, end: ConnectionEnd)? {
        guard let closure = closures.popLast() else { return nil }
        slots[Int(closure.id.index)] = .unused(generation: closure.id.nextGeneration)
        free.append(closure.id.index)
        return closure
    }

    /// Sends our end of stream after the last byte; the socket is closed when the peer's has
    /// arrived. If it were closed at once, the kernel would answer bytes still in transit with a
    /// reset, which can destroy data that the peer has not yet read (RFC 9112 §9.6).
    mutating func finishClosing(_ index: Int) {
        guard (slots + index).pointee.flags.contains(.isClosing),
            (slots + index).pointee.flags.contains(.isOpen),
            !(slots + index).pointee.flags.contains(.isLingering)
        else { return }
        guard (slots + index).pointee.backlog == nil else {
            return awaitReading(index)
        }
        if (slots + index).pointee.tls != nil {
            (slots + index).pointee.tls!.pointee.close()
            transmitTLSOutput(index)
            guard (slots + index).pointee.flags.contains(.isOpen) else { return }
            guard (slots + index).pointee.backlog == nil else {
                return awaitReading(index)
            }
        }
        guard (slots + index).pointee.flags.isDisjoint(with: [.hasEnded, .isConnecting]) else {
            return end(index, .closed)
        }
        shutdown((slots + index).pointee.descriptor, Int32(SHUT_WR))
        (slots + index).pointee.flags.insert([.isLingering, .isReading])
        updateInterest(index)
        schedule(index, loop.clock.now + limits.lingerTimeout)
    }

    mutating func end(_ index: Int, _ end: ConnectionEnd) {
        guard (slots + index).pointee.flags.contains(.isOpen) else { return }
        Glibc.close((slots + index).pointee.descriptor)
        backlogBytes -= (slots + index).pointee.backlog?.pointee.heldBytes ?? 0
        Connections.releaseHeap(of: &(slots + index).pointee)
        let slot = slots + index
        stage.forget(&slot.pointee)
        (slots + index).pointee.descriptor = -1
        (slots + index).pointee.flags.subtract([.isOpen, .isDirty])
        (slots + index).pointee.deadline = ConnectionSlot.never
        if (slots + index).pointee.flags.contains(.isRefused) {
            refusedCount -= 1
        } else {
            count -= 1
            counters.count(end)
        }
        census?.release((slots + index).pointee.censusPlace)
        if (slots + index).pointee.flags.contains(.hasOrigin) { origins[UInt32(index)] = nil }
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
