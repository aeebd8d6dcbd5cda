/// Counts the publications of the topics that have the most, with a bounded number of counters.
///
/// The space-saving algorithm (Metwally, Agrawal and El Abbadi: "Efficient Computation of Frequent
/// and Top-k Elements in Data Streams", 2005). Up to `countMax` topics have a counter each, and
/// their counts are exact. A publication of another topic takes over the counter with the smallest
/// count. The topic inherits this count, which is noted as its possible error. So every topic with
/// more than one in `countMax` of all publications has a counter.
///
/// Finding the smallest count takes a heap of counters, whose places are small integers: an update
/// of a topic that has a counter hashes its name once.
package struct TopicCounters: Sendable {
    package struct Counter: Sendable, Equatable {
        package let topic: Topic
        /// Since the topic has the counter: a lower bound, which is exact for topics that never lost
        /// theirs.
        package fileprivate(set) var publications: UInt64
        /// Bytes of payloads, since the topic has the counter.
        package fileprivate(set) var bytes: UInt64
        /// The count of the topic whose counter this was.
        fileprivate let inherited: UInt64

        fileprivate var rank: UInt64 { inherited + publications }
    }

    package let countMax: Int
    package private(set) var counters: [Counter] = []
    /// The index of each topic's counter.
    private var indices: [Topic: Int32] = [:]
    /// Indices of the counters, the smallest count at the root.
    private var heap: [Int32] = []
    /// By the index of a counter: its place in the heap.
    private var places: [Int32] = []

    package init(countMax: Int) {
        precondition((1...Int(Int32.max)).contains(countMax), "\(countMax) counters")
        self.countMax = countMax
    }

    /// - Complexity: O(log `countMax`).
    package mutating func add(_ topic: Topic, publications: Int, bytes: Int) {
        let (publications, bytes) = (UInt64(publications), UInt64(bytes))
        if let index = indices[topic] {
            counters[Int(index)].publications += publications
            counters[Int(index)].bytes += bytes
            return siftDown(from: Int(places[Int(index)]))
        }
        guard counters.count < countMax else {
            return replaceSmallest(topic, publications, bytes)
        }
        let index = Int32(counters.count)
        counters.append(
            Counter(topic: topic, publications: publications, bytes: bytes, inherited: 0)
        )
        indices[topic] = index
        places.append(Int32(heap.count))
        heap.append(index)
        siftUp(from: heap.count - 1)
    }

    private mutating func replaceSmallest(_ topic: Topic, _ publications: UInt64, _ bytes: UInt64) {
        let index = heap[0]
        let former = counters[Int(index)]
        indices[former.topic] = nil
        indices[topic] = index
        counters[Int(index)] = Counter(
            topic: topic,
            publications: publications,
            bytes: bytes,
            inherited: former.rank
        )
        siftDown(from: 0)
    }

    // MARK: The heap

    private func rank(at place: Int) -> UInt64 { counters[Int(heap[place])].rank }

    private mutating func siftDown(from start: Int) {
        var place = start
        while true {
            var smallest = place
            for child in (2 * place + 1)..<(2 * place + 3) where child < heap.count {
                if rank(at: child) < rank(at: smallest) { smallest = child }
            }
            guard smallest != place else { return }
            swap(place, smallest)
            place = smallest
        }
    }

    private mutating func siftUp(from start: Int) {
        var place = start
        while place > 0, rank(at: place) < rank(at: (place - 1) / 2) {
            swap(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    private mutating func swap(_ one: Int, _ other: Int) {
        heap.swapAt(one, other)
        places[Int(heap[one])] = Int32(one)
        places[Int(heap[other])] = Int32(other)
    }
}
