import Glibc

/// A model of the films from all people's ratings: the relations between films, their popularity,
/// and the curves that predict a like from such figures.
///
/// A value, built from scratch by a plain function that can be cancelled many times a second. A
/// person's own ratings are added on request (`taste(of:)`) and count at once; a model that is
/// older than they are misses only their effect on others. Most of its memory is the regression's:
/// `TasteLimits`. The reasons for this model: docs/DECISIONS/028-recommendation-model.md.
package struct TasteModel: Sendable {
    package let builtAt: Timestamp
    package let limits: TasteLimits

    let films: FilmTable
    let statistics: FilmStatistics
    let trend: FilmTrend
    let regression: FilmRegression
    /// From `similarFigures` to the probability of a like.
    private(set) var similarCurve = LogisticCurve(TasteModel.similarPrior)
    /// From `popularFigures` to the probability of a like.
    private(set) var popularCurve = LogisticCurve(TasteModel.popularPrior)

    /// Builds the model.
    ///
    /// - Parameters:
    ///   - ratings: of all people, in any order; of several by one person of one film the latest
    ///     counts, and those of films that are not in `films` do not.
    ///   - films: with distinct ids, in any order.
    ///   - now: the time of the caller's clock.
    ///   - checkCancellation: called at least every few hundredths of a second; an error that it
    ///     throws ends the build.
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

        regression = try FilmRegression(
            rows,
            filmsMax: limits.relatedFilmsMax,
            checkCancellation: checkCancellation
        )
        (similarCurve, popularCurve) = try Calibration(rows, regression, limits: limits)
            .curves(for: self, checkCancellation: checkCancellation)
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

// The figures from which likes are predicted.
extension TasteModel {
    /// The figures from the related films: without any the evidence is zero.
    ///
    /// - Parameters:
    ///   - evidence: `FilmRegression.evidence`. Below zero it counts as zero: among films that are
    ///     not related to a person's films, it is chance which are related least.
    ///   - likedShare: of the person's ratings; people who like most of what they see will like
    ///     this.
    static func similarFigures(evidence: Double, likedShare: Double) -> LogisticCurve.Figures {
        [1, log1p(evidenceScale * max(evidence, 0)), log(likedShare / (1 - likedShare))]
    }

    /// The figures of a film's popularity: the mean rating, multiplied by the squared logarithm of
    /// the number of ratings. This ranks films for people without ratings as well as the number of
    /// likes does, and better than with the logarithm itself.
    ///
    /// - Parameter recent: the decayed number of ratings; each of the last days counts several
    ///   times.
    func popularFigures(count: Double, starsSum: Double, recent: Double) -> LogisticCurve.Figures {
        let attention = log1p(count + TasteModel.trendBoost * recent)
        let mean = statistics.weightedMean(count: count, starsSum: starsSum)
        return [1, attention * attention * (mean - TasteModel.leastStars), 0]
    }

    func popularFigures(of film: Int, decay: Double) -> LogisticCurve.Figures {
        popularFigures(
            count: Double(statistics.counts[film]),
            starsSum: Double(statistics.halvesSums[film]) / 2,
            recent: trend.count(of: film, decay: decay)
        )
    }

    /// The share of likes among a person's ratings, drawn to that of all people.
    func likedShare(likes: Double, count: Double) -> Double {
        let prior = TasteModel.sharePriorCount
        return (likes + prior * statistics.likedShare) / (count + prior)
    }

    /// Puts the usual evidence, 0.05 to 2, where the logarithm bends.
    private static let evidenceScale = 3.0
    /// The end of the scale: only a film of half a star counts like one without ratings.
    private static let leastStars = 0.5
    /// A rating of this moment counts as six, one of last month as little more than one.
    private static let trendBoost = 5.0
    /// Ratings by which a share is drawn to the larger group's.
    static let sharePriorCount = 5.0

    /// The curves fitted to MovieLens: the starting point of a hub with few ratings.
    static let similarPrior: LogisticCurve.Figures = [-0.8, 2.4, 0.85]
    static let popularPrior: LogisticCurve.Figures = [-1.0, 0.02, 0]
    /// More evidence is never less of a reason, and no two amounts of it are quite the same.
    static let similarLeast: LogisticCurve.Figures = [-.infinity, 0.05, 0]
    static let popularLeast: LogisticCurve.Figures = [-.infinity, 0.001, 0]
}
