/// A film as a catalogue describes it, before it has an id of the hub.
package struct ImportedFilm: Sendable, Equatable {
    /// The key of the film in its catalogue, the same at every import: `movielens:1`, `tmdb:603`.
    package let key: String
    /// In the usual word order; without the year after it, in catalogues that have one.
    package var title: String
    package var year: Int?
    package var genres: [String] = []
    package var posterURL: String?
    package var overview: String?
    /// `YYYY-MM-DD`.
    package var releaseDate: String?
    /// Two films of different catalogues with the same one are the same film.
    package var tmdbID: Int?
    package var runtimeMinutes: Int?
    package var directors: [String] = []
    package var actors: [String] = []

    package init(key: String, title: String, year: Int?) {
        self.key = key
        self.title = title
        self.year = year
    }

    /// The film as the hub keeps it.
    ///
    /// - Parameter existing: the hub's film from an earlier import. Values of the catalogue replace
    ///   its values; the others stay.
    package func film(id: Int, over existing: Film? = nil) -> Film {
        Film(
            id: id,
            title: title,
            year: year ?? existing?.year,
            genres: genres.isEmpty ? existing?.genres ?? [] : genres,
            posterURL: posterURL ?? existing?.posterURL,
            overview: overview ?? existing?.overview,
            releaseDate: releaseDate ?? existing?.releaseDate,
            tmdbID: tmdbID ?? existing?.tmdbID,
            runtimeMinutes: runtimeMinutes ?? existing?.runtimeMinutes,
            directors: directors.isEmpty ? existing?.directors ?? [] : directors,
            actors: actors.isEmpty ? existing?.actors ?? [] : actors
        )
    }
}

/// A person whose ratings are imported and who cannot log in.
package struct ImportedPerson: Sendable, Equatable {
    /// The issuer of the numbers in `subject`; no provider of logins has this name.
    package static let provider = "movielens"

    /// In decimal; with the provider it is the same person at every import.
    package let subject: String
    package let name: String
    package let createdAt: Timestamp

    package init(subject: String, name: String, createdAt: Timestamp) {
        self.subject = subject
        self.name = name
        self.createdAt = createdAt
    }
}

/// A rating of an imported person, by the hub's ids. Of two for the same film the later one counts.
package struct ImportedRating: Sendable, Equatable {
    package let personID: Int
    package let filmID: Int
    package let stars: HalfStars
    package let at: Timestamp

    package init(personID: Int, filmID: Int, stars: HalfStars, at: Timestamp) {
        self.personID = personID
        self.filmID = filmID
        self.stars = stars
        self.at = at
    }
}

/// The rows that are stored in one transaction. An import is not an act of a person: it makes no
/// activity.
package enum ImportBatch: Sendable, Equatable {
    case films([ImportedFilm])
    case people([ImportedPerson])
    case ratings([ImportedRating])

    package var count: Int {
        switch self {
        case .films(let films): films.count
        case .people(let people): people.count
        case .ratings(let ratings): ratings.count
        }
    }
}

/// The result of storing a batch.
package struct ImportedRows: Sendable, Equatable {
    /// The hub's ids, in the order of the batch. Those of ratings are not needed.
    package let ids: [Int]
    /// The number of new rows.
    package let newCount: Int

    package init(ids: [Int], newCount: Int) {
        self.ids = ids
        self.newCount = newCount
    }
}
