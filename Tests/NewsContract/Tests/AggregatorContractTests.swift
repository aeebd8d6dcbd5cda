import Expectations
import Foundation
import News
import NewsContractApp

@Suite("News Aggregator decodes the forms of /v1", .timeLimit(.minutes(10)))
struct AggregatorContractTests {
    private func decoded<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) throws -> Value {
        try AppDecoder.aggregator(type, from: bytes)
    }

    @Test(arguments: [nil, Horizon.short, .medium, .long])
    func appHasTheValuesOfASignal(horizon: Horizon?) throws {
        let signal = try decoded(Signal.self, HubForms.signal(horizon: horizon).json())
        expectEqual(signal.id, "https://example.com/article?a=1&b=2")
        expectEqual(signal.title, HubForms.hardText)
        expectEqual(signal.published_at, "2026-01-02T10:00:00Z")
        expectEqual(signal.verdict, "aware")
        expectEqual(signal.why.count, 3)
        expectEqual(signal.horizon, horizon?.rawValue)
        expectEqual(signal.opportunity_type, "positive")
        expectEqual(signal.confidence, 75)
        expectEqual(signal.importance_score, 90)
    }

    @Test(arguments: [nil, "cursor"])
    func appDecodesTheFeed(cursor: String?) throws {
        let page = SignalPage(items: [HubForms.signal(), HubForms.signal("b")], nextCursor: cursor)
        let feed = try decoded(FeedResponse.self, page.json())
        expectEqual(feed.items.map(\.title), [HubForms.hardText, "b"])
        expectEqual(feed.next_cursor, cursor)
        let empty = SignalPage(items: [], nextCursor: nil)
        try expect(decoded(FeedResponse.self, empty.json()).items.isEmpty)
    }

    /// The second sample of the document decodes an array, which the documented answer is not.
    @Test func secondSampleOfTheDocumentCannotDecodeTheDocumentedAnswer() {
        let page = SignalPage(items: [], nextCursor: nil)
        #expect(throws: DecodingError.self) { try decoded([Signal].self, page.json()) }
    }

    @Test func appDecodesThePersonalFeedWithAndWithoutExplanations() throws {
        let page = PersonalSignalPage(
            items: [HubForms.personal(HubForms.explanation), HubForms.personal(nil)],
            nextCursor: "c"
        )
        let feed = try decoded(PersonalizedFeedResponse.self, page.json())
        expectEqual(feed.items[0].explanation?.headline, HubForms.hardText)
        expectEqual(feed.items[0].explanation?.confidence, 1)
        expectNil(feed.items[1].explanation)
        expectEqual(feed.items[0].rawArticles.map(\.articleNumber), [1, 2])
        expect(feed.items[0].rawArticles[0].body.isEmpty)
        expectEqual(feed.items[0].tickerSummary, "AAPL, MSFT")
        expectEqual(feed.next_cursor, "c")
    }

    @Test func appDecodesStoryGroupsAndTheMergedFeedAsGroups() throws {
        let groups = try decoded(StoryGroupsResponse.self, HubForms.groups.json())
        expectEqual(groups.user_id, "1")
        expectEqual(groups.date, "2026-01-02")
        expectEqual(groups.by_ticker["AAPL"]?.map(\.id), [3])
        expectEqual(groups.by_ticker["MSFT"]?.isEmpty, true)
        expectEqual(groups.merged_feed.map(\.id), [1, 3, 4])
        expectEqual(groups.merged_feed[1].primary_ticker, "AAPL")
        expectEqual(groups.merged_feed[1].scope, "TICKER")
        expectEqual(groups.global[1].impact_level, "Very Low")
        expectEqual(groups.metadata.cache_ttl_seconds, 3600)
    }

    @Test func mergedFeedHasTheFourKeysOfTheExampleToo() throws {
        let object = try require(
            JSONSerialization.jsonObject(with: Data(HubForms.groups.json())) as? [String: Any]
        )
        let merged = try require(object["merged_feed"] as? [[String: Any]])
        for entry in merged {
            expect(
                Set(entry.keys).isSuperset(of: ["id", "group_title", "impact_level", "rank_reason"])
            )
            expectEqual(entry.count, 8)
        }
    }

    @Test func appDecodesTheAnswersOfPreferences() throws {
        let preferences = NewsPreferences(
            focusProfile: .broad,
            holdings: [.init(ticker: HubForms.apple, label: HubForms.hardText)]
        )
        let answer = try decoded(PreferencesResponse.self, preferences.updatedJSON())
        expect(answer.success)
        expectEqual(answer.focus_profile, "broad")
        expectEqual(answer.holdings_count, 1)
        struct Stored: Decodable {
            let holdings: [Holding]
        }
        let stored = try decoded(Stored.self, preferences.json())
        expectEqual(stored.holdings.first?.ticker, "AAPL")
        expectEqual(stored.holdings.first?.label, HubForms.hardText)
        expectNil(stored.holdings.first?.notes)
    }

    @Test func appDecodesTheStubAndABrief() throws {
        let stub = try decoded(BriefResponse.self, BriefView.stub.json())
        expect(stub.items.isEmpty && stub.generated_at == nil)
        let brief = BriefView(
            items: [.init(story: HubForms.story(1), why: ["w"], summary: "s", urls: ["https://a"])],
            generatedAt: HubForms.time
        )
        let decodedBrief = try decoded(BriefResponse.self, brief.json())
        expectEqual(decodedBrief.items.first?.id, 1)
        expectEqual(decodedBrief.generated_at, "2026-01-02T10:00:00Z")
    }

    @Test func storyDetailsAreAStoryGroupWithSignals() throws {
        let detail = StoryDetailView(
            story: HubForms.story(3, ticker: HubForms.apple),
            category: .business,
            tickers: [HubForms.apple],
            updatedAt: HubForms.time,
            articles: [.init(signal: HubForms.signal(), description: "")],
            timeline: [.init(at: HubForms.time, kind: .created, articleCount: 1, title: "T")],
            aliases: [2]
        )
        struct Articles: Decodable {
            let articles: [Signal]
            let aliases: [Int]
        }
        try expectEqual(decoded(StoryGroup.self, detail.json()).primary_ticker, "AAPL")
        try expectEqual(
            decoded(Articles.self, detail.json()).articles.first?.title,
            HubForms.hardText
        )
        try expectEqual(decoded(Articles.self, detail.json()).aliases, [2])
    }

    @Test func searchIsAFeed() throws {
        let view = SearchView(query: "q", items: [HubForms.signal()], nextCursor: nil)
        try expectEqual(decoded(FeedResponse.self, view.json()).items.count, 1)
    }

    @Test(arguments: [
        NewsError.userIDRequired, .invalidTicker(details: "holdings[0]"), .forbidden, .notFound,
        .rateLimitExceeded(retryAfterSeconds: 1), .internal, .unavailable(),
        .invalidCursor(.expired), .bodyTooLong(bytesMax: 1), .methodNotAllowed(allowed: "GET"),
    ])
    func appDecodesEveryError(error: NewsError) throws {
        let decodedError = try decoded(ErrorResponse.self, error.json())
        expectEqual(decodedError.error, error.error)
        expectEqual(decodedError.details, error.details)
    }

    @Test func dataOfEventsAreTheFormsOfTheRoutes() throws {
        let subject = NewsSubject(tickers: [HubForms.apple], category: .business, impact: .high)
        let published = NewsEvent.signalPublished(
            HubForms.signal(),
            about: subject,
            articleID: 1,
            storyID: nil,
            id: "e",
            time: HubForms.time
        )
        try expectEqual(decoded(Signal.self, published.event.data).title, HubForms.hardText)
        let created = NewsEvent.storyCreated(
            HubForms.story(1),
            about: subject,
            id: "e",
            time: HubForms.time
        )
        try expectEqual(decoded(StoryGroup.self, created.event.data).id, 1)
        let brief = NewsEvent.briefPublished(
            .stub,
            to: try require(NewsUserID("1")),
            id: "e",
            time: HubForms.time
        )
        try expect(decoded(BriefResponse.self, brief.event.data).items.isEmpty)
    }
}
