/// The results of an evaluation.
package struct EvaluationReport: Sendable, Equatable {
    package struct Ranking: Sendable, Equatable {
        package var name: String
        package var quality: RankingQuality
    }

    /// Of people whose ratings the model was not built from.
    package struct Newcomers: Sendable, Equatable {
        /// The ratings by which they are known.
        package var ratingsCount: Int
        package var rankings: [Ranking]
    }

    package var ratingsCount: Int
    package var filmsCount: Int
    package var peopleCount: Int
    /// Of the model of all people's earlier ratings.
    package var buildTime: Duration
    /// The model of the app is the last one.
    package var rankings: [Ranking] = []
    package var newcomers: [Newcomers] = []
    package var reliability = ScoreReliability()

    /// For a terminal, with a line break at the end.
    package var text: String {
        var lines = [
            "\(ratingsCount) ratings of \(filmsCount) films by \(peopleCount) people",
            "model built in \(EvaluationReport.fixed(buildTime / .seconds(1), 2)) s",
            "",
            "ranking of what each person liked among the last fifth of their ratings; the last column",
            "is the difference of NDCG@10 from that of the last model, with its standard error",
            EvaluationReport.padded("", EvaluationReport.nameWidth)
                + " NDCG@10  recall@20  films shown  diversity  people  difference",
        ]
        lines += self.lines(of: rankings, reference: rankings.last)
        lines += ["", "people whom the model was not built from, known by their first ratings"]
        for newcomer in newcomers {
            lines += self.lines(
                of: newcomer.rankings,
                prefix: EvaluationReport.padded("\(newcomer.ratingsCount)", 3),
                reference: newcomer.rankings.last
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

    private func lines(
        of rankings: [Ranking],
        prefix: String = "",
        reference: Ranking?
    ) -> [String] {
        rankings.map { ranking in
            let quality = ranking.quality
            let share = Double(quality.shownFilmsCount) / Double(max(filmsCount, 1))
            var line =
                EvaluationReport.padded(prefix + ranking.name, EvaluationReport.nameWidth)
                + EvaluationReport.column(quality.gainAt10, 4, width: 8)
                + EvaluationReport.column(quality.recallAt20, 4, width: 11)
                + EvaluationReport.column(100 * share, 1, width: 11) + " %"
                + EvaluationReport.column(quality.diversity, 3, width: 11)
                + EvaluationReport.padded(left: "\(quality.count)", 8)
            if let reference, reference.name != ranking.name,
                let difference = quality.gainDifference(from: reference.quality)
            {
                line +=
                    EvaluationReport.column(difference.mean, 4, width: 9) + " ± "
                    + EvaluationReport.fixed(difference.standardError, 4)
            }
            return line
        }
    }

    private static let nameWidth = 22

    private static func column(_ value: Double, _ decimals: Int, width: Int) -> String {
        padded(left: fixed(value, decimals), width)
    }

    /// With so many digits after the point.
    private static func fixed(_ value: Double, _ decimals: Int) -> String {
        let scale = (0..<decimals).reduce(1) { power, _ in 10 * power }
        let scaled = Int((value.magnitude * Double(scale)).rounded())
        let fraction = String(scaled % scale)
        return (value < 0 && scaled > 0 ? "−" : "") + "\(scaled / scale)."
            + String(repeating: "0", count: decimals - fraction.count) + fraction
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func padded(left text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
