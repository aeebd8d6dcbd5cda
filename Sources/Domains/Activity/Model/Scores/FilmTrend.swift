import Glibc

/// The recent rating activity of films: the weight of each rating halves with every half-life.
struct FilmTrend: Sendable {
    /// A week, as the public film lists have it.
    static let halfLife = Duration.seconds(7 * 86_400)

    let at: Timestamp
    private var counts: [Double]

    /// - Parameter ratings: in table order, which fixes the order of the sums.
    init(_ ratings: [TasteRating], films: FilmTable, at: Timestamp) {
        self.at = at
        counts = Array(repeating: 0, count: films.count)
        for rating in ratings {
            guard let film = films.index(of: rating.filmID) else { continue }
            counts[film] += FilmTrend.decay(over: at - rating.at)
        }
    }

    /// The decayed number of ratings of a film.
    func count(of film: Int, decay: Double) -> Double { counts[film] * decay }

    /// Returns the rest at `now` of a count as of the trend's own time: the same factor for every
    /// film.
    func decay(until now: Timestamp) -> Double { FilmTrend.decay(over: now - at) }

    /// A rating from the future, by a clock that was wrong, counts as one of this moment.
    private static func decay(over age: Duration) -> Double {
        exp2(-max(0, age.inSeconds) / halfLife.inSeconds)
    }
}
