import Expectations

@testable import News

@Suite("How unlike a story is to all others", .timeLimit(.minutes(10)))
struct StoryBoardNoveltyTests {
    private func board(_ titles: [String]) -> StoryBoard {
        var rules = StoryRules()
        // So that stories with a common word stay apart.
        rules.joinSimilarityMin = 0.9
        var board = StoryBoard(rules: rules)
        for (index, title) in titles.enumerated() {
            _ = board.add([
                StoryInput(
                    articleID: index + 1,
                    title: title,
                    owner: "owner",
                    publishedAt: Timestamp(milliseconds: Int64(index) * 1000)
                )
            ])
        }
        _ = board.settle(now: Timestamp(milliseconds: Int64(titles.count) * 1000))
        return board
    }

    @Test func storyWithoutACommonWordIsNew() {
        var board = board(["Geomagnetic storm tonight", "Apple raises dividend"])
        expectEqual(board.openStoryIDs, [1, 2])
        expectEqual(board.novelty(ofStory: 1), 1)
        expectEqual(board.novelty(ofStory: 2), 1)
    }

    @Test func commonWordsMakeItLessNew() {
        var board = board([
            "Geomagnetic storm tonight", "Storm of goals at the cup final",
        ])
        expectEqual(board.openStoryIDs, [1, 2])
        let novelty = board.novelty(ofStory: 2)
        expect(novelty > 0 && novelty < 1)
        expectEqual(board.novelty(ofStory: 1), novelty)
    }

    @Test func onlyStoryIsNewAndAnUnknownOneIsNot() {
        var board = board(["Geomagnetic storm tonight"])
        expectEqual(board.novelty(ofStory: 1), 1)
        expectEqual(board.novelty(ofStory: 2), 0)
    }

    /// Novelty uses the buffers of the search; the board must be the same afterwards.
    @Test func boardIsUnchanged() {
        var board = board(["Geomagnetic storm tonight", "Storm warning for tonight"])
        let rows = board.rows
        _ = board.novelty(ofStory: 1)
        expectEqual(board.rows, rows)
    }
}
