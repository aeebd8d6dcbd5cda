/// All ratings of known films, by person and by film; lives while a model is built.
struct RatingTable {
    struct Entry {
        var film: Int32
        var halves: UInt8
        /// Of the same person's ratings, those that came later.
        var laterCount: UInt16

        /// `HalfStars.tasteWeight`
        var weight: Double { Double(halves) / 2 - HalfStars.neutralStars }
        var recentWeight: Double { weight * RatingRecency.weight(laterCount: Int(laterCount)) }
        var isLiked: Bool { halves >= likedHalvesMin }
    }

    /// One person's ratings after the other's, each in the order of the films.
    private(set) var entries: [Entry] = []
    /// Where each person's ratings are.
    private(set) var rows: [Range<Int>] = []
    /// The ratings past the limit of one person count for the statistics of films, but not for the
    /// relations between films.
    private(set) var statistics: FilmStatistics

    /// - Parameter ratings: in table order, each film once by each person.
    init(_ ratings: [TasteRating], films: FilmTable, limits: TasteLimits) {
        statistics = FilmStatistics(filmCount: films.count)
        entries.reserveCapacity(ratings.count)
        var start = ratings.startIndex
        while start < ratings.endIndex {
            let personID = ratings[start].personID
            let end = ratings[start...].firstIndex { $0.personID != personID } ?? ratings.endIndex
            add(ratings[start..<end], films: films, limits: limits)
            start = end
        }
        statistics.close()
    }

    private mutating func add(
        _ ratings: ArraySlice<TasteRating>,
        films: FilmTable,
        limits: TasteLimits
    ) {
        var own: [(rating: TasteRating, film: Int)] = []
        for rating in ratings {
            guard let film = films.index(of: rating.filmID) else { continue }
            own.append((rating, film))
            statistics.count(rating.stars, film: film)
        }
        if own.count > limits.ratingsPerPersonMax {
            own.sort { ($0.rating.at, $0.film) > ($1.rating.at, $1.film) }
            own.removeLast(own.count - limits.ratingsPerPersonMax)
            own.sort { $0.film < $1.film }
        }
        let laterCounts = RatingRecency.laterCounts(own.map(\.rating.at))
        let start = entries.count
        entries += zip(own, laterCounts).map { own, laterCount in
            Entry(
                film: Int32(own.film),
                halves: UInt8(own.rating.stars.halves),
                laterCount: UInt16(min(laterCount, Int(UInt16.max)))
            )
        }
        if entries.count > start { rows.append(start..<entries.count) }
    }

    /// Of all entries' taste weights. Never zero, even if no rating has information.
    var meanSquareWeight: Double {
        guard !entries.isEmpty else { return RatingTable.meanSquareMin }
        let sum = entries.reduce(0.0) { $0 + $1.weight * $1.weight }
        return max(sum / Double(entries.count), RatingTable.meanSquareMin)
    }

    /// Half a star's.
    private static let meanSquareMin = 0.25
}

/// `HalfStars.isLiked`, for the rows of a table.
let likedHalvesMin: UInt8 = 8
