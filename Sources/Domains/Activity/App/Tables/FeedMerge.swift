/// The activities of many people as one list in the order of their ids, read only as far as needed.
///
/// The activities of each person are already in order, so the next of all is one of their heads: it
/// is taken, and its actor's following one replaces it. Heads that no answer can reach are never
/// needed: for the first n of the list, those of the n people with the best ones suffice.
struct FeedMerge {
    struct Head: Equatable {
        var id: Int
        var personID: Int
    }

    /// The next one is the last.
    private var heads: [Head]
    private let isNewestFirst: Bool

    init(heads: [Head], isNewestFirst: Bool) {
        self.isNewestFirst = isNewestFirst
        self.heads = heads.sorted { isNewestFirst ? $0.id < $1.id : $0.id > $1.id }
    }

    /// Takes the next activity out of the list.
    ///
    /// - Parameter following: the id that comes after the given one among its person's.
    mutating func next(_ following: (Head) throws -> Int?) rethrows -> Int? {
        guard let head = heads.popLast() else { return nil }
        if let id = try following(head) { insert(Head(id: id, personID: head.personID)) }
        return head.id
    }

    /// - Complexity: O(log heads), and the moving of those behind it.
    private mutating func insert(_ head: Head) {
        var low = 0
        var high = heads.count
        while low < high {
            let middle = (low + high) / 2
            let isBefore =
                isNewestFirst ? heads[middle].id < head.id : heads[middle].id > head.id
            if isBefore { low = middle + 1 } else { high = middle }
        }
        heads.insert(head, at: low)
    }
}
