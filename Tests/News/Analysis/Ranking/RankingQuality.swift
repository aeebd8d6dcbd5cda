import Glibc

/// How well an order foretells sizes.
enum RankingQuality {
    /// Spearman's rank correlation; 0 if all values of a side are equal.
    static func spearman(_ scores: [Double], _ sizes: [Double]) -> Double {
        let (one, other) = (ranks(scores), ranks(sizes))
        let mean = Double(scores.count - 1) / 2
        var (product, left, right) = (0.0, 0.0, 0.0)
        for (a, b) in zip(one, other) {
            product += (a - mean) * (b - mean)
            left += (a - mean) * (a - mean)
            right += (b - mean) * (b - mean)
        }
        return left > 0 && right > 0 ? product / (left * right).squareRoot() : 0
    }

    /// Normalised discounted cumulative gain of the first `depth`. Equal scores share their gain.
    static func ndcg(_ scores: [Double], _ sizes: [Double], depth: Int = 10) -> Double {
        let order = scores.indices.sorted { scores[$0] > scores[$1] }
        var gains: [Double] = []
        var start = 0
        while start < order.count {
            let end =
                order[start...].firstIndex { scores[$0] != scores[order[start]] } ?? order.count
            let group = order[start..<end].map { sizes[$0] }
            gains += group.map { _ in group.reduce(0, +) / Double(group.count) }
            start = end
        }
        let ideal = sizes.sorted(by: >)
        func discounted(_ gains: [Double]) -> Double {
            gains.prefix(depth).enumerated().reduce(0) {
                $0 + $1.element / log2(Double($1.offset + 2))
            }
        }
        return discounted(gains) / discounted(ideal)
    }

    /// Ranks from 0; equal values have the mean of theirs.
    private static func ranks(_ values: [Double]) -> [Double] {
        let order = values.indices.sorted { values[$0] < values[$1] }
        var ranks = [Double](repeating: 0, count: values.count)
        var start = 0
        while start < order.count {
            let end =
                order[start...].firstIndex { values[$0] != values[order[start]] } ?? order.count
            for index in order[start..<end] { ranks[index] = Double(start + end - 1) / 2 }
            start = end
        }
        return ranks
    }
}
