import CLinux
import Glibc

/// One deadline for each connection.
extension Connections {
    /// Sets the connection's one deadline; nil for none. `popDue` returns the connection once it
    /// has passed.
    package mutating func setDeadline(_ deadline: MonotonicInstant?, on id: ConnectionID) {
        guard isOpen(id), !(slots + Int(id.index)).pointee.flags.contains(.isClosing) else {
            return
        }
        schedule(Int(id.index), deadline)
    }

    mutating func schedule(_ index: Int, _ deadline: MonotonicInstant?) {
        (slots + index).pointee.deadline = deadline?.nanoseconds ?? ConnectionSlot.never
        guard let deadline, deadline.nanoseconds < (slots + index).pointee.scheduled else { return }
        (slots + index).pointee.scheduled = deadline.nanoseconds
        timers.insert(
            .init(
                deadline: deadline,
                index: UInt32(index),
                generation: (slots + index).pointee.generation
            )
        )
    }

    /// The latest time of the loop's next turn.
    package var nextDeadline: MonotonicInstant? {
        if isFlushing { return MonotonicInstant(nanoseconds: 0) }
        guard let pausedUntil else { return timers.next }
        return timers.next.map { min($0, pausedUntil) } ?? pausedUntil
    }

    /// Returns the next connection whose deadline has passed.
    package mutating func popDue(now: MonotonicInstant) -> ConnectionID? {
        if let instant = pausedUntil, instant <= now {
            pausedUntil = nil
            reserve.refill()
            for index in listeners.indices { watchListener(index, EPOLLIN.rawValue) }
        }
        while let entry = timers.popDue(now: now) {
            let index = Int(entry.index)
            guard (slots + index).pointee.generation == entry.generation,
                (slots + index).pointee.flags.contains(.isOpen),
                (slots + index).pointee.scheduled == entry.deadline.nanoseconds
            else { continue }
            (slots + index).pointee.scheduled = ConnectionSlot.never
            let deadline = (slots + index).pointee.deadline
            if deadline == ConnectionSlot.never { continue }
            if deadline > now.nanoseconds {
                schedule(index, MonotonicInstant(nanoseconds: deadline))
            } else if (slots + index).pointee.flags.contains(.isLingering) {
                end(index, .closed)
            } else if (slots + index).pointee.flags.contains(.isClosing) {
                if !awaitsReadingOn(index) { end(index, .stalled) }
            } else {
                (slots + index).pointee.deadline = ConnectionSlot.never
                return id(at: Int32(index))
            }
        }
        return nil
    }
}
