/// A model under comparison, which lists films for a person.
protocol FilmRanking {
    /// Ids of films that the person has not rated, best first.
    func films(for known: [TasteRating], count: Int) -> [Int]
}

/// The films of an evaluation by index, in the order of their ids.
struct EvaluatedFilms {
    let ids: [Int]
    private let indexOfID: [Int: Int]

    var count: Int { ids.count }

    init(_ films: [Film]) {
        ids = Set(films.map(\.id)).sorted()
        indexOfID = Dictionary(uniqueKeysWithValues: ids.enumerated().map { ($1, $0) })
    }

    func index(of filmID: Int) -> Int? { indexOfID[filmID] }

    /// The ids with the greatest scores; the lower id decides between equals.
    func best(_ scores: [Double], except known: [TasteRating], count: Int) -> [Int] {
        let rated = Set(known.compactMap { index(of: $0.filmID) })
        let rest = scores.indices.filter { !rated.contains($0) }
        return rest.sorted { (scores[$1], $0) < (scores[$0], $1) }.prefix(count).map { ids[$0] }
    }
}

/// The films that most people like, which ranks better than the number of ratings.
struct PopularityRanking: FilmRanking {
    private let films: EvaluatedFilms
    private let likes: [Double]

    init(_ ratings: [TasteRating], _ films: EvaluatedFilms) {
        var likes = [Double](repeating: 0, count: films.count)
        for rating in ratings where rating.stars.isLiked {
            if let film = films.index(of: rating.filmID) { likes[film] += 1 }
        }
        self.films = films
        self.likes = likes
    }

    func films(for known: [TasteRating], count: Int) -> [Int] {
        films.best(likes, except: known, count: count)
    }
}

/// The model of the app.
struct TasteRanking: FilmRanking {
    let model: TasteModel
    /// `FilmVariety`
    var variety = FilmVariety.recommended
    let now: Timestamp

    func films(for known: [TasteRating], count: Int) -> [Int] {
        model.taste(of: known).recommendations(limit: count, variety: variety, now: now)
            .films.map(\.filmID)
    }
}
