/// The index by subscriber and topic: open addressing with linear probing, at most half full.
///
/// A `Dictionary` would take two to four times the memory, because it has to store the key, which
/// the slab has already. Neither a subscriber's slot nor a topic's number is chosen by a client, so
/// the hash needs no secret seed.
extension SubscriptionTable {
    /// A power of two, as every size of the index.
    private static let sizeMin = 16

    func entry(of subscriber: Int32, in topic: Int32) -> Int32? {
        guard !index.isEmpty else { return nil }
        var bucket = home(subscriber, topic)
        while index[bucket] != Self.none {
            let subscription = slab[Int(index[bucket])]
            if subscription.subscriber == subscriber, subscription.topic == topic {
                return index[bucket]
            }
            bucket = wrapped(bucket + 1)
        }
        return nil
    }

    /// `count` includes the entry already.
    mutating func insertIntoIndex(_ entry: Int32) {
        if count * 2 > index.count {
            let entries = index.filter { $0 != Self.none }
            index = Array(repeating: Self.none, count: max(Self.sizeMin, index.count * 2))
            for entry in entries { place(entry) }
        }
        place(entry)
    }

    /// Closes the hole by moving later entries of the probe sequence back, so that no tombstones
    /// gather.
    mutating func removeFromIndex(_ entry: Int32) {
        var hole = home(of: entry)
        while index[hole] != entry { hole = wrapped(hole + 1) }
        var bucket = wrapped(hole + 1)
        while index[bucket] != Self.none {
            let distanceFromHome = wrapped(bucket - home(of: index[bucket]))
            if distanceFromHome >= wrapped(bucket - hole) {
                index[hole] = index[bucket]
                hole = bucket
            }
            bucket = wrapped(bucket + 1)
        }
        index[hole] = Self.none
    }

    private mutating func place(_ entry: Int32) {
        var bucket = home(of: entry)
        while index[bucket] != Self.none { bucket = wrapped(bucket + 1) }
        index[bucket] = entry
    }

    private func home(of entry: Int32) -> Int {
        let subscription = slab[Int(entry)]
        return home(subscription.subscriber, subscription.topic)
    }

    /// Multiplication by 2^64 divided by the golden ratio spreads the low bits over the high ones.
    private func home(_ subscriber: Int32, _ topic: Int32) -> Int {
        let key = UInt64(UInt32(bitPattern: subscriber)) << 32 | UInt64(UInt32(bitPattern: topic))
        let mixed = (key ^ (key >> 32)) &* 0x9E37_79B9_7F4A_7C15
        return wrapped(Int(truncatingIfNeeded: mixed >> 32))
    }

    private func wrapped(_ bucket: Int) -> Int {
        bucket & (index.count - 1)
    }
}
