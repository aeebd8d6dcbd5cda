import Expectations
import Foundation

@testable import News

/// Measures stories on a file of the user's own: Tests/NewsEvaluation/stories.sh.
@Suite(
    "Stories: a labelled file",
    .timeLimit(.minutes(10)),
    .enabled(if: ProcessInfo.processInfo.environment["VARDE_STORY_FILE"] != nil)
)
struct StoryFileEvaluationTests {
    private let environment = ProcessInfo.processInfo.environment
    private let file: StoryFile

    init() throws {
        let path = try require(ProcessInfo.processInfo.environment["VARDE_STORY_FILE"])
        file = StoryFile(Array(try Data(contentsOf: URL(filePath: path))))
        expect(!file.rows.isEmpty, "\(path) has articles")
    }

    @Test func storiesAgreeWithTheLabels() {
        let all = evaluate("all", file.rows)
        _ = evaluate("tuned half", file.half(odd: true))
        let heldOut = evaluate("held-out half", file.half(odd: false))
        _ = evaluate("held-out half among all", file.half(odd: false), among: file.rows)
        expect(StoryRules().decay >= .seconds(24 * 3600))
        expect(all.f1 >= 0.77)
        expect(heldOut.f1 >= 0.80)
    }

    /// - Parameter others: the articles that make the stories, if not those that are judged.
    private func evaluate(
        _ name: String,
        _ rows: [StoryFile.Row],
        among others: [StoryFile.Row]? = nil,
        rules: StoryRules = StoryRules()
    ) -> StoryEvaluation {
        let stories = StoryReplay.stories(of: (others ?? rows).map(\.article), rules: rules)
        let result = StoryEvaluation(
            rows.map { (group: stories[$0.article.articleID], label: $0.label) }
        )
        print(StoryFileEvaluationTests.line(name, result))
        return result
    }

    private static func line(_ name: String, _ result: StoryEvaluation) -> String {
        let figures = [
            ("P", result.precision), ("R", result.recall), ("F1", result.f1),
            ("NMI", result.normalisedMutualInformation), ("ARI", result.adjustedRandIndex),
        ]
        return "\(name): \(result.itemCount) articles, \(result.labelCount) labels, "
            + "\(result.groupCount) stories, "
            + figures.map { String(format: "%@ %.3f", $0, $1) }.joined(separator: ", ")
    }

    /// One line for each setting, on the half for tuning only.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["VARDE_STORY_SEARCH"] != nil))
    func parametersAreCompared() {
        var count = 0
        for (decay, join, merge, split) in StoryFileEvaluationTests.settings {
            var rules = StoryRules()
            rules.decay = .seconds(decay * 3600)
            rules.joinSimilarityMin = join
            rules.mergeSimilarityMin = merge
            rules.splitSimilarityMax = split
            _ = evaluate(
                "decay \(decay) h, join \(join), merge \(merge), split \(split)",
                file.half(odd: true),
                rules: rules
            )
            count += 1
        }
        expect(count > 0)
    }

    private static let settings: [(Int, Double, Double, Double)] =
        [24, 36, 48].flatMap { decay in
            [0.10, 0.12, 0.14].flatMap { join in
                [0.22, 0.25, 0.28].flatMap { merge in
                    [0, 0.05, 0.08, 0.11].map { (decay, join, merge, $0) }
                }
            }
        }
}
