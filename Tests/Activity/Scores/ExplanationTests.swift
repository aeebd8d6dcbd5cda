import Expectations
import TasteTesting

@testable import Activity

@Suite("Explanations", .timeLimit(.minutes(10)))
struct ExplanationTests {
    private let catalogue = films([
        1: ["Drama"], 2: ["Drama", "Western"], 3: ["Comedy"], 4: [], 5: ["Horror"],
    ])

    /// Ten people who like the films 1 and 2, five of them 3, too; one dislikes 5.
    private var model: TasteModel {
        let ratings =
            (1...10).flatMap { [rating($0, 1, 5), rating($0, 2, 4)] }
            + (2...5).map { rating($0, 3, 4) } + [rating(1, 3, 5), rating(3, 5, 1)]
        return TasteModel(ratings: ratings, films: catalogue, at: tasteNow)
    }

    private func explanation(
        _ film: Int,
        of own: [TasteRating],
        friends: FriendSignals = .none
    ) -> Explanation {
        model.taste(of: own).explanation(of: catalogue[film - 1], friends: friends, now: tasteNow)
    }

    private func sentences(_ explanation: Explanation) -> [Explanation.FactorType: String] {
        Dictionary(uniqueKeysWithValues: explanation.factors.map { ($0.type, $0.description) })
    }

    @Test("name the rated films that speak most for it")
    func similarFilms() {
        let found = explanation(2, of: [rating(99, 1, 5), rating(99, 3, 4.5)])
        expectEqual(
            sentences(found),
            [
                .similarFilms: "Because you rated Film 1 5 stars and Film 3 4.5 stars",
                .genreMatch: "You rated one Drama film, 5 stars",
                .popular: "10 people rated this 4 stars on average",
            ]
        )
    }

    @Test("tell everybody's ratings as they are shown beside them, not as the model knows them")
    func latestRatings() {
        let taste = model.taste(of: [])
        for (ratings, sentence) in [
            (RatingSummary(count: 11, average: 3.5), "11 people rated this 3.5 stars on average"),
            (RatingSummary(count: 1, average: 1), "One person rated this 1 star"),
            (RatingSummary.none, "Nobody has rated this yet"),
        ] {
            let found = taste.explanation(of: catalogue[0], ratings: ratings, now: tasteNow)
            let type = ratings.average == nil ? Explanation.FactorType.unrated : .popular
            expectEqual(sentences(found), [type: sentence])
            expectEqual(found.score, taste.score(of: catalogue[0], now: tasteNow))
        }
    }

    @Test("have as their main reason what lifts the score most above what is usual, if it is known")
    func primaryReason() {
        // Two camps that like the films 1 to 3 and 4 to 6, and a film 7 of a genre that neither
        // knows.
        let catalogue = films([
            1: ["Drama"], 2: ["Drama"], 3: ["Drama"], 4: ["Drama"], 5: [], 6: [], 7: ["Horror"],
        ])
        let ratings = (1...20).flatMap { person in
            (1...6).map { rating(person, $0, ($0 <= 3) == (person <= 10) ? 5 : 2) }
        }
        let model = TasteModel(ratings: ratings, films: catalogue, at: tasteNow)
        let own = (1...4).map { rating(99, $0, $0 == 4 ? 2 : 5) } + [rating(99, 8, 5)]
        let taste = model.taste(of: own, films: [Film(id: 8, title: "", genres: ["Horror"])])
        let reasons = [3, 5, 7].map {
            taste.explanation(of: catalogue[$0 - 1], now: tasteNow).primaryReason
        }
        expectEqual(reasons, [.similarFilms, .popular, .genreMatch])
    }

    @Test("say what speaks against a film, or that nothing is known")
    func nothingSimilar() {
        let disliked = explanation(2, of: [rating(99, 1, 1)])
        expectEqual(
            sentences(disliked)[.similarFilms],
            "You rated Film 1, which is like it, 1 star"
        )
        expectEqual(disliked.primaryReason, .popular)

        let unrelated = explanation(5, of: [rating(99, 1, 5)])
        expectEqual(
            sentences(unrelated),
            [
                .similarFilms: "None of the films you rated is much like this one",
                .genreMatch: "You have rated no Horror film yet",
                .popular: "One person rated this 1 star",
            ]
        )
        let unknown = explanation(4, of: [rating(99, 1, 5)])
        expectEqual(sentences(unknown)[.genreMatch], "The catalogue names no genre of this film")
        expectEqual(sentences(unknown)[.unrated], "Nobody has rated this yet")
    }

    @Test("of a film that is the only one rated do not cite it for itself")
    func ownRating() {
        let found = explanation(1, of: [rating(99, 1, 5)])
        expectEqual(sentences(found)[.similarFilms], "You have rated no other film yet")
    }

    @Test("have popularity alone for somebody who has rated nothing")
    func coldStart() {
        let found = explanation(1, of: [])
        expectEqual(found.factors.count, 1)
        expectEqual(found.factors[0].weightHundredths, 100)
        expectEqual(found.factors[0].value, found.aiScore)
        expectEqual(found.primaryReason, .popular)
    }

    @Test("count friends, who are no part of the score")
    func friends() {
        let kari = PersonCard(id: 2, name: "Kari", avatarURL: nil)
        func signals(_ stars: [Int], watched: Int = 0) -> FriendSignals {
            let ratings = stars.map { FriendRating(person: kari, stars: HalfStars(halves: $0)!) }
            return FriendSignals(ratings: FriendRatings(ratings), watchCount: watched)
        }
        let expected: [(FriendSignals, String?, Int)] = [
            (signals([]), nil, 0),
            (signals([10]), "1 friend rated this 5 stars", 1),
            (signals([10, 10, 10]), "3 friends rated this 5 stars", 3),
            (signals([10, 8, 8]), "3 friends rated this 4.3 stars on average", 3),
            (signals([], watched: 1), "1 friend watched this", 1),
            (signals([], watched: 7), "7 friends watched this", 7),
        ]
        let own = [rating(99, 1, 5)]
        let score = explanation(2, of: own).aiScore
        for (signals, sentence, value) in expected {
            let found = explanation(2, of: own, friends: signals)
            let factor = found.factors.first { $0.type == .friendActivity }
            expectEqual(factor?.description, sentence)
            expectEqual(factor?.value ?? 0, value)
            expectEqual(factor?.weightHundredths ?? 0, 0)
            expectEqual(found.aiScore, score)
        }
    }

    @Test("are as confident as what is known of what could be")
    func confidence() {
        // One rating: weights 14, 2 and 84. One similar film of three more, one of a genre of five
        // more, ten ratings, and m is ten, the median of 1, 5, 10 and 10.
        let found = explanation(2, of: [rating(99, 1, 5)])
        expectEqual(model.statistics.priorCount, 10)
        expectEqual(found.factors.map(\.weightHundredths), [84, 14, 2])
        expectEqual(found.confidenceHundredths, 46, "14 / 4 + 2 / 6 + 84 / 2 = 45.8")
        expectEqual(explanation(4, of: []).confidenceHundredths, 0)
    }
}

extension Explanation.Factor {
    /// In English.
    var description: String { FilmLanguage.english.text(sentence) }
}
