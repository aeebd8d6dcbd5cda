import Glibc

/// The bytes queued for all connections of a loop, each piece once, however many receive it.
///
/// Bytes are numbered in the order of staging, and a range keeps its numbers while the bytes before
/// it are dropped. A large fan-out can thus be sent over several turns while further bytes are
/// staged.
struct OutputStage: ~Copyable {
    /// The size to which the block shrinks when everything is sent.
    private static let sizeInitial = 64 << 10

    private var storage: UnsafeMutableRawPointer
    private var size: Int
    /// The number of the first byte in the block, and one past that of the last.
    private var start = 0
    private var end = 0
    private var further: [Further] = []
    private var firstFree: Int32 = -1

    /// A further range of a connection, and the next one of the same connection.
    private struct Further {
        var range: OutputRange
        var next: Int32
    }

    init() {
        size = OutputStage.sizeInitial
        storage = .allocate(byteCount: size, alignment: 16)
    }

    deinit {
        storage.deallocate()
    }

    /// The number of staged bytes.
    var count: Int { end - start }

    mutating func append(_ bytes: UnsafeRawBufferPointer) -> OutputRange {
        let first = end
        if let source = bytes.baseAddress {
            makeRoom(for: bytes.count)
            memcpy(storage + count, source, bytes.count)
            end += bytes.count
        }
        return OutputRange(start: first, end: end)
    }

    /// Adds a range to the output of a connection. Adjacent ranges are merged: a connection with
    /// one topic has one range, whatever the number of publications.
    @inline(__always)
    mutating func add(_ range: OutputRange, to slot: inout ConnectionSlot) {
        if slot.output.isEmpty {
            slot.output = range
        } else if slot.lastMore < 0, slot.output.end == range.start {
            slot.output.end = range.end
        } else {
            addFurther(range, to: &slot)
        }
    }

    private mutating func addFurther(_ range: OutputRange, to slot: inout ConnectionSlot) {
        if slot.lastMore >= 0, further[Int(slot.lastMore)].range.end == range.start {
            further[Int(slot.lastMore)].range.end = range.end
            return
        }
        let index = takePlace(range)
        if slot.lastMore >= 0 {
            further[Int(slot.lastMore)].next = index
        } else {
            slot.firstMore = index
        }
        slot.lastMore = index
    }

    private mutating func takePlace(_ range: OutputRange) -> Int32 {
        guard firstFree >= 0 else {
            further.append(Further(range: range, next: -1))
            return Int32(further.count - 1)
        }
        let index = firstFree
        firstFree = further[Int(index)].next
        further[Int(index)] = Further(range: range, next: -1)
        return index
    }

    /// Returns the range of the bytes staged for a connection if they are contiguous, and takes them.
    @inline(__always)
    mutating func takeRange(from slot: inout ConnectionSlot) -> OutputRange? {
        guard slot.firstMore < 0 else { return nil }
        defer { slot.output = .none }
        return slot.output
    }

    /// Returns all bytes staged for a connection, in one piece; copied together only when they are
    /// not contiguous. Valid until more bytes are staged.
    mutating func take(from slot: inout ConnectionSlot) -> UnsafeRawBufferPointer {
        defer { forget(&slot) }
        guard slot.firstMore >= 0 else { return bytes(slot.output) }
        var length = slot.output.end - slot.output.start
        var next = slot.firstMore
        while next >= 0 {
            length += further[Int(next)].range.end - further[Int(next)].range.start
            next = further[Int(next)].next
        }
        // After the staged bytes, where the next connection's copy overwrites it.
        makeRoom(for: length)
        var target = storage + count
        copy(slot.output, to: &target)
        next = slot.firstMore
        while next >= 0 {
            copy(further[Int(next)].range, to: &target)
            next = further[Int(next)].next
        }
        return UnsafeRawBufferPointer(start: storage + count, count: length)
    }

    /// Drops the bytes staged for a connection.
    @inline(__always)
    mutating func forget(_ slot: inout ConnectionSlot) {
        slot.output = .none
        guard slot.firstMore >= 0 else { return }
        further[Int(slot.lastMore)].next = firstFree
        firstFree = slot.firstMore
        slot.firstMore = -1
        slot.lastMore = -1
    }

    /// Drops all bytes, since everything is sent.
    mutating func removeAll() {
        start = 0
        end = 0
        further.removeAll(keepingCapacity: further.count < 1024)
        firstFree = -1
        guard size > OutputStage.sizeInitial else { return }
        storage.deallocate()
        size = OutputStage.sizeInitial
        storage = .allocate(byteCount: size, alignment: 16)
    }

    /// Drops the bytes before this one, which no connection needs. They are dropped only when they
    /// outnumber the others, so that a byte is moved once on average.
    mutating func removeAll(before first: Int) {
        let dropped = first - start
        guard dropped > count / 2 else { return }
        memmove(storage, storage + dropped, count - dropped)
        start = first
    }

    /// The bytes of a range, valid until more bytes are staged.
    func bytes(_ range: OutputRange) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: storage + (range.start - start),
            count: range.end - range.start
        )
    }

    private func copy(_ range: OutputRange, to target: inout UnsafeMutableRawPointer) {
        memcpy(target, storage + (range.start - start), range.end - range.start)
        target += range.end - range.start
    }

    private mutating func makeRoom(for length: Int) {
        guard count + length > size else { return }
        while size < count + length { size *= 2 }
        let larger = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        memcpy(larger, storage, count)
        storage.deallocate()
        storage = larger
    }
}
