/// All ratings of known films, by person and by film; lives while a model is built.
struct RatingTable {
    struct Entry {
        var film: Int32
        var halves: UInt8
    }

    /// One person's ratings after the other's, each in the order of the films.
    private(set) var entries: [Entry] = []
    /// Where each person's ratings are.
    private(set) var rows: [Range<Int>] = []
    /// The ratings past the limit of one person count for the films and not for what goes together.
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
        let start = entries.count
        entries += own.map {
            Entry(film: Int32($0.film), halves: UInt8($0.rating.stars.halves))
        }
        if entries.count > start { rows.append(start..<entries.count) }
    }

    /// Of each person, the films that they liked.
    func likedFilms() -> [[Int32]] {
        rows.map { row in
            entries[row].compactMap { $0.halves >= likedHalvesMin ? $0.film : nil }
        }
    }
}

/// `HalfStars.isLiked`, for the rows of a table.
let likedHalvesMin: UInt8 = 8
