import Activity

/// The searched texts of a film, folded: words with spaces between them, and each character of a
/// script without spaces as a word.
struct FilmTexts: Equatable {
    var title: String
    /// Directors and actors.
    var people: String
    var overview: String

    init(title: String, people: String, overview: String) {
        self.title = title
        self.people = people
        self.overview = overview
    }

    init(_ film: Film) {
        title = SearchFolding.foldedParts(film.title)
        people = (film.directors + film.actors).map { SearchFolding.foldedParts($0) }
            .joined(separator: " ")
        overview = film.overview.map { SearchFolding.foldedParts($0) } ?? ""
    }

    /// The words in which mistyped ones are looked for.
    var names: Set<String> {
        Set((title.split(separator: " ") + people.split(separator: " ")).map(String.init))
    }
}

extension ActivityTables {
    /// Replaces the searched texts of a film.
    func setTexts(_ film: Film, of filmID: Int) throws {
        let new = FilmTexts(film)
        let old = try row(ActivitySQL.selectTexts, [filmID]).map {
            FilmTexts(title: try $0[0], people: try $0[1], overview: try $0[2])
        }
        guard new != old else { return }
        let oldNames = old?.names ?? []
        let newNames = new.names
        for word in oldNames.subtracting(newNames) {
            let length = word.unicodeScalars.count
            try run(ActivitySQL.subtractWord, [length, word])
            try run(ActivitySQL.forgetWord, [length, word])
        }
        for word in newNames.subtracting(oldNames) {
            try run(ActivitySQL.addWord, [word.unicodeScalars.count, word])
        }
        if old?.title != new.title {
            if old != nil { try run(ActivitySQL.deleteTitle, [filmID]) }
            try run(ActivitySQL.insertTitle, [filmID, new.title])
        }
        if old != nil { try run(ActivitySQL.deleteTexts, [filmID]) }
        try run(ActivitySQL.insertTexts, [filmID, new.title, new.people, new.overview])
    }

    /// Writes the searched texts of the films after an id, for a file whose films were stored when
    /// other texts were searched.
    ///
    /// - Returns: the last film's id; nil if there are no further ones.
    package func indexTexts(after id: Int, limit: Int) throws -> Int? {
        let films = try films(after: id, limit: limit).map(\.film)
        for film in films { try setTexts(film, of: film.id) }
        return films.last?.id
    }
}
