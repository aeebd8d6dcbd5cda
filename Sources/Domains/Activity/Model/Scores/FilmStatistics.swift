/// The statistics of all ratings, film by film.
struct FilmStatistics: Sendable {
    private(set) var counts: [Int32]
    private(set) var halvesSums: [Int32]
    private(set) var likes: [Int32]
    /// The share of all ratings that are likes, half of none.
    private(set) var likedShare = 0.5
    /// Of all ratings, in stars; the middle of the scale without any.
    private(set) var meanStars = FilmStatistics.middleOfScale
    /// The ratings by which a film's mean is drawn to the mean of all: the median number of ratings
    /// of the films that have any, but not fewer than five, below which a mean has little
    /// information about any film.
    private(set) var priorCount = FilmStatistics.priorCountMin

    static let middleOfScale = 2.75
    private static let priorCountMin = 5.0

    init(filmCount: Int) {
        counts = Array(repeating: 0, count: filmCount)
        halvesSums = counts
        likes = counts
    }

    mutating func count(_ stars: HalfStars, film: Int) {
        counts[film] += 1
        halvesSums[film] += Int32(stars.halves)
        if stars.isLiked { likes[film] += 1 }
    }

    /// Computes the values for all films together.
    mutating func close() {
        let total = counts.reduce(0) { $0 + Int($1) }
        guard total > 0 else { return }
        likedShare = (Double(likes.reduce(0) { $0 + Int($1) }) + 1) / (Double(total) + 2)
        meanStars = Double(halvesSums.reduce(0) { $0 + Int($1) }) / 2 / Double(total)
        let rated = counts.filter { $0 > 0 }.sorted()
        priorCount = max(FilmStatistics.priorCountMin, Double(rated[rated.count / 2]))
    }

    /// In stars; nil without ratings.
    func mean(of film: Int) -> Double? {
        counts[film] > 0 ? Double(halvesSums[film]) / 2 / Double(counts[film]) : nil
    }

    /// The Bayesian mean: (v·R + m·C) / (v + m), with `priorCount` as m and `meanStars` as C.
    func weightedMean(count: Double, starsSum: Double) -> Double {
        (starsSum + priorCount * meanStars) / (count + priorCount)
    }
}
