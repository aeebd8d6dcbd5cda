import Expectations
import Glibc
import SeededRandom

@testable import News

/// Whether the importance of a story at the age of an hour foretells its size better than its age
/// and its number of articles.
@Suite("Ranking", .timeLimit(.minutes(10)))
struct RankingTests {
    private struct Story {
        var reports: [StoryReport]
        var novelty: Double

        var start: Timestamp { reports[0].publishedAt }
    }

    private struct Quality {
        var spearman: [String: Double] = [:]
        var ndcg: [String: Double] = [:]
    }

    private func quality(_ stories: [Story], at age: Duration, size: (Story) -> Double) throws
        -> Quality
    {
        var scores: [String: [Double]] = [:]
        for story in stories {
            let early = story.reports.filter { $0.publishedAt - story.start <= age }
            let evidence = try require(StoryEvidence(reports: early, novelty: story.novelty))
            scores["importance", default: []].append(Importance(evidence).bits)
            scores["articles", default: []].append(Double(early.count))
            scores["recency", default: []].append(story.start.seconds)
        }
        let sizes = stories.map(size)
        return Quality(
            spearman: scores.mapValues { RankingQuality.spearman($0, sizes) },
            ndcg: scores.mapValues { RankingQuality.ndcg($0, sizes) }
        )
    }

    @Test func measuresKnowTheBestAndTheWorstOrder() {
        let sizes = [1.0, 2, 3, 4, 5]
        expectEqual(RankingQuality.spearman(sizes, sizes), 1)
        expectEqual(RankingQuality.spearman(sizes.reversed(), sizes), -1)
        expectEqual(RankingQuality.spearman([1, 1, 1, 1, 1], sizes), 0)
        expectEqual(RankingQuality.ndcg(sizes, sizes), 1)
        expect(RankingQuality.ndcg(sizes.reversed(), sizes) < 0.8)
        let equal = RankingQuality.ndcg([0, 0, 0, 0, 0], sizes)
        expect(RankingQuality.ndcg(sizes.reversed(), sizes) < equal)
        expect(equal < 1)
    }

    /// Stories whose publishers come at a rate that falls with the age of the story. Some owners
    /// have many sites that copy each other: their articles are many, and say nothing about who
    /// else will report.
    @Test(arguments: 1...10)
    func importanceForetellsTheFinalNumberOfPublishersInSimulations(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let origin = Timestamp(milliseconds: 1_767_348_000_000)
        var stories: [Story] = []
        for _ in 0..<400 {
            let start = origin + .seconds(Int.random(in: 0...172_800, using: &random))
            // The publishers that a story would have: one in a hundred stories, more than a
            // hundred.
            let reach = pow(Double.random(in: 0.0001..<1, using: &random), -0.7)
            let publishers = Int(min(reach, 300).rounded(.up))
            var reports: [StoryReport] = []
            for publisher in 0..<publishers {
                let hours =
                    publisher == 0 ? 0 : -6 * log(Double.random(in: 0.0001..<1, using: &random))
                // Chains are a fifth of the publishers, with up to 15 sites.
                let sites =
                    Int.random(in: 0..<5, using: &random) == 0
                    ? Int.random(in: 2...15, using: &random) : 1
                for site in 0..<sites {
                    let delay = hours * 3600 + Double(site) * 60
                    reports.append(
                        StoryReport(
                            owner: "owner \(publisher)",
                            publishedAt: start + .seconds(delay)
                        )
                    )
                }
            }
            reports.sort { $0.publishedAt < $1.publishedAt }
            stories.append(Story(reports: reports, novelty: 0.5))
        }
        let found = try quality(stories, at: .seconds(3600)) {
            Double(Set($0.reports.map(\.owner)).count)
        }
        print("simulated \(seed): spearman \(found.spearman) ndcg \(found.ndcg)")
        for other in ["articles", "recency"] {
            expect(found.spearman["importance"]! > found.spearman[other]!, "seed \(seed), \(other)")
            expect(found.ndcg["importance"]! > found.ndcg[other]!, "seed \(seed), \(other)")
        }
    }

    /// On a file of the user's own. In files whose stories were crawled within an hour, the number
    /// of articles at that age is the final size, and nothing can be measured.
    @Test(.enabled(if: UCIArticles.path != nil))
    func importanceForetellsTheFinalSizeOnUCI() throws {
        var stories: [String: Story] = [:]
        for row in try UCIArticles.read() {
            let report = StoryReport(
                owner: row.publisher,
                publishedAt: Timestamp(milliseconds: row.milliseconds)
            )
            stories[row.story, default: Story(reports: [], novelty: 0.5)].reports.append(report)
        }
        let sorted = stories.values.map { story in
            Story(reports: story.reports.sorted { $0.publishedAt < $1.publishedAt }, novelty: 0.5)
        }
        let spans = sorted.map { $0.reports.last!.publishedAt - $0.start }.sorted()
        let found = try quality(sorted, at: .seconds(3600)) { Double($0.reports.count) }
        print(
            "uci: \(sorted.count) stories, longest \(spans.last!), spearman \(found.spearman)",
            "ndcg \(found.ndcg)"
        )
        expect(sorted.count > 1)
        guard spans[spans.count / 2] > .seconds(3600) else {
            expect(found.spearman["articles"]! > 0.999, "the number of articles is the final size")
            return
        }
        for other in ["articles", "recency"] {
            expect(found.spearman["importance"]! > found.spearman[other]!, "\(other)")
            expect(found.ndcg["importance"]! > found.ndcg[other]!, "\(other)")
        }
    }
}
