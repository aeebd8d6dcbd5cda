/// The score of a film by friends, 0 to 100: the Bayesian mean of their ratings, (v·R + m·C) / (v +
/// m), from half a star at 0 to five stars at 100.
///
/// C is the mean of all ratings of all films and m two ratings: a film that friends rate has one to
/// three ratings of theirs, and one enthusiast should not make it a hundred.
package struct SocialScore: Sendable, Equatable {
    package let value: Int

    /// - Parameters:
    ///   - ratings: only of friends.
    ///   - meanStars: of all people's ratings of all films: `TasteModel.meanStars`.
    /// - Returns: nil without ratings of friends.
    package init?(_ ratings: FriendRatings, meanStars: Double) {
        guard ratings.count > 0 else { return nil }
        let sum = Double(ratings.halvesSum) / 2 + SocialScore.priorCount * meanStars
        let mean = sum / (Double(ratings.count) + SocialScore.priorCount)
        let share = (mean - SocialScore.least) / (SocialScore.greatest - SocialScore.least)
        value = Int((100 * min(max(share, 0), 1)).rounded())
    }

    private static let priorCount = 2.0
    private static let least = 0.5
    private static let greatest = 5.0
}

extension TasteModel {
    /// Of all ratings of all films, in stars.
    package var meanStars: Double { statistics.meanStars }
}
