/// The reliability of scores: the share of likes among the films with about the same score.
package struct ScoreReliability: Sendable, Equatable {
    /// The scores from ten times the index on, one hundred with the nineties.
    package struct Decade: Sendable, Equatable {
        package fileprivate(set) var count = 0
        package fileprivate(set) var likes = 0
        package fileprivate(set) var scoreSum = 0

        /// 0...100; nil without films.
        package var meanScore: Double? { count > 0 ? Double(scoreSum) / Double(count) : nil }
        /// 0...100; nil without films.
        package var likedPercent: Double? { count > 0 ? 100 * Double(likes) / Double(count) : nil }
    }

    package private(set) var decades = [Decade](repeating: Decade(), count: 10)
    private var squareSum = 0.0

    package var count: Int { decades.reduce(0) { $0 + $1.count } }

    /// The Brier score: the mean square between probability and outcome, 0 at best, 0.25 for a
    /// coin.
    package var meanSquare: Double { count > 0 ? squareSum / Double(count) : 0 }

    mutating func add(score: Int, isLiked: Bool) {
        let index = min(score / 10, 9)
        decades[index].count += 1
        decades[index].likes += isLiked ? 1 : 0
        decades[index].scoreSum += score
        let error = Double(score) / 100 - (isLiked ? 1 : 0)
        squareSum += error * error
    }
}
