import Expectations
import News
import SeededRandom

/// A candidate, whose rank key is its id unless it has another.
func candidate(
    _ id: Int,
    key: Double? = nil,
    story: Int? = nil,
    importance: Int = 50,
    tickers: String...
) -> FeedCandidate {
    FeedCandidate(
        position: RankPosition(key: key ?? Double(id), id: id),
        storyID: story,
        importance: importance,
        publishedAt: NewsExamples.time,
        tickers: tickers.map { Ticker($0)! }
    )
}

@Suite("The general feed", .timeLimit(.minutes(10)))
struct RankedFeedTests {
    private func ids(_ feed: RankedFeed) -> [Int] { feed.entries.map(\.articleID) }

    @Test func articlesHaveTheOrderOfTheirRanks() {
        let feed = RankedFeed(
            candidates: [candidate(1), candidate(3, key: 0), candidate(2, key: 1)],
            generation: 3
        )
        expectEqual(ids(feed), [2, 1, 3])
    }

    @Test func storyHasItsBestArticleOnly() {
        let feed = RankedFeed(
            candidates: [
                candidate(1, story: 7), candidate(2, story: 7), candidate(3, story: 8),
                candidate(4), candidate(5),
            ],
            generation: 5
        )
        expectEqual(ids(feed), [5, 4, 3, 2])
    }

    @Test func articlesOfALaterGenerationAndUnimportantOnesAreLeftOut() {
        let candidates = [
            candidate(1, story: 7, importance: 50), candidate(2, story: 8, importance: 49),
            candidate(3, story: 7, importance: 90),
        ]
        expectEqual(ids(RankedFeed(candidates: candidates, generation: 2, importanceMin: 50)), [1])
    }

    @Test func lastPageHasNoCursorEvenIfItIsFull() {
        let feed = RankedFeed(candidates: (1...4).map { candidate($0) }, generation: 4)
        let first = feed.page(limit: 2)
        expectEqual(first.entries.map(\.articleID), [4, 3])
        expectEqual(first.next, NewsCursor(generation: 4, position: RankPosition(key: 3, id: 3)))
        let second = feed.page(after: RankPosition(key: 3, id: 3), limit: 2)
        expectEqual(second.entries.map(\.articleID), [2, 1])
        expectNil(second.next)
        expect(feed.page(after: RankPosition(key: 1, id: 1), limit: 2).entries.isEmpty)
        expectNil(RankedFeed(candidates: [], generation: 0).page(limit: 1).next)
    }

    /// Pages of random lengths, while articles arrive with random ranks and stories.
    @Test(arguments: 0..<20)
    func pagesWhileArticlesArriveNeitherRepeatNorOmitAStory(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var candidates: [FeedCandidate] = []
        func arrive(_ count: Int) {
            for _ in 0..<count {
                candidates.append(
                    candidate(
                        candidates.count + 1,
                        key: Double(Int.random(in: 0..<40, using: &random)),
                        story: Int.random(in: 0..<60, using: &random)
                    )
                )
            }
        }
        arrive(100)
        let generation = candidates.count
        let whole = RankedFeed(candidates: candidates, generation: generation).entries
        var read: [FeedCandidate] = []
        var position = RankPosition.start
        while true {
            let limit = Int.random(in: 1...9, using: &random)
            let feed = RankedFeed(
                candidates: candidates.shuffled(using: &random),
                generation: generation
            )
            let page = feed.page(after: position, limit: limit)
            read += page.entries
            guard let next = page.next else { break }
            expectEqual(page.entries.count, limit, "seed \(seed)")
            position = next.position
            arrive(Int.random(in: 0...20, using: &random))
        }
        expectEqual(read, whole, "seed \(seed)")
        expectEqual(Set(read.map(\.storyID)).count, read.count, "seed \(seed)")
    }
}
