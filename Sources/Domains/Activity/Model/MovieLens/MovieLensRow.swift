/// The rows of a MovieLens data set, whichever its form.
enum MovieLensRow {
    struct Link: Equatable {
        var film: Int
        /// Nil for the few films that TMDB does not have.
        var tmdbID: Int?
    }

    struct Rating: Equatable {
        var person: Int
        var film: Int
        var stars: HalfStars
        var at: Timestamp
    }

    static func link(_ row: TableRow) throws(RowError) -> Link {
        let film = try FieldValue.id(row[0], "movieId")
        return Link(film: film, tmdbID: row[1].isEmpty ? nil : try FieldValue.id(row[1], "tmdbId"))
    }

    static func rating(_ row: TableRow) throws(RowError) -> Rating {
        Rating(
            person: try FieldValue.id(row[0], "user"),
            film: try FieldValue.id(row[1], "film"),
            stars: try FieldValue.stars(row[2], "rating"),
            at: try FieldValue.time(row[3], "timestamp")
        )
    }

    /// The data set's id of a film and the film, without TMDB's id.
    static func film(
        _ row: TableRow,
        _ form: MovieLensLayout.Form
    ) throws(RowError) -> (id: Int, film: ImportedFilm) {
        let id = try FieldValue.id(row[0], "film")
        let text = try FieldValue.text(row[1], "title", encoding: form.encoding)
        let title = TitleForm(text)
        var film = ImportedFilm(key: key(id), title: title.title, year: title.year)
        if form == .bars {
            film.genres = flaggedGenres(row)
            film.releaseDate = try releaseDate(row[2])
        } else {
            film.genres = try pipedGenres(row[2], form.encoding)
        }
        return (id, film)
    }

    static func key(_ id: Int) -> String { "movielens:\(id)" }

    private static func pipedGenres(
        _ field: ArraySlice<UInt8>,
        _ encoding: TextEncoding
    ) throws(RowError) -> [String] {
        guard let text = encoding.decode(field) else {
            throw RowError("genres are not UTF-8: \(FieldValue.excerpt(field))")
        }
        return try FieldValue.genres(genres(piped: text))
    }

    // MARK: ml-100k

    /// The columns of `u.item` before the flags: id, title, two release dates, a URL.
    static let firstFlag = 5

    /// In the order of their flags.
    static let flaggedGenres = [
        "unknown", "Action", "Adventure", "Animation", "Children's", "Comedy", "Crime",
        "Documentary",
        "Drama", "Fantasy", "Film-Noir", "Horror", "Musical", "Mystery", "Romance", "Sci-Fi",
        "Thriller", "War", "Western",
    ]

    private static func flaggedGenres(_ row: TableRow) -> [String] {
        flaggedGenres.indices.dropFirst().compactMap { index in
            row[firstFlag + index].elementsEqual("1".utf8) ? flaggedGenres[index] : nil
        }
    }

    /// `01-Jan-1995` as `1995-01-01`; nil for an empty field.
    private static func releaseDate(_ field: ArraySlice<UInt8>) throws(RowError) -> String? {
        guard !field.isEmpty else { return nil }
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        let parts = field.split(separator: UInt8(ascii: "-"))
        guard parts.count == 3, let day = FieldValue.digits(parts[0]),
            let month = months.firstIndex(where: { parts[1].elementsEqual($0.utf8) }),
            let year = FieldValue.digits(parts[2]),
            let date = CivilTime(year: year, month: month + 1, day: day)
        else { throw FieldValue.unexpected("release date", "a date as 01-Jan-1995", field) }
        return Timestamp(date).iso8601Date
    }
}
