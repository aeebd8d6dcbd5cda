import Foundation
import News

/// The agreement of stories with the labels of a file of articles, and the speed of making them.
struct StoryFileReport: Sendable {
    let all: StoryEvaluation
    /// For the labels that were not used to choose parameters, with stories made only of their
    /// articles; nil if the file has no such labels.
    let heldOut: StoryEvaluation?
    let skippedCount: Int
    /// The time to make the stories of all articles, including reviews.
    let time: Duration

    /// Nil for a file without articles.
    ///
    /// - Parameter elapsed: the time since the call.
    init?(_ file: StoryFile, elapsed: () -> Duration) {
        guard !file.rows.isEmpty else { return nil }
        let stories = StoryReplay.stories(of: file.rows.map(\.article))
        time = elapsed()
        all = StoryFileReport.evaluation(of: file.rows, in: stories)
        let rows = file.half(odd: false)
        heldOut =
            rows.isEmpty
            ? nil
            : StoryFileReport.evaluation(
                of: rows,
                in: StoryReplay.stories(of: rows.map(\.article))
            )
        skippedCount = file.skippedCount
    }

    private static func evaluation(
        of rows: [StoryFile.Row],
        in stories: [Int: Int]
    ) -> StoryEvaluation {
        StoryEvaluation(rows.map { (group: stories[$0.article.articleID], label: $0.label) })
    }

    /// 0 if no time has elapsed.
    var articlesPerSecond: Double {
        time > .zero ? Double(all.itemCount) / (time / .seconds(1)) : 0
    }

    var text: String {
        var lines = [
            """
                           articles  labels  stories  precision  recall     F1    NMI    ARI
            """
        ]
        lines.append(line("all", all))
        if let heldOut { lines.append(line("held-out half", heldOut)) }
        lines.append("")
        if skippedCount > 0 { lines.append("lines without an article: \(skippedCount)") }
        lines.append(String(format: "%.0f articles a second", articlesPerSecond))
        return lines.joined(separator: "\n")
    }

    private func line(_ name: String, _ result: StoryEvaluation) -> String {
        let counts = [(result.itemCount, 8), (result.labelCount, 8), (result.groupCount, 9)]
        let figures = [
            (result.precision, 11), (result.recall, 8), (result.f1, 7),
            (result.normalisedMutualInformation, 7), (result.adjustedRandIndex, 7),
        ]
        return name.padding(toLength: 15, withPad: " ", startingAt: 0)
            + counts.map { padded("\($0)", $1) }.joined()
            + figures.map { padded(String(format: "%.3f", $0), $1) }.joined()
    }

    private func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
