import Expectations
import TasteTesting

@testable import Activity

/// Whatever the data: what explanations say is so. Each claim is taken from its sentence and looked
/// up in the ratings, not in the model.
@Suite("Explanations: every sentence is true", .timeLimit(.minutes(10)))
struct ExplanationTruthTests {
    private struct Truth {
        let world: TasteWorld
        let ratings: [TasteRating]
        let own: [Int: HalfStars]
        private let likers: [Int: Set<Int>]
        /// The people who gave a film more than two stars, and fewer.
        private let raters: (above: [Int: Set<Int>], below: [Int: Set<Int>])

        init(_ world: TasteWorld, person: Int) {
            self.world = world
            ratings = TasteRating.latest(of: world.ratings)
            let rated = ratings.filter { $0.personID == person }
            own = Dictionary(uniqueKeysWithValues: rated.map { ($0.filmID, $0.stars) })
            func people(_ ratings: [TasteRating]) -> [Int: Set<Int>] {
                Dictionary(grouping: ratings, by: \.filmID).mapValues { Set($0.map(\.personID)) }
            }
            likers = people(ratings.filter(\.stars.isLiked))
            raters = (
                people(ratings.filter { $0.stars.halves > 4 }),
                people(ratings.filter { $0.stars.halves < 4 })
            )
        }

        /// Whether anybody thinks alike of both: gave both more than two stars, or both fewer.
        func goTogether(_ film: Int, _ other: Int) -> Bool {
            film != other
                && [raters.above, raters.below].contains { people in
                    !people[film, default: []].isDisjoint(with: people[other, default: []])
                }
        }

        /// Whether so many people like both that no model could miss it.
        func areMuchAlike(_ film: Int, _ other: Int) -> Bool {
            film != other
                && likers[film, default: []].intersection(likers[other, default: []]).count > 8
        }

        /// `(12, 4.5)` of `Film 12 4.5 stars`.
        func isRated(_ film: String, _ stars: String) -> Bool {
            guard let stars = Double(stars), let id = Int(film) else { return false }
            return own[id]?.value == stars
        }
    }

    @Test("for every person and film of a random world", arguments: 1...6)
    func sentences(seed: Int) {
        let world = TasteWorld(seed: seed, people: 16, films: 24, ratingsEach: 3 * seed)
        let model = world.model
        var types: Set<Explanation.FactorType> = []
        for person in world.people {
            let truth = Truth(world, person: person)
            let taste = model.taste(of: world.ratings(of: person))
            for film in world.films {
                let found = taste.explanation(of: film, now: tasteNow)
                expectSums(found)
                expectEqual(found.score, taste.score(of: film, now: tasteNow))
                expect((0...100).contains(found.confidenceHundredths))
                for factor in found.factors {
                    types.insert(factor.type)
                    expect(
                        isTrue(factor, of: film, truth),
                        "seed \(seed), person \(person), \(film.title): \(factor.description)"
                    )
                }
            }
        }
        expectEqual(types.subtracting([.unrated]), [.similarFilms, .genreMatch, .popular])
    }

    /// The figures as they are shown, by integers.
    private func expectSums(_ explanation: Explanation) {
        let weights = explanation.factors.map(\.weightHundredths)
        expectEqual(weights.reduce(0, +), 100)
        let sum = explanation.factors.reduce(0) { $0 + $1.weightHundredths * $1.value }
        expectEqual((sum + 50) / 100, explanation.aiScore)
        expect(explanation.factors.contains { $0.type == explanation.primaryReason })
    }

    private func isTrue(_ factor: Explanation.Factor, of film: Film, _ truth: Truth) -> Bool {
        switch factor.type {
        case .similarFilms: isSimilarTrue(factor.description, of: film, truth)
        case .genreMatch: isGenreTrue(factor.description, of: film, truth)
        case .popular, .unrated: isPopularTrue(factor.description, of: film, truth)
        case .friendActivity: false
        }
    }

    private func isSimilarTrue(_ sentence: String, of film: Film, _ truth: Truth) -> Bool {
        let claim = #/Film (\d+) ([\d.]+) stars?/#
        if sentence.hasPrefix("Because you rated ") {
            let claims = sentence.matches(of: claim)
            return (1...2).contains(claims.count)
                && claims.allSatisfy {
                    truth.isRated(String($0.1), String($0.2)) && Double($0.2)! >= 4
                        && truth.goTogether(film.id, Int($0.1)!)
                }
        }
        let lower = #/You rated Film (\d+), which is like it, ([\d.]+) stars?/#
        if let claim = sentence.wholeMatch(of: lower) {
            return truth.isRated(String(claim.1), String(claim.2))
                && truth.goTogether(film.id, Int(claim.1)!)
        }
        let others = truth.own.keys.filter { $0 != film.id }
        return switch sentence {
        case "None of the films you rated is much like this one":
            !others.isEmpty && !others.contains { truth.areMuchAlike(film.id, $0) }
        case "You have rated no other film yet": others.isEmpty
        default: false
        }
    }

    private func isGenreTrue(_ sentence: String, of film: Film, _ truth: Truth) -> Bool {
        func rated(_ genre: some StringProtocol) -> [HalfStars] {
            truth.world.films.filter { $0.genres.contains(String(genre)) }
                .compactMap { truth.own[$0.id] }
        }
        if let claim = sentence.wholeMatch(of: #/You rated (\d+) (\w+) films (.+) on average/#) {
            let own = rated(claim.2)
            return film.genres.contains(String(claim.2)) && String(own.count) == claim.1
                && stars(own) == claim.3
        }
        if let claim = sentence.wholeMatch(of: #/You rated one (\w+) film, (.+)/#) {
            let own = rated(claim.1)
            return film.genres.contains(String(claim.1)) && own.count == 1 && stars(own) == claim.2
        }
        if let claim = sentence.wholeMatch(of: #/You have rated no (\w+) film yet/#) {
            return film.genres.contains(String(claim.1)) && rated(claim.1).isEmpty
        }
        return sentence == "The catalogue names no genre of this film" && film.genres.isEmpty
    }

    private func isPopularTrue(_ sentence: String, of film: Film, _ truth: Truth) -> Bool {
        let all = truth.ratings.filter { $0.filmID == film.id }.map(\.stars)
        if let claim = sentence.wholeMatch(of: #/(\d+) people rated this (.+) on average/#) {
            return String(all.count) == claim.1 && stars(all) == claim.2
        }
        if let claim = sentence.wholeMatch(of: #/One person rated this (.+)/#) {
            return all.count == 1 && stars(all) == claim.1
        }
        return sentence == "Nobody has rated this yet" && all.isEmpty
    }

    /// The mean to a tenth, by integers.
    private func stars(_ ratings: [HalfStars]) -> Substring {
        let sum = ratings.reduce(0) { $0 + $1.halves }
        let tenths = (10 * sum + ratings.count) / (2 * ratings.count)
        let number = tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
        return "\(number) \(tenths == 10 ? "star" : "stars")"
    }
}
