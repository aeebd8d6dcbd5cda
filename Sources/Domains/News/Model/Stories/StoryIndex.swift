/// The stories that have a term in their centroid, with its weight.
///
/// Stories are in slots: small numbers that are used again. The order within a list depends on the
/// past, so no result may depend on it; a sum has one summand of each list.
struct StoryIndex: Sendable {
    private struct Posting: Sendable {
        var slot: Int32
        var weight: Double
    }

    private var postings: [UInt64: [Posting]] = [:]

    /// Terms that some centroid has.
    var termCount: Int { postings.count }

    /// Replaces the entries of a story.
    mutating func replace(_ old: TermVector, with new: TermVector, slot: Int) {
        var (index, newIndex) = (0, 0)
        while index < old.count || newIndex < new.count {
            let oldTerm = index < old.count ? old.terms[index] : nil
            let newTerm = newIndex < new.count ? new.terms[newIndex] : nil
            if let oldTerm, newTerm.map({ oldTerm < $0 }) ?? true {
                remove(oldTerm, slot: slot)
                index += 1
            } else if let newTerm, oldTerm.map({ newTerm < $0 }) ?? true {
                insert(newTerm, weight: new.weights[newIndex], slot: slot)
                newIndex += 1
            } else {
                if old.weights[index] != new.weights[newIndex] {
                    update(new.terms[newIndex], weight: new.weights[newIndex], slot: slot)
                }
                index += 1
                newIndex += 1
            }
        }
    }

    private mutating func insert(_ term: UInt64, weight: Double, slot: Int) {
        postings[term, default: []].append(Posting(slot: Int32(slot), weight: weight))
    }

    private mutating func update(_ term: UInt64, weight: Double, slot: Int) {
        StoryIndex.withPosition(of: slot, in: &postings[term, default: []]) { list, position in
            list[position].weight = weight
        }
    }

    private mutating func remove(_ term: UInt64, slot: Int) {
        StoryIndex.withPosition(of: slot, in: &postings[term, default: []]) { list, position in
            list.swapAt(position, list.count - 1)
            list.removeLast()
        }
        if postings[term]?.isEmpty == true { postings[term] = nil }
    }

    private static func withPosition(
        of slot: Int,
        in list: inout [Posting],
        change: (inout [Posting], Int) -> Void
    ) {
        guard let position = list.firstIndex(where: { $0.slot == slot }) else {
            preconditionFailure("the index has lost a story")
        }
        change(&list, position)
    }

    /// Adds the dot product of `vector` with each centroid to `products`.
    func multiply(_ vector: TermVector, into products: inout DotProducts) {
        for (term, weight) in zip(vector.terms, vector.weights) {
            guard let list = postings[term] else { continue }
            for posting in list { products.add(weight * posting.weight, slot: Int(posting.slot)) }
        }
    }
}

/// Dot products with stories by slot. Made once and cleared, so that a search allocates nothing.
struct DotProducts: Sendable {
    private var sums: [Double] = []
    /// Slots whose sum is above 0, in no particular order.
    private(set) var slots: [Int] = []

    mutating func add(_ product: Double, slot: Int) {
        while sums.count <= slot { sums.append(0) }
        if sums[slot] == 0 { slots.append(slot) }
        sums[slot] += product
    }

    subscript(slot: Int) -> Double { slot < sums.count ? sums[slot] : 0 }

    mutating func clear() {
        for slot in slots { sums[slot] = 0 }
        slots.removeAll(keepingCapacity: true)
    }
}
