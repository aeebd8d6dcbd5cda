import Activity
import SeededRandom

/// A day on which nothing depends.
package let tasteNow = Timestamp(milliseconds: 1_750_000_000_000)

/// Ratings at the same instant, a month before `tasteNow`.
package func rating(_ personID: Int, _ filmID: Int, _ stars: Double, daysAgo: Int = 30)
    -> TasteRating
{
    TasteRating(
        personID: personID,
        filmID: filmID,
        stars: HalfStars(halves: Int(2 * stars))!,
        at: tasteNow - .seconds(86_400 * daysAgo)
    )
}

package func films(_ genres: [Int: [String]]) -> [Film] {
    genres.keys.sorted().map { Film(id: $0, title: "Film \($0)", genres: genres[$0]!) }
}

/// People and films of a few tastes: a person rates films of the own taste high and others low,
/// with whims. Some films have no genre, and some name one twice.
package struct TasteWorld {
    package let films: [Film]
    package let ratings: [TasteRating]
    package let people: ClosedRange<Int>

    package init(seed: Int, people: Int = 60, films: Int = 40, ratingsEach: Int = 15) {
        var random = SeededGenerator(seed: UInt64(seed))
        let genres = ["Western", "Drama", "Comedy", "Horror"]
        self.films = (1...films).map { id in
            var own = [genres[id % 4]]
            if Int.random(in: 0..<3, using: &random) == 0 { own.append(genres[(id / 4) % 4]) }
            if Int.random(in: 0..<12, using: &random) == 0 { own = [] }
            return Film(id: id, title: "Film \(id)", genres: own)
        }
        self.people = 1...people
        var ratings: [TasteRating] = []
        for person in 1...people {
            for _ in 0..<ratingsEach {
                let film = Int.random(in: 1...films, using: &random)
                let isOwn = film % 4 == person % 4
                let halves = (isOwn ? 9 : 5) + Int.random(in: -4...1, using: &random)
                ratings.append(
                    TasteRating(
                        personID: person,
                        filmID: film,
                        stars: HalfStars(halves: halves)!,
                        at: tasteNow - .seconds(Int.random(in: 0...40 * 86_400, using: &random))
                    )
                )
            }
        }
        self.ratings = ratings
    }

    package var model: TasteModel { TasteModel(ratings: ratings, films: films, at: tasteNow) }

    package func ratings(of person: Int) -> [TasteRating] {
        ratings.filter { $0.personID == person }
    }
}
