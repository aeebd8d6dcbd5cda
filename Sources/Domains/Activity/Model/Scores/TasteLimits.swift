/// What bounds the memory and the time of a model.
package struct TasteLimits: Sendable, Equatable {
    /// Of each film, the most similar ones that are kept: 8 bytes each, so 8 MB for 10,000 films.
    package var neighboursPerFilmMax: Int
    /// Of one person, the latest ratings that say which films go together. The time of a build
    /// grows with the square of it: somebody who rated everything must not cost more than a
    /// thousand others.
    package var ratingsPerPersonMax: Int
    /// Ratings from which the model learns how its figures turn out.
    package var calibrationRatingsMax: Int
    /// The films that a feed of recommendations has at most, over all its pages.
    package var recommendationsMax: Int

    package init(
        neighboursPerFilmMax: Int = 100,
        ratingsPerPersonMax: Int = 1000,
        calibrationRatingsMax: Int = 20_000,
        recommendationsMax: Int = 500
    ) {
        precondition(neighboursPerFilmMax > 0 && ratingsPerPersonMax > 0)
        precondition(calibrationRatingsMax > 0 && recommendationsMax > 0)
        self.neighboursPerFilmMax = neighboursPerFilmMax
        self.ratingsPerPersonMax = ratingsPerPersonMax
        self.calibrationRatingsMax = calibrationRatingsMax
        self.recommendationsMax = recommendationsMax
    }
}
