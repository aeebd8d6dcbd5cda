/// Learns the curves from actual likes: for a sample of people it computes the figures of each
/// rated film without that rating. With it, a like would predict itself.
struct Calibration {
    private let rows: RatingTable
    private let regression: FilmRegression
    private let limits: TasteLimits

    init(_ rows: RatingTable, _ regression: FilmRegression, limits: TasteLimits) {
        self.rows = rows
        self.regression = regression
        self.limits = limits
    }

    func curves<Failure: Error>(
        for model: TasteModel,
        checkCancellation: () throws(Failure) -> Void
    ) throws(Failure) -> (similar: LogisticCurve, popular: LogisticCurve) {
        var similar: [LogisticCurve.Example] = []
        var popular: [LogisticCurve.Example] = []
        for row in sampledRows {
            try checkCancellation()
            let own = rows.entries[row]
            let left = LeaveOneOut(own, regression)
            let likes = own.count { $0.isLiked }
            for entry in own {
                let film = Int(entry.film)
                let share = model.likedShare(
                    likes: Double(likes - (entry.isLiked ? 1 : 0)),
                    count: Double(own.count - 1)
                )
                let similarFigures = TasteModel.similarFigures(
                    evidence: left.evidence(for: film),
                    likedShare: share
                )
                let popularFigures = model.popularFigures(
                    count: Double(model.statistics.counts[film] - 1),
                    starsSum: Double(model.statistics.halvesSums[film] - Int32(entry.halves)) / 2,
                    // Recent ratings have no information on the years in which the examples were
                    // rated.
                    recent: 0
                )
                similar.append(.init(figures: similarFigures, isLiked: entry.isLiked))
                popular.append(.init(figures: popularFigures, isLiked: entry.isLiked))
            }
        }
        try checkCancellation()
        return (
            LogisticCurve(TasteModel.similarPrior).fitted(
                to: similar,
                priorWeight: Calibration.priorWeight,
                least: TasteModel.similarLeast
            ),
            LogisticCurve(TasteModel.popularPrior).fitted(
                to: popular,
                priorWeight: Calibration.priorWeight,
                least: TasteModel.popularLeast
            )
        )
    }

    /// Every n-th person's, so many as have at most the number of ratings that is allowed: a sample
    /// without a random source.
    private var sampledRows: [Range<Int>] {
        let stride = max(1, (rows.entries.count - 1) / limits.calibrationRatingsMax + 1)
        var left = limits.calibrationRatingsMax
        var sample: [Range<Int>] = []
        for index in Swift.stride(from: 0, to: rows.rows.count, by: stride) {
            let row = rows.rows[index]
            guard row.count <= left else { break }
            left -= row.count
            sample.append(row)
        }
        return sample
    }

    /// From a few dozen ratings on they weigh as much as the given curve.
    private static let priorWeight = 10.0
}
