import CLinux
import Glibc

/// What the peers get: staged once, flushed at the end of the turn, kept while a peer does not read.
extension Connections {
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

    mutating func send(_ range: OutputRange, to index: Int) {
        // One that has ended in this turn may still be among the subscribers: staging for others can
        // flush, and a flush can end it.
        guard slots[index].flags.isDisjoint(with: .isClosing), slots[index].flags.contains(.isOpen)
        else { return }
        stage.add(range, to: &slots[index])
        markDirty(index)
    }

    mutating func markDirty(_ index: Int) {
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

    mutating func flush(_ index: Int) {
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

    mutating func transmitTLSOutput(_ index: Int) {
        defer { tlsBuffers.clearOutput() }
        if !tlsBuffers.output.isEmpty { transmit(index, tlsBuffers.output) }
    }

    mutating func transmit(_ index: Int, _ bytes: UnsafeRawBufferPointer) {
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

    mutating func queue(_ index: Int, _ rest: UnsafeRawBufferPointer) {
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

    mutating func sendBacklog(_ index: Int) {
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
}
