import Glibc

/// The bytes queued for all connections of a loop in one turn, each piece once, however many get it.
struct OutputStage: ~Copyable {
    /// The block shrinks back to this after a turn that needed more.
    private static let sizeInitial = 64 << 10

    private var storage: UnsafeMutableRawPointer
    private var size: Int
    private(set) var count = 0
    private var more: [More] = []

    /// A further range of a connection, and the next one of the same connection.
    private struct More {
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

    mutating func append(_ bytes: UnsafeRawBufferPointer) -> OutputRange {
        let start = count
        if let source = bytes.baseAddress {
            makeRoom(for: bytes.count)
            memcpy(storage + count, source, bytes.count)
            count += bytes.count
        }
        return OutputRange(start: start, end: count)
    }

    /// Adds a range to what a connection gets. Ranges that touch become one: a connection with one topic
    /// has one range, whatever the number of publications.
    @inline(__always)
    mutating func add(_ range: OutputRange, to slot: inout ConnectionSlot) {
        if slot.output.start == slot.output.end {
            slot.output = range
        } else if slot.lastMore < 0, slot.output.end == range.start {
            slot.output.end = range.end
        } else {
            addFurther(range, to: &slot)
        }
    }

    private mutating func addFurther(_ range: OutputRange, to slot: inout ConnectionSlot) {
        if slot.lastMore >= 0, more[Int(slot.lastMore)].range.end == range.start {
            more[Int(slot.lastMore)].range.end = range.end
            return
        }
        let index = Int32(more.count)
        more.append(More(range: range, next: -1))
        if slot.lastMore >= 0 {
            more[Int(slot.lastMore)].next = index
        } else {
            slot.firstMore = index
        }
        slot.lastMore = index
    }

    /// All bytes staged for a connection, in one piece; copied together only when they lie apart.
    mutating func take(from slot: inout ConnectionSlot) -> UnsafeRawBufferPointer {
        defer {
            slot.output = OutputRange(start: 0, end: 0)
            slot.firstMore = -1
            slot.lastMore = -1
        }
        guard slot.firstMore >= 0 else { return bytes(slot.output) }
        var length = slot.output.end - slot.output.start
        var next = slot.firstMore
        while next >= 0 {
            length += more[Int(next)].range.end - more[Int(next)].range.start
            next = more[Int(next)].next
        }
        // Behind what is staged, where the next connection's copy overwrites it.
        makeRoom(for: length)
        var target = storage + count
        copy(slot.output, to: &target)
        next = slot.firstMore
        while next >= 0 {
            copy(more[Int(next)].range, to: &target)
            next = more[Int(next)].next
        }
        return UnsafeRawBufferPointer(start: storage + count, count: length)
    }

    mutating func removeAll() {
        count = 0
        more.removeAll(keepingCapacity: more.count < 1024)
        guard size > OutputStage.sizeInitial else { return }
        storage.deallocate()
        size = OutputStage.sizeInitial
        storage = .allocate(byteCount: size, alignment: 16)
    }

    private func bytes(_ range: OutputRange) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: storage + range.start, count: range.end - range.start)
    }

    private func copy(_ range: OutputRange, to target: inout UnsafeMutableRawPointer) {
        memcpy(target, storage + range.start, range.end - range.start)
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
