/// What an evaluation found.
package struct EvaluationReport: Sendable, Equatable {
    /// The model beside the films that most people like, on the same lists.
    package struct Comparison: Sendable, Equatable {
        package var model = RankingQuality()
        package var popularity = RankingQuality()
    }

    /// Of people whose ratings the model was not built from.
    package struct Newcomers: Sendable, Equatable {
        /// The ratings by which they are known.
        package var ratingsCount: Int
        package var comparison = Comparison()
    }

    package var ratingsCount: Int
    package var filmsCount: Int
    package var peopleCount: Int
    /// Of the model of everybody's earlier ratings.
    package var buildTime: Duration
    package var comparison = Comparison()
    package var newcomers: [Newcomers] = []
    package var reliability = ScoreReliability()

    /// For a terminal, with a line break at the end.
    package var text: String {
        var lines = [
            "\(ratingsCount) ratings of \(filmsCount) films by \(peopleCount) people",
            "model built in \(EvaluationReport.fixed(buildTime / .seconds(1), 2)) s",
            "",
            "ranking of what each person liked among the last fifth of their ratings",
            "                     NDCG@10  recall@20  people",
        ]
        lines += EvaluationReport.lines(of: comparison, model: "model", popularity: "popularity")
        lines += ["", "people whom the model was not built from, known by their first ratings"]
        for newcomer in newcomers {
            lines += EvaluationReport.lines(
                of: newcomer.comparison,
                model: "model, \(newcomer.ratingsCount) ratings",
                popularity: "popularity"
            )
        }
        lines += ["", "scores of the held-out ratings", "score     mean  liked %  films"]
        for (index, decade) in reliability.decades.enumerated() {
            guard let mean = decade.meanScore, let liked = decade.likedPercent else { continue }
            lines.append(
                EvaluationReport.padded("\(10 * index)–\(index == 9 ? 100 : 10 * index + 9)", 8)
                    + EvaluationReport.column(mean, 1, width: 6)
                    + EvaluationReport.column(liked, 1, width: 9)
                    + EvaluationReport.padded(left: "\(decade.count)", 7)
            )
        }
        lines.append("Brier score \(EvaluationReport.fixed(reliability.meanSquare, 3))")
        return lines.joined(separator: "\n") + "\n"
    }

    private static func lines(
        of comparison: Comparison,
        model: String,
        popularity: String
    ) -> [String] {
        [(model, comparison.model), (popularity, comparison.popularity)].map { name, quality in
            padded(name, 20) + column(quality.gainAt10, 4, width: 8)
                + column(quality.recallAt20, 4, width: 11)
                + padded(left: "\(quality.count)", 8)
        }
    }

    private static func column(_ value: Double, _ decimals: Int, width: Int) -> String {
        padded(left: fixed(value, decimals), width)
    }

    /// Not negative, with so many digits after the point.
    private static func fixed(_ value: Double, _ decimals: Int) -> String {
        let scale = (0..<decimals).reduce(1) { power, _ in 10 * power }
        let scaled = Int((value * Double(scale)).rounded())
        let fraction = String(scaled % scale)
        return "\(scaled / scale)."
            + String(repeating: "0", count: decimals - fraction.count) + fraction
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func padded(left text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
