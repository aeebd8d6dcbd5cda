import Glibc
import Timekeeping

/// What everybody's ratings say of the films: which go together, how they are thought of, and how
/// well such figures foretell a like.
///
/// A value, built from scratch by a plain function that can be broken off between two films. A
/// person's own ratings are folded in when they are asked for (`taste(of:)`) and count at once; a
/// model that is older than they are misses no more than what they say to others. The films'
/// neighbours are most of its memory: `TasteLimits`. How it was chosen:
/// docs/DECISIONS/016-recommendations.md.
package struct TasteModel: Sendable {
    package let builtAt: Timestamp
    package let limits: TasteLimits

    let films: FilmTable
    let statistics: FilmStatistics
    let trend: FilmTrend
    private(set) var neighbours = FilmNeighbours()
    /// From `similarFigures` to the probability of a like.
    private(set) var similarCurve = LogisticCurve(TasteModel.similarPrior)
    /// From `popularFigures` to the probability of a like.
    private(set) var popularCurve = LogisticCurve(TasteModel.popularPrior)

    /// Builds the model.
    ///
    /// - Parameters:
    ///   - ratings: of everybody, in any order; of several by one person of one film the latest
    ///     counts, and those of films that are not in `films` do not.
    ///   - films: with distinct ids, in any order.
    ///   - now: when it is; a clock's business.
    ///   - checkCancellation: called between two films; what it throws ends the build.
    package init<Failure: Error>(
        ratings: [TasteRating],
        films: [Film],
        at now: Timestamp,
        limits: TasteLimits = TasteLimits(),
        checkCancellation: () throws(Failure) -> Void
    ) throws(Failure) {
        let latest = TasteRating.latest(of: ratings)
        let table = FilmTable(films)
        let rows = RatingTable(latest, films: table, limits: limits)
        builtAt = now
        self.limits = limits
        self.films = table
        statistics = rows.statistics
        trend = FilmTrend(latest, films: table, at: now)

        var search = NeighbourSearch(
            likedFilms: rows.likedFilms(),
            filmCount: table.count,
            neighboursMax: limits.neighboursPerFilmMax
        )
        var calibration = Calibration(rows: rows, likes: search.likes, limits: limits)
        for film in 0..<table.count {
            try checkCancellation()
            let found = search.neighbours(of: film)
            neighbours.append(found)
            calibration.take(found, of: film)
        }
        try checkCancellation()
        (similarCurve, popularCurve) = calibration.curves(for: self)
    }

    /// Builds the model, whole.
    package init(
        ratings: [TasteRating],
        films: [Film],
        at now: Timestamp,
        limits: TasteLimits = TasteLimits()
    ) {
        self.init(ratings: ratings, films: films, at: now, limits: limits) { () throws(Never) in }
    }

    /// Whether the film was in the catalogue when the model was built.
    package func knows(_ filmID: Int) -> Bool { films.index(of: filmID) != nil }
}

// The figures from which likes are foretold.
extension TasteModel {
    /// What similar films say: with no film like it the sum is zero.
    ///
    /// - Parameters:
    ///   - weightedSum: over the neighbours that the person rated, taste weight times similarity.
    ///   - strength: the sum of the sizes of all the person's taste weights, whose root keeps
    ///     people with many ratings and with few comparable.
    ///   - likedShare: of the person's ratings; people who like most of what they see will like
    ///     this.
    static func similarFigures(
        weightedSum: Double,
        strength: Double,
        likedShare: Double
    ) -> LogisticCurve.Figures {
        let evidence = weightedSum > 0 ? weightedSum / strength.squareRoot() : 0
        return [1, log1p(evidenceScale * evidence), log(likedShare / (1 - likedShare))]
    }

    /// How popular a film is: what people think of it, by the logarithm of how many do.
    ///
    /// - Parameter recent: the decayed number of ratings; each of the last days counts several
    ///   times.
    func popularFigures(count: Double, starsSum: Double, recent: Double) -> LogisticCurve.Figures {
        let attention = log1p(count + TasteModel.trendBoost * recent)
        let mean = statistics.weightedMean(count: count, starsSum: starsSum)
        return [1, attention * (mean - TasteModel.leastStars), 0]
    }

    func popularFigures(of film: Int, decay: Double) -> LogisticCurve.Figures {
        popularFigures(
            count: Double(statistics.counts[film]),
            starsSum: Double(statistics.halvesSums[film]) / 2,
            recent: trend.count(of: film, decay: decay)
        )
    }

    /// The share of likes among a person's ratings, drawn to everybody's.
    func likedShare(likes: Double, count: Double) -> Double {
        let prior = TasteModel.sharePriorCount
        return (likes + prior * statistics.likedShare) / (count + prior)
    }

    /// Puts the usual evidence, 0.01 to 1, where the logarithm bends.
    private static let evidenceScale = 10.0
    /// The end of the scale: only a film of half a star is as if nobody had rated it.
    private static let leastStars = 0.5
    /// A rating of this moment counts as six, one of last month as little more than one.
    private static let trendBoost = 5.0
    /// Ratings by which a share is drawn to the larger group's.
    static let sharePriorCount = 5.0

    /// What the curves were when fitted to MovieLens: where a hub begins that has few ratings.
    static let similarPrior: LogisticCurve.Figures = [-1.1, 0.8, 0.9]
    static let popularPrior: LogisticCurve.Figures = [-1.2, 0.11, 0]
    /// More evidence is never less of a reason, and no two amounts of it are quite the same.
    static let similarLeast: LogisticCurve.Figures = [-.infinity, 0.05, 0]
    static let popularLeast: LogisticCurve.Figures = [-.infinity, 0.005, 0]
}
