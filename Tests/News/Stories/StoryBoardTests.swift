import Expectations

@testable import News

@Suite("Stories: the board", .timeLimit(.minutes(10)))
struct StoryBoardTests {
    private let fed = [
        StoryInput.at(0, 1, "Fed raises interest rates by a quarter point"),
        StoryInput.at(5, 2, "Interest rates: Fed lifts its benchmark a quarter point"),
        StoryInput.at(9, 3, "Fed's Powell sees more interest rates rises"),
    ]
    private let moon = [
        StoryInput.at(3, 4, "Lunar lander touches down near south pole"),
        StoryInput.at(7, 5, "Private lunar lander reaches the Moon's south pole"),
    ]

    private func board(_ articles: [StoryInput]) -> (StoryBoard, [StoryEvent]) {
        var board = StoryBoard()
        let events = board.add(articles) + board.settle(now: .atMinute(1_000_000))
        return (board, events)
    }

    @Test func articlesOfOneEventAreOneStory() {
        let (board, events) = board(fed + moon)
        expectEqual(
            events,
            [
                .created(story: 1), .articleAdded(article: 1, story: 1),
                .created(story: 2), .articleAdded(article: 4, story: 2),
                .articleAdded(article: 2, story: 1), .articleAdded(article: 5, story: 2),
                .articleAdded(article: 3, story: 1),
            ]
        )
        expectEqual(board.story(1)?.articleCount, 3)
        expectEqual(board.story(1)?.latestArticleIDs, [1, 2, 3])
        expectEqual(board.story(1)?.startedAt, .atMinute(0))
        expectEqual(board.story(1)?.updatedAt, .atMinute(9))
        expectEqual(board.openStoryIDs, [1, 2])
        expectNil(board.story(3))
    }

    @Test func titleIsThatOfTheArticleMostLikeTheOthers() {
        let (board, _) = board([
            .at(0, 1, "Storm batters coast"),
            .at(1, 2, "Storm batters coast, thousands flee"),
            .at(2, 3, "Thousands flee as storm hits"),
        ])
        expectEqual(board.openStoryCount, 1)
        expectEqual(board.story(1)?.title, "Storm batters coast, thousands flee")
        expectEqual(board.story(1)?.medoidArticleID, 2)
    }

    @Test func titleOfEqualArticlesIsThatOfTheLaterOne() {
        let (board, _) = board([.at(0, 9, "Same old words"), .at(1, 2, "Old same words")])
        expectEqual(board.story(1)?.title, "Old same words")
    }

    @Test func articlesOfTheLatestInstantWait() {
        var board = StoryBoard()
        expectEqual(board.add([fed[1]]), [])
        expectEqual(board.pendingCount, 1)
        expectEqual(board.settle(now: .atMinute(5)), [], "its instant is not over")
        expectEqual(
            board.add([fed[0], fed[2]]),
            [
                .created(story: 1), .articleAdded(article: 1, story: 1),
                .articleAdded(article: 2, story: 1),
            ]
        )
        expectEqual(board.review(now: .atMinute(10)), [.articleAdded(article: 3, story: 1)])
        expectEqual(board.pendingCount, 0)
        expectEqual(board.add([]), [])
    }

    @Test(arguments: ["", "...", "the and of", "!"])
    func articleWithoutTermsIsAStoryOfItsOwn(title: String) {
        let (board, _) = board([.at(0, 1, title), .at(1, 2, title)])
        expectEqual(board.openStoryIDs, [1, 2])
        expectEqual(board.story(2)?.title, title)
    }

    @Test func distantReportIsAnotherStory() {
        let title = "Fed raises interest rates by a quarter point"
        let hours = { (hours: Int64) in
            self.board([.at(0, 1, title), .at(hours * 60, 2, title)]).0.openStoryCount
        }
        expectEqual(hours(71), 1)
        expectEqual(hours(72), 2, "idleMax")
    }

    @Test func reviewClosesWhatHasBeenIdleForThreeDays() {
        var (board, _) = board(fed)
        let end = Timestamp.atMinute(9) + .seconds(72 * 3600)
        expectEqual(board.review(now: end - .milliseconds(1)), [])
        expectEqual(board.review(now: end), [.closed(story: 1)])
        expectNil(board.story(1))
        _ = board.add(fed)
        _ = board.settle(now: end)
        expectEqual(board.openStoryIDs, [2], "the id is not used again")
    }

    @Test func reviewMergesStoriesThatHaveGrownTogether() {
        var (board, _) = board([
            .at(0, 1, "Alpha beta gamma delta epsilon"),
            .at(1, 2, "Zeta eta theta iota kappa"),
            .at(2, 3, "Alpha beta gamma zeta eta"),
            .at(3, 4, "Zeta eta theta alpha beta"),
        ])
        expectEqual(board.openStoryIDs, [1, 2])
        expectEqual(board.review(now: .atMinute(60)), [.merged(story: 2, into: 1)])
        expectEqual(board.openStoryIDs, [1])
        expectEqual(board.story(2), board.story(1))
        expectEqual(board.story(1)?.articleCount, 4)
        expectEqual(board.review(now: .atMinute(120)), [])
        let end = Timestamp.atMinute(3) + .seconds(72 * 3600)
        expectEqual(board.review(now: end), [.closed(story: 1)])
        expectNil(board.story(2))
        expectEqual(board.aliasCount, 0)
    }

    @Test func reviewSplitsStoryOfTwoTopics() {
        let bridge = StoryInput.at(0, 1, "Alpha beta gamma delta epsilon zeta eta theta")
        let articles = (1...10).map { minute in
            StoryInput.at(
                Int64(minute),
                1 + minute,
                minute.isMultiple(of: 2) ? "Alpha beta gamma delta" : "Epsilon zeta eta theta"
            )
        }
        var rules = StoryRules()
        rules.splitSimilarityMax = 0.3
        rules.mergeSimilarityMin = 0.9
        var board = StoryBoard(rules: rules)
        _ = board.add([bridge] + articles)
        expectEqual(board.settle(now: .atMinute(20)), [.articleAdded(article: 11, story: 1)])
        let events = board.review(now: .atMinute(60))
        guard case .split(1, into: 2, let moved)? = events.last else {
            Issue.record("no split: \(events)")
            return
        }
        expectEqual(events, [.created(story: 2), .split(story: 1, into: 2, articles: moved)])
        expectEqual(moved.count, 5)
        expectEqual(Set(moved.map { $0.isMultiple(of: 2) }).count, 1, "one topic: \(moved)")
        expectEqual(board.story(1)?.articleCount, 6)
        expectEqual(board.story(2)?.latestArticleIDs, moved)
        expectEqual(board.review(now: .atMinute(120)), [], "halves are not merged again")
    }

    @Test func longTitlesAreCutBetweenCharacters() {
        var limits = StoryLimits()
        limits.titleBytesMax = 7
        var board = StoryBoard(limits: limits)
        _ = board.add([.at(0, 1, "ab\u{E9}\u{E9}\u{E9}\u{E9}")])
        _ = board.settle(now: .atMinute(1))
        expectEqual(board.story(1)?.title, "ab\u{E9}\u{E9}")
        expectEqual("abc".cut(toUTF8: 3), "abc")
        expectEqual("abc".cut(toUTF8: 0), "")
    }
}
