/// Compares the model with others on past ratings: docs/RECOMMENDATIONS.md.
///
/// The last fifth of each person's ratings is held out. A list is good if its first films are those
/// that the person later liked; no list has films that the person had already rated. The weights
/// and limits were chosen on the last fifth of the training ratings, so that nothing was chosen on
/// the ratings held out.
///
/// - Parameter uptime: the elapsed time, to measure a build; this module has no clock.
package func evaluate(
    ratings: [TasteRating],
    films: [Film],
    uptime: () -> Duration
) -> EvaluationReport {
    evaluate(ratings: ratings, films: films, factors: FactorRanking.Settings(), uptime: uptime)
}

func evaluate(
    ratings: [TasteRating],
    films: [Film],
    factors: FactorRanking.Settings,
    uptime: () -> Duration
) -> EvaluationReport {
    let splits = HeldOutSplit.lastFifth(of: ratings)
    let known = splits.flatMap(\.known)
    let now = ratings.map(\.at).max() ?? Timestamp(milliseconds: 0)
    let start = uptime()
    let model = TasteModel(ratings: known, films: films, at: now)
    var report = EvaluationReport(
        ratingsCount: splits.reduce(0) { $0 + $1.known.count + $1.heldOut.count },
        filmsCount: films.count,
        peopleCount: splits.count,
        buildTime: uptime() - start
    )
    let evaluated = EvaluatedFilms(films)
    report.rankings = compare(
        [
            ("popularity", PopularityRanking(known, evaluated)),
            ("neighbours", NeighbourRanking(known, evaluated)),
            ("factors", FactorRanking(known, evaluated, factors)),
            ("regression", TasteRanking(model: model, variety: 0, now: now)),
            ("regression, varied", TasteRanking(model: model, now: now)),
        ],
        splits,
        films: films
    )
    let filmsByID = Dictionary(films.map { ($0.id, $0) }) { first, _ in first }
    for split in splits where !split.heldOut.isEmpty {
        let taste = model.taste(of: split.known)
        for rating in split.heldOut {
            guard let film = filmsByID[rating.filmID] else { continue }
            let score = taste.score(of: film, now: now).aiScore
            report.reliability.add(score: score, isLiked: rating.stars.isLiked)
        }
    }
    report.newcomers = newcomers(ratings, films: films, now: now)
    return report
}

/// Compares how well each model's lists contain the films that people later liked.
func compare(
    _ rankings: [(name: String, ranking: any FilmRanking)],
    _ splits: [HeldOutSplit],
    films: [Film]
) -> [EvaluationReport.Ranking] {
    /// The length of the longest list that is evaluated.
    let listCount = 20
    let names = Set(films.flatMap(\.genres)).sorted()
    let indices = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
    let genres = Dictionary(
        films.map { ($0.id, GenreSet($0.genres.compactMap { indices[$0] })) }
    ) { first, _ in first }
    return rankings.map { name, ranking in
        var quality = RankingQuality()
        for split in splits where !split.relevant.isEmpty {
            quality.add(
                ranking.films(for: split.known, count: listCount),
                relevant: split.relevant
            ) { genres[$0] ?? GenreSet() }
        }
        return EvaluationReport.Ranking(name: name, quality: quality)
    }
}

/// Every tenth person is left out of the model and asked for a list after the first few ratings.
private func newcomers(
    _ ratings: [TasteRating],
    films: [Film],
    now: Timestamp
) -> [EvaluationReport.Newcomers] {
    let people = HeldOutSplit.byPerson(ratings)
    let strangers = people.indices.filter { $0 % 10 == 0 }.map { people[$0] }
    let others = people.indices.filter { $0 % 10 != 0 }.flatMap { people[$0] }
    let model = TasteModel(ratings: others, films: films, at: now)
    let rankings: [(name: String, ranking: any FilmRanking)] = [
        ("popularity", PopularityRanking(others, EvaluatedFilms(films))),
        ("regression, varied", TasteRanking(model: model, now: now)),
    ]
    return [0, 1, 3, 5, 10, 20].map { count in
        let splits = strangers.filter { $0.count > count }.map {
            HeldOutSplit($0, knownCount: count)
        }
        return EvaluationReport.Newcomers(
            ratingsCount: count,
            rankings: compare(rankings, splits, films: films)
        )
    }
}
