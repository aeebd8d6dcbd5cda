/// The films of a model by index, in the order of their ids, with the data that sentences need.
struct FilmTable: Sendable {
    let ids: [Int]
    let titles: [String]
    /// Indices into `genreNames`, in the catalogue's order.
    let genres: [[Int]]
    /// The same as sets.
    let genreSets: [GenreSet]
    /// In the order of their texts.
    let genreNames: [String]

    private let indexOfID: [Int: Int]

    var count: Int { ids.count }

    /// - Parameter films: with distinct ids, in any order.
    init(_ films: [Film]) {
        let films = films.sorted { $0.id < $1.id }
        ids = films.map(\.id)
        titles = films.map(\.title)
        indexOfID = Dictionary(ids.enumerated().map { ($1, $0) }) { first, _ in first }
        let names = Set(films.flatMap(\.genres)).sorted()
        let indices = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
        genres = films.map { film in film.distinctGenres.compactMap { indices[$0] } }
        genreSets = genres.map { GenreSet($0) }
        genreNames = names
    }

    func index(of filmID: Int) -> Int? { indexOfID[filmID] }
}

extension Film {
    /// In the catalogue's order, each once, however often a catalogue names it.
    var distinctGenres: [String] {
        var seen: Set<String> = []
        return genres.filter { seen.insert($0).inserted }
    }
}
