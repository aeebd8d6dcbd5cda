import CLinux

/// The progress of a peer that reads, as the kernel reports it.
package struct PeerReading: Equatable, Sendable {
    /// A place in the output that only moves when the peer reads. Places of one connection can be
    /// compared. For TCP it is the end of the peer's window; for other sockets, the bytes that the kernel
    /// has taken from the queue.
    package var place: UInt64
    /// The bytes that the peer's side has not received; they include the queue.
    package var waitingBytes: Int

    /// Fewer bytes can be the rounding of a window (RFC 7323 §2.2).
    package static let bytesMin: UInt64 = 4 << 10

    package init(place: UInt64, waitingBytes: Int) {
        self.place = place
        self.waitingBytes = waitingBytes
    }

    /// Whether the peer has read since it was at another place. A smaller place is that of a later
    /// queue: the former one was read.
    package func isPast(_ place: UInt64) -> Bool {
        self.place < place || self.place - place >= PeerReading.bytesMin
    }
}

/// The reading of peers: it distinguishes a peer that is slow from one that does not read.
extension Connections {
    /// System calls, so not for each send.
    package func reading(of id: ConnectionID) -> PeerReading {
        guard isOpen(id) else { return PeerReading(place: 0, waitingBytes: 0) }
        return reading(Int(id.index))
    }

    func reading(_ index: Int) -> PeerReading {
        let backlog = (slots + index).pointee.backlog
        let queued = backlog?.pointee.count ?? 0
        var reading = varde_tcp_reading()
        guard varde_tcp_reading((slots + index).pointee.descriptor, &reading) == 0 else {
            return PeerReading(place: backlog?.pointee.taken ?? 0, waitingBytes: queued)
        }
        let unacknowledged = Int(clamping: reading.unacknowledged)
        return PeerReading(place: reading.window_end, waitingBytes: queued + unacknowledged)
    }

    /// Waits for the peer of a closing connection to read from its queue.
    mutating func awaitReading(_ index: Int) {
        (slots + index).pointee.backlog!.pointee.place = reading(index).place
        schedule(index, loop.clock.now + limits.stallTimeout)
    }

    /// Whether the peer of a closing connection has read since `awaitReading`, and has more time for that
    /// reason.
    ///
    /// The kernel reports room only when a third of its buffer is free. Over a slow link that takes longer
    /// than a peer may stall.
    mutating func awaitsReadingOn(_ index: Int) -> Bool {
        guard let backlog = (slots + index).pointee.backlog else { return false }
        guard reading(index).isPast(backlog.pointee.place) else { return false }
        awaitReading(index)
        return true
    }
}
