/// The limits on the memory and the time of a model.
package struct TasteLimits: Sendable, Equatable {
    /// The films with most ratings, which are related to each other. 4 bytes for each two of them are
    /// kept, 16 MB for 2,048, and three times as much again while a model is built; time grows with the cube.
    package var relatedFilmsMax: Int
    /// Of one person, the latest ratings that are used to relate films, and as evidence of the
    /// person's taste. The time of a build grows with the square of it: a person who rated
    /// everything must not cost more than a thousand others.
    package var ratingsPerPersonMax: Int
    /// Ratings from which the model learns how its figures turn out.
    package var calibrationRatingsMax: Int
    /// The films that a feed of recommendations has at most, over all its pages.
    package var recommendationsMax: Int
    /// The first films of a feed, which are put in an order of more variety; time grows with the
    /// square of it.
    package var variedFilmsMax: Int

    package init(
        relatedFilmsMax: Int = 2048,
        ratingsPerPersonMax: Int = 1000,
        calibrationRatingsMax: Int = 50_000,
        recommendationsMax: Int = 500,
        variedFilmsMax: Int = 200
    ) {
        precondition(relatedFilmsMax > 0 && ratingsPerPersonMax > 0)
        precondition(calibrationRatingsMax > 0 && recommendationsMax > 0 && variedFilmsMax > 0)
        self.relatedFilmsMax = relatedFilmsMax
        self.ratingsPerPersonMax = ratingsPerPersonMax
        self.calibrationRatingsMax = calibrationRatingsMax
        self.recommendationsMax = recommendationsMax
        self.variedFilmsMax = variedFilmsMax
    }
}
