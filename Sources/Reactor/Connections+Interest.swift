import CLinux
import Glibc

/// The events that the kernel watches.
extension Connections {
    /// Stops or resumes reading, for a peer that sends faster than it is served.
    package mutating func setReading(_ isReading: Bool, on id: ConnectionID) {
        guard isOpen(id) else { return }
        if isReading {
            (slots + Int(id.index)).pointee.flags.insert(.isReading)
        } else {
            (slots + Int(id.index)).pointee.flags.remove(.isReading)
        }
        updateInterest(Int(id.index))
    }

    /// Whether the table has a place for another connection. This does not follow from `count`: an
    /// ended connection keeps its place until its closure is taken.
    var hasPlace: Bool { !free.isEmpty || slotsUsed < limits.connectionsMax + limits.refusedMax }

    mutating func open(
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
        (slots + index).pointee.descriptor = descriptor
        (slots + index).pointee.flags = flags
        count += 1
        return id(at: Int32(index))
    }

    func attach(_ session: consuming TLSSession, to id: ConnectionID) {
        let pointer = UnsafeMutablePointer<TLSSession>.allocate(capacity: 1)
        pointer.initialize(to: session)
        (slots + Int(id.index)).pointee.tls = pointer
    }

    func updateInterest(_ index: Int) {
        let flags = (slots + index).pointee.flags
        guard flags.contains(.isOpen) else { return }
        let isReading = flags.contains(.isReading) && !flags.contains(.hasEnded)
        let isWriting = (slots + index).pointee.backlog != nil || flags.contains(.isConnecting)
        guard
            flags.contains(.watchesInput) != isReading
                || flags.contains(.watchesOutput) != isWriting
        else { return }
        (slots + index).pointee.flags.subtract([.watchesInput, .watchesOutput])
        if isReading { (slots + index).pointee.flags.insert(.watchesInput) }
        if isWriting { (slots + index).pointee.flags.insert(.watchesOutput) }
        watch(
            (slots + index).pointee.descriptor,
            token: id(at: Int32(index)).token,
            EPOLL_CTL_MOD,
            (isReading ? EPOLLIN.rawValue : 0) | (isWriting ? EPOLLOUT.rawValue : 0)
        )
    }

    func watchListener(_ index: Int, _ events: UInt32) {
        guard listeners[index].descriptor >= 0 else { return }
        let token = Connections.listenerBit | UInt64(index)
        watch(listeners[index].descriptor, token: token, EPOLL_CTL_MOD, events)
    }

    /// Ends a connection if the kernel cannot watch it, for lack of memory or of watches (epoll(7),
    /// max_user_watches), since its input would remain unnoticed.
    @discardableResult
    mutating func beginWatching(_ descriptor: Int32, _ id: ConnectionID) -> Bool {
        var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: id.token))
        if epoll_ctl(loop.epoll, EPOLL_CTL_ADD, descriptor, &event) == 0 { return true }
        end(Int(id.index), .broken(code: errno))
        return false
    }

    func watch(_ descriptor: Int32, token: UInt64, _ operation: Int32, _ events: UInt32) {
        var event = epoll_event(events: events, data: epoll_data_t(u64: token))
        let result = epoll_ctl(loop.epoll, operation, descriptor, &event)
        // Only an invalid descriptor or ENOMEM can fail here; the first is our own mistake.
        assert(result == 0 || errno == ENOMEM, "epoll_ctl: \(errno)")
    }
}
