import Expectations
import News

@Suite("Stories, groups of stories and briefs", .timeLimit(.minutes(10)))
struct StoryFormsTests {
    @Test func storyHasTheSevenKeysOfTheDocument() {
        expectEqual(text(NewsExamples.story(1).json()), NewsExamples.storyText)
        let story = NewsExamples.story(2, impact: .veryLow, ticker: NewsExamples.apple)
        expect(text(story.json()).contains(#""scope":"TICKER","primary_ticker":"AAPL","#))
        expect(text(story.json()).contains(#""impact_level":"Very Low""#))
    }

    @Test func impactsAreOrdered() {
        expectEqual(ImpactLevel.allCases, ImpactLevel.allCases.sorted())
        expect(ImpactLevel.veryLow < .low)
        expect(ImpactLevel.moderate < .high)
    }

    @Test func storiesAreShownByImpactThenImportanceThenID() {
        let shown = [
            NewsExamples.story(5, impact: .high, importance: 76),
            NewsExamples.story(9, impact: .moderate, importance: 99),
            NewsExamples.story(1, impact: .moderate, importance: 60),
            NewsExamples.story(2, impact: .moderate, importance: 60),
            NewsExamples.story(3, impact: .veryLow, importance: 100),
        ]
        expectEqual(shown.reversed().sorted(by: StoryView.isShownBefore), shown)
    }

    private func groups(
        global: [StoryView],
        byTicker: [Ticker: [StoryView]]
    ) -> StoryGroupsView {
        StoryGroupsView(
            day: NewsExamples.time,
            userID: "1",
            holdings: [NewsExamples.apple, NewsExamples.microsoft],
            generatedAt: NewsExamples.time,
            global: global,
            byTicker: byTicker,
            metadata: .init(totalGroups: 15, articlesClustered: 156, duplicatesRemoved: 3)
        )
    }

    @Test func groupsHaveAnEntryForEveryHoldingAndAMergedFeedWithAllSevenKeys() {
        let apple = NewsExamples.story(2, "Apple", impact: .low, ticker: NewsExamples.apple)
        let view = groups(
            global: [NewsExamples.story(1)],
            byTicker: [NewsExamples.apple: [apple], NewsExamples.nvidia: [NewsExamples.story(3)]]
        )
        let story = NewsExamples.storyText.dropLast()
        let appleText = text(apple.json()).dropLast()
        expectEqual(
            text(view.json()),
            """
            {"date":"2026-01-02","user_id":"1","user_holdings":["AAPL","MSFT"],\
            "generated_at":"2026-01-02T10:00:00Z","global":[\(story)}],\
            "by_ticker":{"AAPL":[\(appleText)}],"MSFT":[]},\
            "merged_feed":[\(story),"rank_reason":"Global impact"},\
            \(appleText),"rank_reason":"User holds AAPL"}],\
            "metadata":{"total_groups":15,"total_articles_clustered":156,"dedup_removed":3,\
            "cache_ttl_seconds":3600}}
            """
        )
    }

    @Test func storyOfSeveralListsIsMergedOnceWithItsFirstHolding() {
        let story = NewsExamples.story(7, ticker: NewsExamples.microsoft)
        let view = groups(
            global: [story, NewsExamples.story(8)],
            byTicker: [NewsExamples.microsoft: [story], NewsExamples.apple: [story]]
        )
        expectEqual(view.merged.map(\.story.id), [7, 8])
        expectEqual(view.merged.map(\.reason), ["User holds AAPL", "Global impact"])
    }

    @Test func briefBeforeTheFirstIsExactlyTheStub() {
        expectEqual(text(BriefView.stub.json()), #"{"items":[],"generated_at":null}"#)
    }

    @Test func itemOfABriefIsAStoryWithReasonsSummaryAndURLs() {
        let brief = BriefView(
            items: [
                .init(story: NewsExamples.story(1), why: ["w"], summary: "s", urls: ["https://a"])
            ],
            generatedAt: NewsExamples.time
        )
        let story = NewsExamples.storyText.dropLast()
        let item = #"\#(story),"why":["w"],"summary":"s","urls":["https://a"]}"#
        expectEqual(
            text(brief.json()),
            #"{"items":[\#(item)],"generated_at":"2026-01-02T10:00:00Z"}"#
        )
    }

    @Test func detailsAreTheStoryWithItsArticlesChangesAndAliases() {
        let detail = StoryDetailView(
            story: NewsExamples.story(1),
            category: .business,
            tickers: [NewsExamples.apple],
            updatedAt: NewsExamples.time,
            articles: [.init(signal: NewsExamples.signal, description: "d")],
            timeline: [
                .init(at: NewsExamples.time, kind: .created, articleCount: 1, title: "T"),
                .init(
                    at: NewsExamples.time,
                    kind: .merged,
                    articleCount: 12,
                    title: "T",
                    otherID: 4
                ),
            ],
            aliases: [4]
        )
        expectEqual(
            text(detail.json()),
            """
            \(NewsExamples.storyText.dropLast()),"category":"business","tickers":["AAPL"],\
            "updated_at":"2026-01-02T10:00:00Z",\
            "articles":[\(NewsExamples.signalText.dropLast()),"description":"d"}],\
            "timeline":[{"at":"2026-01-02T10:00:00Z","change":"created","article_count":1,\
            "group_title":"T","other_id":null},{"at":"2026-01-02T10:00:00Z","change":"merged",\
            "article_count":12,"group_title":"T","other_id":4}],"aliases":[4]}
            """
        )
        expectEqual(text(mergedStoryJSON(id: 4, into: 1)), #"{"id":4,"merged_into":1}"#)
    }
}
