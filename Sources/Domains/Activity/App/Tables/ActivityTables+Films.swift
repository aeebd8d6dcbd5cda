import Activity
import DomainKit

/// A genre, and how many films have it.
package struct GenreCount: Sendable, Equatable {
    package var name: String
    package var filmCount: Int
}

/// A film and the summary of its ratings.
package struct RatedFilm: Sendable, Equatable {
    package var film: Film
    package var ratings: RatingSummary
}

extension ActivityTables {
    package func film(_ id: Int) throws -> Film? {
        try row(ActivitySQL.selectFilm, [id]).map { try Film($0) }
    }

    package func film(tmdbID: Int) throws -> Film? {
        try row(ActivitySQL.selectFilmOfTMDB, [tmdbID]).map { try Film($0) }
    }

    /// The id of the film that a catalogue calls `key`.
    package func filmID(key: String) throws -> Int? {
        try integer(ActivitySQL.selectFilmOfKey, [key])
    }

    /// Stores a catalogue's key of a film. A film may have several keys.
    package func setKey(_ key: String, of filmID: Int) throws {
        try checked(key)
        try run(ActivitySQL.putFilmKey, [key, filmID])
    }

    /// A film as a user sees it.
    package func filmView(_ id: Int, for personID: Int) throws -> FilmView? {
        try row(ActivitySQL.selectFilmView, [personID, id]).map { try FilmView($0) }
    }

    /// The films of the ids, in their order, as a user sees them; an unknown one is left out.
    package func filmViews(_ ids: [Int], for personID: Int) throws -> [FilmView] {
        try ids.compactMap { try filmView($0, for: personID) }
    }

    /// The films behind an id, in the order of their ids: all of them, page by page, from `after` 0
    /// on.
    package func films(after id: Int, limit: Int) throws -> [RatedFilm] {
        try rows(ActivitySQL.selectFilmPage, [id, limit]) { row in
            let ratings = try RatingSummary(row, Film.columnCount)
            return RatedFilm(film: try Film(row), ratings: ratings)
        }
    }

    package func ratingSummary(ofFilm id: Int) throws -> RatingSummary? {
        try row(ActivitySQL.selectFilmSummary, [id]).map {
            RatingSummary(count: try $0[0], halves: try $0[1])
        }
    }

    /// Whether there are both, the person and the film.
    func canAct(_ personID: Int, on filmID: Int) throws -> Bool {
        try row(ActivitySQL.selectActorAndFilm, [personID, filmID]) != nil
    }

    package func filmCount() throws -> Int { try integer(ActivitySQL.countFilms) ?? 0 }

    /// All genres that films have, in the order of their folded names. Of several spellings the
    /// first one that came counts.
    package func genres() throws -> [GenreCount] {
        try rows(ActivitySQL.selectGenres, []) { GenreCount(name: try $0[0], filmCount: try $0[1]) }
    }

    /// Inserts a film, or replaces all its fields from the catalogue; ratings and acts stay.
    ///
    /// - Parameter film: with id 0, it is the film of its `tmdbID`, if there is one, and otherwise
    ///   gets its id here. A `|` splits the name of a genre or a person in two.
    /// - Returns: the film's id.
    /// - Throws: `StoreError` of code `constraint` when another film has the `tmdbID`.
    @discardableResult
    package func put(_ film: Film) throws -> Int {
        let genres = film.genres.joined(separator: "|")
        let directors = film.directors.joined(separator: "|")
        let actors = film.actors.joined(separator: "|")
        try checked(film.title, genres, film.posterURL, film.overview, film.releaseDate)
        try checked(directors, actors)
        let isNew: Bool
        let id: Int
        if film.id != 0 {
            id = film.id
            isNew = try self.film(id) == nil
        } else {
            let known = try film.tmdbID.flatMap { try self.film(tmdbID: $0) }
            id = known?.id ?? 0
            isNew = known == nil
        }
        let columns: SQLArguments = [
            film.title, film.year, genres, film.posterURL, film.overview, film.releaseDate,
            film.tmdbID, film.runtimeMinutes, directors, actors, SearchFolding.folded(film.title),
        ]
        if isNew {
            let given: Int? = id == 0 ? nil : id
            let newID = try session.insert(ActivitySQL.insertFilm, [given] + columns)
            try setTexts(film, of: newID)
            try setGenres(genres, of: newID)
            return newID
        }
        try run(ActivitySQL.updateFilm, [id] + columns)
        try setTexts(film, of: id)
        try setGenres(genres, of: id)
        return id
    }

    // MARK: Genres

    private func setGenres(_ genres: String, of filmID: Int) throws {
        var ids: Set<Int> = []
        for name in genres.split(separator: "|") { ids.insert(try genre(named: String(name))) }
        let old = Set(try integers(ActivitySQL.selectGenresOfFilm, [filmID]))
        guard ids != old else { return }
        try run(ActivitySQL.deleteFilmGenres, [filmID])
        for id in old { try run(ActivitySQL.addToGenre, [id, -1]) }
        for id in ids {
            try run(ActivitySQL.insertFilmGenre, [filmID, id])
            try run(ActivitySQL.addToGenre, [id, 1])
        }
    }

    private func genre(named name: String) throws -> Int {
        let folded = SearchFolding.folded(name)
        if let id = try integer(ActivitySQL.selectGenre, [folded]) { return id }
        return try session.insert(ActivitySQL.insertGenre, [folded, name])
    }
}
