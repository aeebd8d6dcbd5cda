import HeapModule

/// Deadlines of the things in a table, at most one each, soonest first.
///
/// A thing is known by its index and generation. Moving a deadline later costs nothing: its entry stays
/// where it is and is put back when it comes up. So a connection that gets bytes all the time does not
/// touch the heap for each of them.
struct TimerQueue: ~Copyable {
    struct Entry: Comparable {
        var deadline: MonotonicInstant
        var index: UInt32
        var generation: UInt32

        static func < (left: Entry, right: Entry) -> Bool { left.deadline < right.deadline }
    }

    private var heap = Heap<Entry>()

    /// When `popDue` has to be called at the latest. Some of the entries may turn out to be moved.
    var next: MonotonicInstant? { heap.min?.deadline }

    mutating func insert(_ entry: Entry) {
        heap.insert(entry)
    }

    mutating func popDue(now: MonotonicInstant) -> Entry? {
        guard let first = heap.min, first.deadline <= now else { return nil }
        return heap.removeMin()
    }
}
