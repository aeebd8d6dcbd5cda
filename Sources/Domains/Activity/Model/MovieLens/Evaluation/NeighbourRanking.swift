/// Neighbours by likes: the former model of the app, without the genres and the popularity in its
/// scores.
///
/// The similarity of two films is the cosine of their likes, c / √(a·b) for a and b people who like
/// the one and the other and c who like both, times c / (c + 5). Each film has 100 neighbours at
/// most; those that a person rated count by their similarity times their stars less two.
struct NeighbourRanking: FilmRanking {
    private static let shrinkage = 5.0
    private static let neighboursMax = 100
    private static let neutralStars = 2.0

    private let films: EvaluatedFilms
    private let neighbours: [[(film: Int, similarity: Double)]]

    init(_ ratings: [TasteRating], _ films: EvaluatedFilms) {
        var likers: [[Int]] = Array(repeating: [], count: films.count)
        var liked: [Int: [Int]] = [:]
        for rating in ratings where rating.stars.isLiked {
            guard let film = films.index(of: rating.filmID) else { continue }
            likers[film].append(rating.personID)
            liked[rating.personID, default: []].append(film)
        }
        self.films = films
        neighbours = likers.indices.map { film in
            var shared: [Int: Int] = [:]
            for person in likers[film] {
                for other in liked[person, default: []] where other != film {
                    shared[other, default: 0] += 1
                }
            }
            let found = shared.map { other, count in
                let count = Double(count)
                let cosine =
                    count / Double(likers[film].count * likers[other].count).squareRoot()
                return (
                    film: other, similarity: cosine * count / (count + NeighbourRanking.shrinkage)
                )
            }
            return Array(
                found.sorted { ($1.similarity, $0.film) < ($0.similarity, $1.film) }
                    .prefix(NeighbourRanking.neighboursMax)
            )
        }
    }

    func films(for known: [TasteRating], count: Int) -> [Int] {
        var weights: [Int: Double] = [:]
        for rating in known {
            guard let film = films.index(of: rating.filmID) else { continue }
            weights[film] = rating.stars.value - NeighbourRanking.neutralStars
        }
        let scores = neighbours.map { neighbours in
            neighbours.reduce(0.0) { $0 + (weights[$1.film] ?? 0) * $1.similarity }
        }
        return films.best(scores, except: known, count: count)
    }
}
