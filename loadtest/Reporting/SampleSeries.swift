/// The rows of a long run, bounded: when there are too many, every other one goes, and from then on each stands
/// for twice as long.
struct SampleSeries: Sendable {
    private let countMax: Int
    private(set) var rows: [Report.Sample] = []
    /// How many of the intervals first asked for one row stands for.
    private(set) var stride = 1

    init(countMax: Int) {
        precondition(countMax >= 2)
        self.countMax = countMax
    }

    mutating func append(_ row: Report.Sample) {
        rows.append(row)
        guard rows.count > countMax else { return }
        rows = rows.indices.filter { $0 % 2 == 1 }.map { rows[$0] }
        stride *= 2
    }

    /// By how much, as a part of it, the highest value of the first quarter is exceeded in the last one; nil with
    /// fewer than eight rows, which say nothing of a trend.
    func growth(of name: String) -> Double? {
        let values = rows.compactMap { row in row.figures.first { $0.name == name }?.value }
        guard values.count >= 8 else { return nil }
        let quarter = values.count / 4
        guard let first = values.prefix(quarter).max(), let last = values.suffix(quarter).max(),
            first > 0
        else { return nil }
        return last / first - 1
    }
}
