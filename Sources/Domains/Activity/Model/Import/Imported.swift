import Timekeeping

/// A film as a catalogue describes it, before it has an id of the hub.
package struct ImportedFilm: Sendable, Equatable {
    /// Which film of which catalogue it is, the same at every import: `movielens:1`, `tmdb:603`.
    package let key: String
    /// As people say it; in catalogues that have it, without the year behind.
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
    /// - Parameter existing: what the hub has of it from an earlier import. What the catalogue says
    ///   takes its place; what it does not say stays.
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

/// Somebody whose ratings are imported and who cannot log in.
package struct ImportedPerson: Sendable, Equatable {
    /// Who gave out the numbers that `subject` holds; no provider of logins has this name.
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

/// What is stored in one transaction. An import is nobody's act: it makes no activity.
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

/// What became of a batch in the store.
package struct ImportedRows: Sendable, Equatable {
    /// The hub's ids, in the order of the batch. Nobody asks for those of ratings.
    package let ids: [Int]
    /// How many were not there before.
    package let newCount: Int

    package init(ids: [Int], newCount: Int) {
        self.ids = ids
        self.newCount = newCount
    }
}
