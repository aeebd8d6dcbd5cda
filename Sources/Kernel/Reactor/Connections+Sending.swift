import CLinux
import Glibc

/// Output to peers: staged once, flushed at the end of the turn, and queued while a peer does not
/// read.
extension Connections {
    /// Stages bytes, which can be sent to any number of connections in this turn. Valid until the
    /// next call.
    package mutating func stage(_ bytes: borrowing [UInt8]) -> OutputRange {
        if stage.count > limits.turnBytesMax { flush(writesMax: .max) }
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

    mutating func send(_ range: OutputRange, to index: Int) {
        // A connection that has ended in this turn may still be among the subscribers: staging for
        // others can flush, and a flush can end it.
        guard (slots + index).pointee.flags.isDisjoint(with: .isClosing),
            (slots + index).pointee.flags.contains(.isOpen)
        else { return }
        let slot = slots + index
        stage.add(range, to: &slot.pointee)
        markDirty(index)
    }

    mutating func markDirty(_ index: Int) {
        guard !(slots + index).pointee.flags.contains(.isDirty) else { return }
        (slots + index).pointee.flags.insert(.isDirty)
        dirty.append(UInt32(index))
    }

    /// The bytes queued for one connection in earlier turns.
    package func queuedBytes(_ id: ConnectionID) -> Int {
        isOpen(id) ? (slots + Int(id.index)).pointee.backlog?.pointee.count ?? 0 : 0
    }

    /// The connections with queued bytes, and the memory that each queue uses, in no order.
    ///
    /// - Complexity: O(places in the table).
    package func backlogs() -> [(id: ConnectionID, bytes: Int)] {
        (0..<slotsUsed).compactMap { index in
            guard (slots + index).pointee.flags.contains(.isOpen),
                let backlog = (slots + index).pointee.backlog
            else { return nil }
            return (id(at: Int32(index)), backlog.pointee.heldBytes)
        }
    }

    /// Ends a connection whose peer does not read, as if its queue were full.
    package mutating func giveUp(_ id: ConnectionID) {
        guard isOpen(id) else { return }
        end(Int(id.index), .queueOverflow)
    }

    /// Whether more than `bytes` bytes of earlier turns are queued for the connection at a place.
    package func isBehind(_ place: Int32, moreThan bytes: Int) -> Bool {
        guard let backlog = (slots + Int(place)).pointee.backlog else { return false }
        return backlog.pointee.count > bytes
    }

    /// Whether bytes are queued for the connection that are not yet flushed.
    package func hasUnflushed(_ id: ConnectionID) -> Bool {
        isOpen(id) && !(slots + Int(id.index)).pointee.output.isEmpty
    }

    /// Whether a fan-out is not yet sent to all its connections. `nextDeadline` is in the past
    /// then.
    package var isFlushing: Bool { firstDirty < dirty.count }

    /// Sends the queued bytes, at most one write per connection, in the order of their waiting
    /// time. Work beyond the limit of one turn continues in the next.
    package mutating func flush() {
        flush(writesMax: limits.turnWritesMax)
    }

    private mutating func flush(writesMax: Int) {
        var writes = 0
        while firstDirty < dirty.count, writes < writesMax {
            let index = Int(dirty[firstDirty])
            firstDirty += 1
            writes += flush(index)
        }
        guard isFlushing else { return forgetAll() }
        counters.turnsSplit += 1
        forgetSent()
    }

    private mutating func forgetAll() {
        dirty.removeAll(keepingCapacity: true)
        firstDirty = 0
        stage.removeAll()
    }

    /// Keeps the stage and the list short during a long series of fan-outs.
    private mutating func forgetSent() {
        if firstDirty > dirty.count / 2 {
            dirty.removeFirst(firstDirty)
            firstDirty = 0
        }
        guard stage.count > Connections.inputSize else { return }
        var oldest = Int.max
        for place in dirty[firstDirty...] {
            let output = (slots + Int(place)).pointee.output
            if !output.isEmpty { oldest = min(oldest, output.start) }
        }
        if oldest < Int.max { stage.removeAll(before: oldest) }
    }

    /// Sends the queued bytes of one connection; returns the number of writes that it counts as.
    private mutating func flush(_ index: Int) -> Int {
        // The connection has ended, or its place belongs to another one that was already served.
        guard (slots + index).pointee.flags.contains(.isDirty) else { return 0 }
        (slots + index).pointee.flags.remove(.isDirty)
        let slot = slots + index
        let plaintext = stage.take(from: &slot.pointee)
        var writes = 1 + plaintext.count / Connections.writeBytes
        if !plaintext.isEmpty {
            if (slots + index).pointee.tls == nil {
                transmit(index, plaintext)
            } else {
                writes *= 2
                let error = (slots + index).pointee.tls!.pointee.send(plaintext)
                // Also after a failure: the output until then must not go to the next connection.
                transmitTLSOutput(index)
                if let error { end(index, .tlsFailed(error.description)) }
            }
        }
        if (slots + index).pointee.flags.contains(.isClosing) { finishClosing(index) }
        return writes
    }

    mutating func transmitTLSOutput(_ index: Int) {
        defer { tlsBuffers.clearOutput() }
        if !tlsBuffers.output.isEmpty { transmit(index, tlsBuffers.output) }
    }

    mutating func transmit(_ index: Int, _ bytes: UnsafeRawBufferPointer) {
        guard (slots + index).pointee.descriptor >= 0 else { return }
        var sent = 0
        if (slots + index).pointee.backlog == nil {
            sent = Glibc.send(
                (slots + index).pointee.descriptor,
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
            counters.writes += 1
            counters.bytesSent += UInt64(sent)
            if sent == bytes.count { return }
            counters.partialWrites += 1
        }
        queue(index, UnsafeRawBufferPointer(rebasing: bytes[sent...]))
    }

    mutating func queue(_ index: Int, _ rest: UnsafeRawBufferPointer) {
        let waiting = (slots + index).pointee.backlog?.pointee.count ?? 0
        guard waiting + rest.count <= limits.queueBytesMax else {
            return end(index, .queueOverflow)
        }
        if (slots + index).pointee.backlog == nil {
            (slots + index).pointee.backlog = .allocate(capacity: 1)
            (slots + index).pointee.backlog!.initialize(to: Backlog())
            backlogBytes += (slots + index).pointee.backlog!.pointee.heldBytes
        }
        let held = (slots + index).pointee.backlog!.pointee.heldBytes
        (slots + index).pointee.backlog!.pointee.append(rest)
        backlogBytes += (slots + index).pointee.backlog!.pointee.heldBytes - held
        updateInterest(index)
    }

    mutating func sendBacklog(_ index: Int) {
        let bytes = (slots + index).pointee.backlog!.pointee.bytes
        let sent = Glibc.send(
            (slots + index).pointee.descriptor,
            bytes.baseAddress,
            bytes.count,
            Int32(MSG_NOSIGNAL)
        )
        if sent < 0 {
            if errno != EAGAIN && errno != EINTR { end(index, .broken(code: errno)) }
            return
        }
        counters.writes += 1
        counters.bytesSent += UInt64(sent)
        (slots + index).pointee.backlog!.pointee.removeFirst(sent)
        guard (slots + index).pointee.backlog!.pointee.count == 0 else {
            if (slots + index).pointee.flags.contains(.isClosing) {
                schedule(index, loop.clock.now + limits.stallTimeout)
            }
            return
        }
        backlogBytes -= (slots + index).pointee.backlog!.pointee.heldBytes
        (slots + index).pointee.backlog!.deinitialize(count: 1)
        (slots + index).pointee.backlog!.deallocate()
        (slots + index).pointee.backlog = nil
        updateInterest(index)
        finishClosing(index)
    }
}
