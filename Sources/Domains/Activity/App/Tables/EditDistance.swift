/// The number of typing mistakes between two words: a letter left out, put in, replaced, or swapped
/// with its neighbour.
enum EditDistance {
    /// Mistakes that are forgiven in a word of so many letters.
    static func allowed(length: Int) -> Int {
        switch length {
        case ..<4: 0
        case ..<8: 1
        default: 2
        }
    }

    /// Returns the number of mistakes that a typed word may have, and the lengths of the words that
    /// it may match; nil for a word that matches only itself.
    ///
    /// A word of three letters that no title has may be one of four with a letter left out: the
    /// mistake that leaves the fewest letters.
    static func allowed(_ length: Int, isKnown: Bool) -> (mistakes: Int, lengths: ClosedRange<Int>)?
    {
        if length == 3, !isKnown { return (1, 4...4) }
        let mistakes = allowed(length: length)
        return mistakes > 0 ? (mistakes, (length - mistakes)...(length + mistakes)) : nil
    }

    /// The distance of two words; nil when it is over `max`.
    ///
    /// - Complexity: O(n · max), with `n` the longer word's length; ends early where it is over `max`.
    static func between(
        _ left: [Unicode.Scalar],
        _ right: [Unicode.Scalar],
        max: Int
    ) -> Int? {
        guard abs(left.count - right.count) <= max else { return nil }
        // Rows of the table of distances of all beginnings; swaps look two rows back.
        let far = max + 1
        var before: [Int] = []
        var last = (0...right.count).map { min($0, far) }
        for i in 0..<left.count {
            var row = [Int](repeating: far, count: right.count + 1)
            row[0] = min(i + 1, far)
            let from = Swift.max(0, i - max)
            let to = min(right.count, i + max + 1)
            if from < to {
                for j in from..<to {
                    let isSame = left[i] == right[j]
                    var distance = min(last[j] + (isSame ? 0 : 1), last[j + 1] + 1, row[j] + 1)
                    if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                        distance = min(distance, before[j - 1] + 1)
                    }
                    row[j + 1] = min(distance, far)
                }
            }
            guard row.contains(where: { $0 <= max }) else { return nil }
            before = last
            last = row
        }
        return last[right.count] <= max ? last[right.count] : nil
    }
}
