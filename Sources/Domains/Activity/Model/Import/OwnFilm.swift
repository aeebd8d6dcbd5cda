/// A film of a catalogue in the hub's own form: docs/CATALOGUES.md.
enum OwnFilm {
    static func key(_ id: String) -> String { "own:\(id)" }

    /// - Parameter optional: receives the optional fields that the film is without.
    static func film(
        _ fields: CatalogueFields,
        _ optional: inout OptionalFields
    ) throws(RowError) -> ImportedFilm {
        let id = try fields.requiredLine("id", lengthMax: ImportLimits.keyLengthMax)
        let date = optional.value { () throws(RowError) in try fields.date("release_date") }
        let year = optional.value { () throws(RowError) in
            try fields.integer("year", in: 1870...2200)
        }
        var film = ImportedFilm(
            key: key(id),
            title: try fields.requiredLine("title"),
            year: year ?? date.flatMap { Int($0.prefix(4)) }
        )
        film.releaseDate = date
        film.genres =
            optional.value { () throws(RowError) in
                try FieldValue.genres(try strings("genres", fields))
            } ?? []
        film.directors =
            optional.value { () throws(RowError) in
                try people("directors", fields, countMax: ImportLimits.directorsMax)
            } ?? []
        film.actors =
            optional.value { () throws(RowError) in
                try people("actors", fields, countMax: ImportLimits.actorsMax)
            } ?? []
        film.posterURL = optional.value { () throws(RowError) in try posterURL(fields) }
        film.overview = optional.value { () throws(RowError) in
            try fields.text("overview", lengthMax: ImportLimits.overviewLengthMax)
        }
        film.tmdbID = optional.value { () throws(RowError) in
            try fields.integer("tmdb_id", in: 1...Int(Int32.max))
        }
        film.runtimeMinutes = optional.value { () throws(RowError) in
            try fields.integer("runtime_minutes", in: 1...ImportLimits.runtimeMinutesMax)
        }
        return film
    }

    private static func strings(
        _ name: String,
        _ fields: CatalogueFields
    ) throws(RowError) -> [String] {
        var texts: [String] = []
        for value in try fields.array(name) ?? [] {
            guard let text = JSONReader.shownText(value) else {
                throw FieldValue.unexpected(name, "a list of strings", value)
            }
            texts.append(text)
        }
        return texts
    }

    private static func people(
        _ name: String,
        _ fields: CatalogueFields,
        countMax: Int
    ) throws(RowError) -> [String] {
        let names = try strings(name, fields)
        guard names.count <= countMax else {
            throw RowError("\(names.count) \(name) over the limit of \(countMax)")
        }
        return try FieldValue.people(names, name)
    }

    /// The app takes full URLs only.
    private static func posterURL(_ fields: CatalogueFields) throws(RowError) -> String? {
        guard let url = try fields.line("poster_url") else { return nil }
        let isURL =
            ["https://", "http://"].contains { url.hasPrefix($0) }
            && url.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        guard isURL else {
            throw FieldValue.unexpected("poster_url", "a full URL", Array(url.utf8)[...])
        }
        return url
    }
}
