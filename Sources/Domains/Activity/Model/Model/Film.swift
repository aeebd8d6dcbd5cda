/// One film of the catalogue.
package struct Film: Sendable, Equatable {
    /// Given by the hub, or taken over from the catalogue that was imported.
    package var id: Int
    package var title: String
    package var year: Int?
    /// In the catalogue's own spelling and order.
    package var genres: [String]
    /// A full URL.
    package var posterURL: String?
    package var overview: String?
    /// `YYYY-MM-DD`; nil where the catalogue has no more than a year.
    package var releaseDate: String?
    package var tmdbID: Int?
    package var runtimeMinutes: Int?
    package var directors: [String]
    /// The first ones of the cast.
    package var actors: [String]

    package init(
        id: Int,
        title: String,
        year: Int? = nil,
        genres: [String] = [],
        posterURL: String? = nil,
        overview: String? = nil,
        releaseDate: String? = nil,
        tmdbID: Int? = nil,
        runtimeMinutes: Int? = nil,
        directors: [String] = [],
        actors: [String] = []
    ) {
        self.id = id
        self.title = title
        self.year = year
        self.genres = genres
        self.posterURL = posterURL
        self.overview = overview
        self.releaseDate = releaseDate
        self.tmdbID = tmdbID
        self.runtimeMinutes = runtimeMinutes
        self.directors = directors
        self.actors = actors
    }
}

/// The summary of all ratings of a film.
package struct RatingSummary: Sendable, Equatable {
    package var count: Int
    /// In stars, 1 to 5; nil without ratings.
    package var average: Double?

    package init(count: Int, average: Double?) {
        self.count = count
        self.average = average
    }

    package static let none = RatingSummary(count: 0, average: nil)
}
