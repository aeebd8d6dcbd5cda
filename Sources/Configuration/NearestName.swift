/// Finds the name that was probably intended.
package enum NearestName {
    /// Returns the name among `names` with the fewest typing errors compared with `text`; nil if
    /// even that name has more errors than half its length, so that the two have little in common.
    package static func find(_ text: String, among names: [String]) -> String? {
        let candidates = names.map { (name: $0, distance: distance(text, $0)) }
        guard let nearest = candidates.min(by: { $0.distance < $1.distance }),
            nearest.distance * 2 <= max(nearest.name.count, 2)
        else { return nil }
        return nearest.name
    }

    /// Returns the number of letters to insert, delete, replace or swap with their neighbour
    /// (optimal string alignment distance).
    package static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left)
        let right = Array(right)
        // Rows of the table of distances between prefixes: two above, above, and the current one.
        var beforePrevious: [Int] = []
        var previous = Array(0...right.count)
        for (row, leftLetter) in left.enumerated() {
            var current = [row + 1]
            for (column, rightLetter) in right.enumerated() {
                var best = min(
                    previous[column + 1] + 1,
                    current[column] + 1,
                    previous[column] + (leftLetter == rightLetter ? 0 : 1)
                )
                if row > 0, column > 0, leftLetter == right[column - 1],
                    left[row - 1] == rightLetter
                {
                    best = min(best, beforePrevious[column - 1] + 1)
                }
                current.append(best)
            }
            beforePrevious = previous
            previous = current
        }
        return previous[right.count]
    }
}
