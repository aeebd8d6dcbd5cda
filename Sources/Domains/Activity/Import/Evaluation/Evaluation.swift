import Activity
import Timekeeping

/// Holds the model against popularity on ratings of the past: docs/RECOMMENDATIONS.md.
///
/// The last fifth of each person's ratings is held out. A list is good if it names early what the
/// person went on to like; no list has what the person had rated by then. The weights and limits
/// were chosen on the last fifth of what is known here, so that nothing was chosen on what is held
/// out.
///
/// - Parameter uptime: time that passes, for how long a build takes; this module has no clock.
package func evaluate(
    ratings: [TasteRating],
    films: [Film],
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
    let filmsByID = Dictionary(films.map { ($0.id, $0) }) { first, _ in first }
    let popular = filmsByLikes(known, films: films)
    for split in splits where !split.heldOut.isEmpty {
        let taste = model.taste(of: split.known)
        report.comparison.add(split, taste: taste, popular: popular, now: now)
        for rating in split.heldOut {
            guard let film = filmsByID[rating.filmID] else { continue }
            let score = taste.score(of: film, now: now).aiScore
            report.reliability.add(score: score, isLiked: rating.stars.isLiked)
        }
    }
    report.newcomers = newcomers(ratings, films: films, now: now)
    return report
}

extension EvaluationReport.Comparison {
    /// The longest list that a figure looks at.
    private static let listCount = 20

    fileprivate mutating func add(
        _ split: HeldOutSplit,
        taste: PersonalTaste,
        popular: [Int],
        now: Timestamp
    ) {
        let count = EvaluationReport.Comparison.listCount
        let relevant = split.relevant
        let recommended = taste.recommendations(limit: count, now: now).films.map(\.filmID)
        model.add(recommended, relevant: relevant)
        let rated = Set(split.known.map(\.filmID))
        let others = popular.lazy.filter { !rated.contains($0) }.prefix(count)
        popularity.add(Array(others), relevant: relevant)
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
    let popular = filmsByLikes(others, films: films)
    return [0, 1, 3, 5, 10, 20].map { count in
        var newcomers = EvaluationReport.Newcomers(ratingsCount: count)
        for stranger in strangers where stranger.count > count {
            let split = HeldOutSplit(stranger, knownCount: count)
            newcomers.comparison.add(
                split,
                taste: model.taste(of: split.known),
                popular: popular,
                now: now
            )
        }
        return newcomers
    }
}

/// Film ids by the number of people who like them, which ranks better than the number of ratings.
private func filmsByLikes(_ ratings: [TasteRating], films: [Film]) -> [Int] {
    var likes: [Int: Int] = [:]
    for rating in ratings where rating.stars.isLiked { likes[rating.filmID, default: 0] += 1 }
    return films.map(\.id).sorted {
        (likes[$1, default: 0], $0) < (likes[$0, default: 0], $1)
    }
}
