import Activity
import DomainKit

// The representation of values of the film app in columns. Numbers in the file are permanent: a
// case gets its number here and keeps it.

extension ActivityType {
    var column: Int {
        switch self {
        case .rating: 0
        case .review: 1
        case .watched: 2
        case .started: 3
        case .watchlist: 4
        }
    }

    init?(column: Int) {
        guard let type = Self.allCases.first(where: { $0.column == column }) else { return nil }
        self = type
    }
}

extension WatchStatus {
    var column: Int {
        switch self {
        case .started: 0
        case .completed: 1
        case .paused: 2
        }
    }

    init?(column: Int) {
        guard let status = Self.allCases.first(where: { $0.column == column }) else { return nil }
        self = status
    }
}

extension SQLRow {
    func stars(_ index: Int) throws -> HalfStars {
        try value(index) { HalfStars(halves: $0) }
    }

    /// Columns `id`, `name` and `avatar_url` of a person, from `index` on.
    func personCard(_ index: Int = 0) throws -> PersonCard {
        try PersonCard(id: self[index], name: self[index + 1], avatarURL: self[index + 2])
    }
}

extension Film {
    /// In the order that `init(_:)` reads them; `RatingSummary.columns` follow.
    static let columns = """
        film.id, film.title, film.year, film.genres, film.poster_url, film.overview, \
        film.release_date, film.tmdb_id, film.runtime, film.directors, film.actors
        """
    /// The number of these columns.
    static let columnCount = 11

    init(_ row: SQLRow) throws {
        try self.init(
            id: row[0],
            title: row[1],
            year: row[2],
            genres: Film.list(row[3]),
            posterURL: row[4],
            overview: row[5],
            releaseDate: row[6],
            tmdbID: row[7],
            runtimeMinutes: row[8],
            directors: Film.list(row[9]),
            actors: Film.list(row[10])
        )
    }

    private static func list(_ column: String) -> [String] {
        column.split(separator: "|").map(String.init)
    }
}

extension RatingSummary {
    /// In the order that `init(_:_:)` reads them.
    static let columns = "film.rating_count, film.rating_sum"

    /// - Parameter index: of the first of them.
    init(_ row: SQLRow, _ index: Int) throws {
        self.init(count: try row[index], halves: try row[index + 1])
    }

    /// From a number of ratings and the sum of their half stars.
    init(count: Int, halves: Int) {
        self.init(count: count, average: count == 0 ? nil : Double(halves) / Double(2 * count))
    }
}

extension FilmView {
    /// In the order that `init(_:)` reads them; with `joins`, whose one argument is the user.
    static let columns = """
        \(Film.columns), \(RatingSummary.columns), rating.halves, watchlist.at, watch.status
        """
    /// `?1` is the user who looks.
    static let joins = """
        LEFT JOIN rating ON rating.person_id = ?1 AND rating.film_id = film.id
        LEFT JOIN watchlist ON watchlist.person_id = ?1 AND watchlist.film_id = film.id
        LEFT JOIN watch ON watch.person_id = ?1 AND watch.film_id = film.id
        """

    /// The number of these columns.
    static let columnCount = Film.columnCount + 5

    init(_ row: SQLRow) throws {
        let own = Film.columnCount
        try self.init(
            film: Film(row),
            ratings: RatingSummary(row, own),
            userRating: row.optionalValue(own + 2) { HalfStars(halves: $0) },
            inWatchlist: !row.isNull(own + 3),
            watchStatus: row.optionalValue(own + 4, WatchStatus.init(column:))
        )
    }
}

extension Person {
    /// In the order that `init(_:)` reads them.
    static let columns = """
        person.id, person.name, person.avatar_url, person.email, person.bio, person.created_at, \
        person.last_active_at
        """

    init(_ row: SQLRow) throws {
        try self.init(
            id: row[0],
            name: row[1],
            avatarURL: row[2],
            email: row[3],
            bio: row[4],
            createdAt: row.instant(5),
            lastActiveAt: row.optionalInstant(6)
        )
    }
}

extension Rating {
    /// In the order that `init(_:)` reads them.
    static let columns = """
        rating.id, rating.person_id, rating.film_id, rating.halves, rating.comment, \
        rating.is_review, rating.at
        """

    init(_ row: SQLRow) throws {
        try self.init(
            id: row[0],
            personID: row[1],
            filmID: row[2],
            stars: row.stars(3),
            comment: row[4],
            isReview: row[5],
            at: row.instant(6)
        )
    }
}

extension ActivityEntry {
    /// In the order that `init(_:)` reads them.
    static let columns = """
        activity.id, person.id, person.name, person.avatar_url, film.id, film.title, \
        film.poster_url, activity.type, activity.stars, activity.comment, activity.at
        """

    init(_ row: SQLRow) throws {
        try self.init(
            id: row[0],
            actor: row.personCard(1),
            filmID: row[4],
            filmTitle: row[5],
            filmPosterURL: row[6],
            type: row.value(7, ActivityType.init(column:)),
            rating: row[8],
            comment: row[9],
            at: row.instant(10)
        )
    }
}
