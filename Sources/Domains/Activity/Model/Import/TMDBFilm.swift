/// A film of TMDB's API, as a document of its own (`/movie/{id}`) or as an entry of a list.
///
/// TMDB represents an unknown value by an empty string, 0 or null. Its votes are not imported:
/// ratings are those of the hub's people.
enum TMDBFilm {
    /// The width that the app shows.
    private static let posterBase = "https://image.tmdb.org/t/p/w500"

    static func key(_ id: Int) -> String { "tmdb:\(id)" }

    /// - Parameter optional: receives the optional fields that the film is without.
    static func film(
        _ fields: CatalogueFields,
        _ optional: inout OptionalFields
    ) throws(RowError) -> ImportedFilm {
        guard let id = try fields.integer("id", in: 1...Int(Int32.max)) else {
            throw RowError("no film and no list: it has no id and no results")
        }
        guard !fields.isTrue("adult") else { throw RowError("film \(id) is for adults only") }
        let date = optional.value { () throws(RowError) in try fields.date("release_date") }
        var film = ImportedFilm(
            key: key(id),
            title: try fields.requiredLine("title"),
            year: date.flatMap { Int($0.prefix(4)) }
        )
        film.tmdbID = id
        film.releaseDate = date
        film.genres = genres(fields, &optional)
        film.posterURL = optional.value { () throws(RowError) in try posterURL(fields) }
        film.overview = optional.value { () throws(RowError) in
            try fields.text("overview", lengthMax: ImportLimits.overviewLengthMax)
        }
        let credits = optional.value { () throws(RowError) in try fields.object("credits") }
        if let credits {
            film.directors = optional.value { () throws(RowError) in try directors(credits) } ?? []
            film.actors = optional.value { () throws(RowError) in try actors(credits) } ?? []
        }
        let runtime = optional.value { () throws(RowError) in
            try fields.integer("runtime", in: 0...ImportLimits.runtimeMinutesMax)
        }
        film.runtimeMinutes = runtime == 0 ? nil : runtime
        return film
    }

    private static func posterURL(_ fields: CatalogueFields) throws(RowError) -> String? {
        guard let path = try fields.line("poster_path") else { return nil }
        let isPath =
            path.utf8.first == UInt8(ascii: "/")
            && path.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        guard isPath else {
            throw FieldValue.unexpected("poster_path", "a path", Array(path.utf8)[...])
        }
        return posterBase + path
    }

    /// Credits come with `append_to_response=credits`; of a list that is longer the first ones are taken.
    private static func directors(_ credits: CatalogueFields) throws(RowError) -> [String] {
        var names: [String] = []
        for entry in try credits.array("crew") ?? [] {
            let person = try CatalogueFields(entry)
            guard try person.line("job") == "Director" else { continue }
            names.append(try person.requiredLine("name"))
        }
        return try FieldValue.people(Array(names.prefix(ImportLimits.directorsMax)), "director")
    }

    /// In the order of the cast.
    private static func actors(_ credits: CatalogueFields) throws(RowError) -> [String] {
        var cast: [(order: Int, name: String)] = []
        for entry in try credits.array("cast") ?? [] {
            let person = try CatalogueFields(entry)
            let order = try person.integer("order", in: 0...Int(Int32.max))
            cast.append((order ?? cast.count, try person.requiredLine("name")))
        }
        let order = cast.indices.sorted { (cast[$0].order, $0) < (cast[$1].order, $1) }
        let names = order.prefix(ImportLimits.actorsMax).map { cast[$0].name }
        return try FieldValue.people(names, "actor")
    }

    /// Objects with names in a document, numbers in a list. Each genre that is not valid is left
    /// out.
    private static func genres(
        _ fields: CatalogueFields,
        _ optional: inout OptionalFields
    ) -> [String] {
        let objects = optional.value { () throws(RowError) in try fields.array("genres") }
        let numbers = optional.value { () throws(RowError) in
            try objects == nil ? fields.array("genre_ids") : nil
        }
        var names: [String] = []
        for genre in objects ?? numbers ?? [] {
            let name = optional.value { () throws(RowError) in
                let isNumber = objects == nil
                return try isNumber ? self.name(ofGenre: genre) : self.name(inGenre: genre)
            }
            if let name { names.append(name) }
        }
        return optional.value { () throws(RowError) in try FieldValue.genres(names) } ?? []
    }

    private static func name(inGenre genre: ArraySlice<UInt8>) throws(RowError) -> String {
        try CatalogueFields(genre).requiredLine("name", lengthMax: ImportLimits.genreLengthMax)
    }

    private static func name(ofGenre number: ArraySlice<UInt8>) throws(RowError) -> String {
        guard let id = FieldValue.digits(number), let name = genreNames[id] else {
            throw FieldValue.unexpected("genre_ids", "a genre of films", number)
        }
        return name
    }

    /// As TMDB numbers the genres of films.
    private static let genreNames = [
        12: "Adventure", 14: "Fantasy", 16: "Animation", 18: "Drama", 27: "Horror", 28: "Action",
        35: "Comedy", 36: "History", 37: "Western", 53: "Thriller", 80: "Crime", 99: "Documentary",
        878: "Science Fiction", 9648: "Mystery", 10402: "Music", 10749: "Romance", 10751: "Family",
        10752: "War", 10770: "TV Movie",
    ]
}
