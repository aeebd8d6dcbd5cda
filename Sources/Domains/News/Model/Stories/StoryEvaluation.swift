import Glibc

/// The agreement of groups with the labels of a person.
package struct StoryEvaluation: Equatable, Sendable {
    package var itemCount: Int
    package var groupCount: Int
    package var labelCount: Int
    /// B-cubed: of the items in an item's group, the share with its label; the mean of all items.
    package var precision: Double
    /// B-cubed: of the items with an item's label, the share in its group; the mean of all items.
    package var recall: Double
    /// Mutual information, divided by the arithmetic mean of both entropies; 1 for equal
    /// partitions, also if both have one part.
    package var normalisedMutualInformation: Double
    /// Rand's index, corrected so that 0 is the expectation by chance and 1 is agreement.
    package var adjustedRandIndex: Double

    /// The harmonic mean of B-cubed precision and recall.
    package var f1: Double {
        precision + recall > 0 ? 2 * precision * recall / (precision + recall) : 0
    }

    /// - Parameter pairs: the group and the label of each item.
    package init<Group: Hashable, Label: Hashable>(_ pairs: [(group: Group, label: Label)]) {
        var table = Contingency<Group, Label>()
        for pair in pairs { table.add(pair.group, pair.label) }
        itemCount = pairs.count
        groupCount = table.groups.count
        labelCount = table.labels.count
        precision = table.agreement { table.groups[$0.group] }
        recall = table.agreement { table.labels[$0.label] }
        normalisedMutualInformation = table.normalisedMutualInformation
        adjustedRandIndex = table.adjustedRandIndex
    }
}

/// The number of items in each group, with each label, and with both.
private struct Contingency<Group: Hashable, Label: Hashable> {
    struct Cell: Hashable {
        var group: Group
        var label: Label
    }

    var groups: [Group: Int] = [:]
    var labels: [Label: Int] = [:]
    var cells: [Cell: Int] = [:]
    var count = 0

    mutating func add(_ group: Group, _ label: Label) {
        groups[group, default: 0] += 1
        labels[label, default: 0] += 1
        cells[Cell(group: group, label: label), default: 0] += 1
        count += 1
    }

    /// The mean over all items of the share that an item's cell has in a row or column.
    func agreement(size: (Cell) -> Int?) -> Double {
        guard count > 0 else { return 0 }
        let sum = sortedSum(cells.map { Double($1 * $1) / Double(size($0) ?? 1) })
        return sum / Double(count)
    }

    var normalisedMutualInformation: Double {
        guard count > 0 else { return 0 }
        let entropies = entropy(groups.values) + entropy(labels.values)
        guard entropies > 0 else { return 1 }
        let information = entropies - entropy(cells.values)
        return 2 * information / entropies
    }

    var adjustedRandIndex: Double {
        let pairs = { (counts: [Int]) in Double(counts.reduce(0) { $0 + $1 * ($1 - 1) / 2 }) }
        let (inGroups, inLabels) = (pairs(Array(groups.values)), pairs(Array(labels.values)))
        let all = pairs([count])
        guard all > 0 else { return 1 }
        let expected = inGroups * inLabels / all
        let greatest = (inGroups + inLabels) / 2
        // Both have one part, or both have only single items.
        guard greatest != expected else { return 1 }
        return (pairs(Array(cells.values)) - expected) / (greatest - expected)
    }

    private func entropy(_ counts: some Sequence<Int>) -> Double {
        let shares = counts.map { Double($0) / Double(count) }
        return -sortedSum(shares.map { $0 * log($0) })
    }

    /// The same for every order of the summands, which a dictionary does not define.
    private func sortedSum(_ summands: [Double]) -> Double {
        summands.sorted().reduce(0, +)
    }
}
