import HeapModule

/// Names and the time that each is due, soonest first; of equal times the one that was set first.
///
/// A time that is replaced or removed leaves its entry in the heap: such an entry is known by its
/// ticket, dropped when it comes up, and with all others like it when they outnumber the rest. So every
/// operation costs O(log n), and the heap is never more than twice as large as it has to be.
struct DueQueue: Sendable {
    private struct Entry: Comparable {
        var due: Timestamp
        var ticket: UInt64
        var id: String

        static func < (left: Entry, right: Entry) -> Bool {
            (left.due, left.ticket) < (right.due, right.ticket)
        }
    }

    private struct Place {
        var due: Timestamp
        /// Of the one entry that is valid.
        var ticket: UInt64
    }

    /// Too few to be worth a new heap.
    private static let staleCountMin = 64

    /// Its first entry is a valid one.
    private var heap = Heap<Entry>()
    private var places: [String: Place] = [:]
    private var nextTicket: UInt64 = 0

    var count: Int { places.count }

    /// Those of the heap, the invalid ones included.
    var entryCount: Int { heap.count }

    var firstDue: Timestamp? { heap.min?.due }

    func due(_ id: String) -> Timestamp? { places[id]?.due }

    /// Another one whenever the time of `id` is set.
    func ticket(_ id: String) -> UInt64? { places[id]?.ticket }

    /// Sets or replaces the time of one.
    mutating func set(_ id: String, due: Timestamp) {
        places[id] = Place(due: due, ticket: nextTicket)
        heap.insert(Entry(due: due, ticket: nextTicket, id: id))
        nextTicket += 1
        dropStale()
    }

    /// Returns whether it was there.
    @discardableResult
    mutating func remove(_ id: String) -> Bool {
        guard places.removeValue(forKey: id) != nil else { return false }
        dropStale()
        return true
    }

    /// Takes out the first one if its time has come.
    mutating func popDue(now: Timestamp) -> String? {
        guard let first = heap.min, first.due <= now else { return nil }
        heap.removeMin()
        places[first.id] = nil
        dropStale()
        return first.id
    }

    /// Moves all times, in O(n).
    mutating func shift(by duration: Duration) {
        places = places.mapValues { Place(due: $0.due + duration, ticket: $0.ticket) }
        rebuild()
    }

    private mutating func dropStale() {
        if heap.count > 2 * places.count + DueQueue.staleCountMin { rebuild() }
        while let first = heap.min, places[first.id]?.ticket != first.ticket {
            heap.removeMin()
        }
    }

    private mutating func rebuild() {
        heap = Heap(places.map { Entry(due: $1.due, ticket: $1.ticket, id: $0) })
    }
}
