/// One history of a topic, whatever epochs name it.
struct HistoryName: Hashable {
    /// The epoch of the store.
    var storeEpoch: String
    var topic: Int
    /// It has nothing up to this cursor; 0 for one that began while nothing of its namespace was forgotten.
    var beginning: UInt64
}

/// All histories that there ever were, and which of them an epoch names.
///
/// An epoch is `epoch-2` or `epoch-2-1234`: it names the first history that has nothing up to that cursor. So
/// a client that was there before the topic had publications, and one that came later, may have
/// different texts for the same.
struct KnownHistories {
    private struct Key: Hashable {
        var storeEpoch: String
        var topic: Int
    }

    /// In ascending order.
    private var beginnings: [Key: [UInt64]] = [:]

    mutating func add(_ history: HistoryName) {
        let key = Key(storeEpoch: history.storeEpoch, topic: history.topic)
        guard beginnings[key]?.last != history.beginning else { return }
        beginnings[key, default: []].append(history.beginning)
    }

    /// Nil for one that has not begun.
    func named(_ epoch: String, of topic: Int) -> HistoryName? {
        let (storeEpoch, place) = KnownHistories.parts(epoch)
        let all = beginnings[Key(storeEpoch: storeEpoch, topic: topic)] ?? []
        return all.first { $0 >= place }.map {
            HistoryName(storeEpoch: storeEpoch, topic: topic, beginning: $0)
        }
    }

    /// Whether two epochs of a topic name one history.
    func areSame(_ epoch: String, _ other: String, of topic: Int) -> Bool {
        epoch == other
            || KnownHistories.parts(epoch).storeEpoch == KnownHistories.parts(other).storeEpoch
                && named(epoch, of: topic) == named(other, of: topic)
    }

    /// The store's epoch, and the cursor up to which there is nothing.
    static func parts(_ epoch: String) -> (storeEpoch: String, place: UInt64) {
        let parts = epoch.split(separator: "-")
        return (parts.prefix(2).joined(separator: "-"), parts.count > 2 ? UInt64(parts[2])! : 0)
    }
}
