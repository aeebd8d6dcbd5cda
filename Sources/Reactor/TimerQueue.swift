import HeapModule

/// Deadlines of the entries of a table, at most one each, soonest first.
///
/// An entry is identified by its index and generation. Postponing a deadline costs nothing: it
/// keeps its place in the heap and is put back when it is reached. A connection that receives bytes
/// all the time does not touch the heap for each of them.
struct TimerQueue: ~Copyable {
    struct Entry: Comparable {
        var deadline: MonotonicInstant
        var index: UInt32
        var generation: UInt32

        static func < (left: Entry, right: Entry) -> Bool { left.deadline < right.deadline }
    }

    private var heap = Heap<Entry>()

    /// The latest time to call `popDue`. Some of the deadlines may turn out to be postponed.
    var next: MonotonicInstant? { heap.min?.deadline }

    mutating func insert(_ entry: Entry) {
        heap.insert(entry)
    }

    mutating func popDue(now: MonotonicInstant) -> Entry? {
        guard let first = heap.min, first.deadline <= now else { return nil }
        return heap.removeMin()
    }
}
