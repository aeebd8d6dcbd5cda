/// The bytes of histories, by the number of their topics, with one of the largest found at once.
///
/// Topics are sorted into classes whose bounds are powers of two: a topic moves only when its size passes
/// one, and the largest class has a topic of at least half the size of the largest. So each change is O(1).
struct HistorySizes {
    private struct Place {
        var bytes = 0
        /// The topic's place in its class.
        var index: Int32 = 0
    }

    /// By the number of bits of the size.
    private var classes = [[Int32]](repeating: [], count: Int.bitWidth + 1)
    /// By the topic's number.
    private var places: [Place] = []
    /// Of all topics.
    private(set) var bytes = 0

    /// A topic of the largest class; nil when no topic holds anything.
    var largest: Int32? {
        classes.last { !$0.isEmpty }?.last
    }

    /// Sets the size of a topic's history; 0 for none.
    mutating func set(_ bytes: Int, of number: Int32) {
        assert(bytes >= 0)
        let topic = Int(number)
        if topic >= places.count {
            guard bytes > 0 else { return }
            places += [Place](repeating: Place(), count: topic + 1 - places.count)
        }
        let former = places[topic].bytes
        guard bytes != former else { return }
        self.bytes += bytes - former
        places[topic].bytes = bytes
        let (from, to) = (HistorySizes.class(of: former), HistorySizes.class(of: bytes))
        guard from != to else { return }
        if former > 0 { leave(from, topic) }
        guard bytes > 0 else { return }
        places[topic].index = Int32(classes[to].count)
        classes[to].append(number)
    }

    private mutating func leave(_ from: Int, _ topic: Int) {
        let index = Int(places[topic].index)
        let last = classes[from].removeLast()
        guard Int(last) != topic else { return }
        classes[from][index] = last
        places[Int(last)].index = Int32(index)
    }

    private static func `class`(of bytes: Int) -> Int {
        Int.bitWidth - bytes.leadingZeroBitCount
    }
}
