import Expectations

@testable import Activity

@Suite("Explanations as JSON", .timeLimit(.minutes(10)))
struct ExplanationJSONTests {
    private let explanation = Explanation(
        score: FilmScore(
            filmID: 7,
            similar: 0.9,
            genre: 0.8,
            popular: 0.5,
            weights: FactorWeights(ratingsCount: 1)
        ),
        primaryReason: .similarFilms,
        confidenceHundredths: 94,
        factors: [
            .init(
                type: .similarFilms,
                weightHundredths: 28,
                value: 90,
                sentence: .ratedNearest(.init(title: "\"Heat\"", stars: HalfStars(halves: 3)!))
            ),
            .init(
                type: .friendActivity,
                weightHundredths: 0,
                value: 3,
                sentence: .ratedByFriends(count: 3, mean: 25 / 6, isUnanimous: false)
            ),
        ],
        friends: FriendSignals(
            ratings: FriendRatings([
                FriendRating(
                    person: PersonCard(id: 2, name: "Kari", avatarURL: nil),
                    stars: HalfStars(halves: 9)!
                ),
                FriendRating(
                    person: PersonCard(id: 3, name: "Ola", avatarURL: "https://a/b"),
                    stars: HalfStars(halves: 8)!
                ),
                FriendRating(
                    person: PersonCard(id: 4, name: "Liv", avatarURL: nil),
                    stars: HalfStars(halves: 8)!
                ),
            ]),
            watchCount: 5,
            mutualFriendsWatched: 2
        )
    )

    @Test("have weights, confidence and what friends did, in the answer for one film")
    func film() {
        let expected =
            #"{"movie_id":7,"ai_score":56,"explanation":{"primary_reason":"similar_films","#
            + #""confidence":0.94,"factors":[{"type":"similar_films","weight":0.28,"value":90,"#
            + #""description":"You rated \"Heat\", which is like it, 1.5 stars"},"#
            + #"{"type":"friend_activity","weight":0,"value":3,"#
            + #""description":"3 friends rated this 4.2 stars on average"}]},"social_signals":{"friend_ratings_count":3,"#
            + #""friend_ratings_avg":4.17,"friend_watch_count":5,"mutual_friends_watched":2}}"#
        expectEqual(String(decoding: explanation.json(in: .english), as: UTF8.self), expected)
    }

    @Test("have values without weights in a feed, in the language of the request")
    func recommendation() {
        let expected =
            #"{"primary_reason":"similar_films","factors":[{"type":"similar_films","value":90,"#
            + #""description":"Du ga \"Heat\", som ligner, 1,5 stjerner"},"#
            + #"{"type":"friend_activity","value":3,"#
            + #""description":"3 venner ga denne 4,2 stjerner i snitt"}]}"#
        let json = explanation.recommendationJSON(in: .norwegian)
        expectEqual(String(decoding: json, as: UTF8.self), expected)
    }

    @Test("have zeros where no friend has rated")
    func zeros() {
        var alone = explanation
        alone.friends = .none
        alone.factors = []
        let text = String(decoding: alone.json(in: .english), as: UTF8.self)
        expect(
            text.hasSuffix(
                #""friend_ratings_avg":0,"friend_watch_count":0,"mutual_friends_watched":0}}"#
            )
        )
    }
}
