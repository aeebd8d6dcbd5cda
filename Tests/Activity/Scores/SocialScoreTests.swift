import Expectations

@testable import Activity

@Suite("Social score", .timeLimit(.minutes(10)))
struct SocialScoreTests {
    private let kari = PersonCard(id: 2, name: "Kari", avatarURL: nil)

    private func ratings(_ halves: [Int]) -> FriendRatings {
        FriendRatings(halves.map { FriendRating(person: kari, stars: HalfStars(halves: $0)!) })
    }

    @Test("is none without friends' ratings")
    func none() {
        expectNil(SocialScore(.none, meanStars: 3.5))
    }

    @Test("is the friends' mean, drawn to everybody's by two ratings")
    func bayesianMean() {
        // (5 + 7) / 3 = 4 stars; (15 + 7) / 5 = 4.4 stars; (0.5 + 7) / 3 = 2.5 stars.
        expectEqual(SocialScore(ratings([10]), meanStars: 3.5)?.value, 78)
        expectEqual(SocialScore(ratings([10, 10, 10]), meanStars: 3.5)?.value, 87)
        expectEqual(SocialScore(ratings([1]), meanStars: 3.5)?.value, 44)
    }

    @Test("rises with every friend who likes the film more than most films are liked")
    func monotone() {
        let scores = (1...50).map {
            SocialScore(ratings(Array(repeating: 9, count: $0)), meanStars: 3)!.value
        }
        expectEqual(scores, scores.sorted())
        expect(scores.allSatisfy { (0...100).contains($0) })
    }

    @Test("reaches the ends of the scale with ratings at its ends")
    func ends() {
        expectEqual(SocialScore(ratings([10, 10]), meanStars: 5)?.value, 100)
        expectEqual(SocialScore(ratings([1, 1]), meanStars: 0.5)?.value, 0)
    }

    @Test("shows some friends by name and counts them all")
    func shown() {
        let many = ratings(Array(repeating: 8, count: 30))
        expectEqual(many.count, 30)
        expectEqual(many.latest.count, FriendRatings.shownMax)
        expectEqual(many.average, 4)
        expect(many.isUnanimous)
        expect(!ratings([8, 9]).isUnanimous)
        expectNil(ratings([]).average)
    }
}
