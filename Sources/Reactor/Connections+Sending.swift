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

    /// The bytes that the kernel has sent on a connection, each once, those of TLS and HTTP
    /// included; nil for a Unix socket. The kernel counts them, so sending costs nothing more, and
    /// this is a system call.
    package func sentBytes(_ id: ConnectionID) -> UInt64? {
        guard isOpen(id) else { return nil }
        return UInt64(exactly: varde_tcp_bytes_sent((slots + Int(id.index)).pointee.descriptor))
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
        if !isRingDecided { openRing() }
        flush(writesMax: limits.turnWritesMax)
    }

    /// Opens the ring with the first flush, not when it is first worth it: there may be no descriptor
    /// for it then. Not earlier, because the kernel interrupts the thread that opened a ring when the
    /// ring is closed; so that has to be the loop's own.
    private mutating func openRing() {
        isRingDecided = true
        if limits.ringSendsMin <= limits.connectionsMax { ring = SendRing() }
    }

    private mutating func flush(writesMax: Int) {
        var writes = 0
        while firstDirty < dirty.count, writes < writesMax {
            let index = Int(dirty[firstDirty])
            firstDirty += 1
            writes += flush(index)
        }
        sendPending()
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

    /// Sends the queued bytes of one connection, or adds them to `pending`; returns the number of
    /// writes that it counts as.
    private mutating func flush(_ index: Int) -> Int {
        // The connection has ended, or its place belongs to another one that was already served.
        guard (slots + index).pointee.flags.contains(.isDirty) else { return 0 }
        (slots + index).pointee.flags.remove(.isDirty)
        let slot = slots + index
        let writes: Int
        if (slots + index).pointee.tls != nil {
            writes = flushEncrypted(index)
        } else if let range = stage.takeRange(from: &slot.pointee) {
            writes = 1 + range.count / Connections.writeBytes
            if (slots + index).pointee.backlog != nil {
                transmit(index, stage.bytes(range))
            } else if !range.isEmpty {
                pending.append(PendingSend(place: Int32(index), range: range))
            }
        } else {
            let plaintext = stage.take(from: &slot.pointee)
            writes = 1 + plaintext.count / Connections.writeBytes
            transmit(index, plaintext)
        }
        if pending.isFull { sendPending() }
        if (slots + index).pointee.flags.contains(.isClosing) {
            sendPending()
            finishClosing(index)
        }
        return writes
    }

    private mutating func flushEncrypted(_ index: Int) -> Int {
        let slot = slots + index
        let plaintext = stage.take(from: &slot.pointee)
        let writes = 1 + plaintext.count / Connections.writeBytes
        guard !plaintext.isEmpty else { return writes }
        let start = tlsBuffers.output.count
        let error = (slots + index).pointee.tls!.pointee.send(plaintext)
        let range = OutputRange(start: start, end: tlsBuffers.output.count)
        let send = PendingSend(place: Int32(index), isEncrypted: true, range: range)
        if (slots + index).pointee.backlog != nil {
            transmit(index, bytes(of: send))
            if pending.isEmpty { tlsBuffers.clearOutput() }
        } else if !range.isEmpty {
            pending.append(send)
        }
        if error != nil || range.end > Connections.pendingBytesMax { sendPending() }
        if let error { end(index, .tlsFailed(error.description)) }
        return writes * 2
    }

    mutating func transmitTLSOutput(_ index: Int) {
        assert(pending.isEmpty, "the output of several connections")
        defer { tlsBuffers.clearOutput() }
        if !tlsBuffers.output.isEmpty { transmit(index, tlsBuffers.output) }
    }

    // MARK: Sends of a flush

    /// Sends what the connections of this flush have to send, with one system call if the kernel
    /// offers it.
    private mutating func sendPending() {
        guard !pending.isEmpty else { return }
        if ring != nil, pending.count >= limits.ringSendsMin {
            sendByRing()
        } else {
            for number in 0..<pending.count {
                let each = pending[number]
                transmit(Int(each.place), bytes(of: each))
            }
        }
        pending.removeAll()
        tlsBuffers.clearOutput()
    }

    private mutating func sendByRing() {
        let count = pending.count
        for number in 0..<count {
            let each = pending[number]
            ring!.add(bytes(of: each), to: (slots + Int(each.place)).pointee.descriptor)
        }
        let isSubmitted = ring!.submit()
        var (whole, bytesSent) = (0, 0)
        for number in 0..<count {
            let each = pending[number]
            let result = ring!.result(of: number)
            if result == each.range.count {
                whole += 1
                bytesSent += each.range.count
            } else if let result {
                counters.ringWrites += 1
                finishTransmit(Int(each.place), bytes(of: each), result)
            } else {
                transmit(Int(each.place), bytes(of: each))
            }
        }
        // Once for all, because most are sent whole.
        counters.writes += UInt64(whole)
        counters.ringWrites += UInt64(whole)
        counters.bytesSent += UInt64(bytesSent)
        if !isSubmitted { ring = nil }
    }

    private func bytes(of send: PendingSend) -> UnsafeRawBufferPointer {
        guard send.isEncrypted else { return stage.bytes(send.range) }
        return UnsafeRawBufferPointer(
            rebasing: tlsBuffers.output[send.range.start..<send.range.end]
        )
    }

    mutating func transmit(_ index: Int, _ bytes: UnsafeRawBufferPointer) {
        guard (slots + index).pointee.descriptor >= 0 else { return }
        guard (slots + index).pointee.backlog == nil else { return queue(index, bytes) }
        let sent = Glibc.send(
            (slots + index).pointee.descriptor,
            bytes.baseAddress,
            bytes.count,
            Int32(MSG_NOSIGNAL)
        )
        finishTransmit(index, bytes, sent < 0 ? -Int(errno) : sent)
    }

    /// Queues what was not sent.
    ///
    /// - Parameter result: the number of bytes that were sent, or a negative errno.
    private mutating func finishTransmit(
        _ index: Int,
        _ bytes: UnsafeRawBufferPointer,
        _ result: Int
    ) {
        if result < 0, result != -Int(EAGAIN), result != -Int(EINTR) {
            return end(index, .broken(code: Int32(-result)))
        }
        let sent = max(0, result)
        counters.writes += 1
        counters.bytesSent += UInt64(sent)
        if sent == bytes.count { return }
        counters.partialWrites += 1
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
                awaitReading(index)
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
