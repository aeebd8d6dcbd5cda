import Expectations
import News

@Suite("Events and topics of the news", .timeLimit(.minutes(10)))
struct NewsEventsTests {
    private func published(importance: Int, _ subject: NewsSubject) -> NewsEvent {
        var signal = NewsExamples.signal
        signal.importance = importance
        return .signalPublished(
            signal,
            about: subject,
            articleID: 9,
            storyID: 4,
            id: "e",
            time: NewsExamples.time
        )
    }

    private func names(_ event: NewsEvent) -> [String] { event.topics.map(\.name) }

    @Test func signalIsPublishedAsTheFormOfTheRoute() {
        let event = published(importance: 75, NewsExamples.subject)
        expectEqual(
            text(event.event.cloudEvent()),
            """
            {"specversion":"1.0","id":"e","source":"/news","type":"news.signal.published",\
            "subject":"https://example.com/article","time":"2026-01-02T10:00:00.750Z",\
            "datacontenttype":"application/json","data":\(NewsExamples.signalText)}
            """
        )
        expectEqual(
            event.tags,
            [
                "ticker": "AAPL", "category": "business", "impact": "High", "article": "9",
                "story": "4",
            ]
        )
    }

    @Test func onlyImportantSignalsAreGlobal() {
        let others = ["news:ticker:AAPL", "news:ticker:MSFT", "news:category:business"]
        expectEqual(
            names(published(importance: 75, NewsExamples.subject)),
            ["news:global"] + others
        )
        expectEqual(names(published(importance: 74, NewsExamples.subject)), others)
    }

    @Test func topicGetsAnEventOnceAndMissingTickersHaveNoTag() {
        var subject = NewsExamples.subject
        subject.tickers = [NewsExamples.apple, NewsExamples.apple]
        expectEqual(
            names(published(importance: 0, subject)),
            [
                "news:ticker:AAPL", "news:category:business",
            ]
        )
        subject.tickers = []
        expectNil(published(importance: 0, subject).tags["ticker"])
    }

    @Test func storiesAreCreatedUpdatedAndMerged() {
        let story = NewsExamples.story(1)
        let subject = NewsExamples.subject
        let time = NewsExamples.time
        let created = NewsEvent.storyCreated(story, about: subject, id: "e", time: time)
        expectEqual(created.event.type, "news.story.created")
        expectEqual(created.event.subject, "1")
        expectEqual(text(created.event.data), NewsExamples.storyText)
        expectEqual(created.tags["story"], "1")
        expectEqual(created.topics.first, .newsGlobal)
        let updated = NewsEvent.storyUpdated(story, about: subject, id: "e", time: time)
        expectEqual(updated.event.type, "news.story.updated")
        let merged = NewsEvent.storyMerged(8, into: story, about: subject, id: "e", time: time)
        expectEqual(merged.event.type, "news.story.merged")
        expectEqual(merged.event.subject, "8")
        expectEqual(merged.tags["story"], "8")
        expectEqual(
            text(merged.event.data),
            #"{"id":8,"merged_into":1,"story":\#(NewsExamples.storyText)}"#
        )
    }

    @Test(arguments: [(74, false), (75, true)])
    func storyOfATickerIsGlobalOnlyIfImportant(importance: Int, isGlobal: Bool) {
        let story = NewsExamples.story(1, ticker: NewsExamples.apple, importance: importance)
        let event = NewsEvent.storyCreated(
            story,
            about: NewsExamples.subject,
            id: "e",
            time: NewsExamples.time
        )
        expectEqual(event.topics.contains(.newsGlobal), isGlobal)
    }

    @Test func briefIsPublishedToItsUserOnly() throws {
        let user = try require(NewsUserID("kari"))
        let event = NewsEvent.briefPublished(.stub, to: user, id: "e", time: NewsExamples.time)
        expectEqual(names(event), ["news:user:kari"])
        expectEqual(event.event.type, "news.brief.published")
        expectEqual(text(event.event.data), #"{"items":[],"generated_at":null}"#)
        expect(event.tags.isEmpty)
    }

    @Test func tombstonesNameOnlyTheIDAndSurviveTheErasure() {
        let signal = NewsEvent.signalRemoved(
            signalID: "https://a/1",
            wasGlobal: true,
            about: NewsExamples.subject,
            id: "e",
            time: NewsExamples.time
        )
        expectEqual(signal.event.type, "news.signal.removed")
        expectEqual(text(signal.event.data), #"{"id":"https://a/1"}"#)
        expectEqual(signal.topics.first, .newsGlobal)
        let erasure = Erasure(topic: .newsGlobal, tag: NewsTag.article, value: "9")
        expect(erasure.covers(published(importance: 75, NewsExamples.subject).tags))
        expect(!erasure.covers(signal.tags))
        let story = NewsEvent.storyRemoved(
            storyID: 4,
            about: NewsExamples.subject,
            id: "e",
            time: NewsExamples.time
        )
        expectEqual(story.event.type, "news.story.removed")
        expectEqual(text(story.event.data), #"{"id":4}"#)
        expectNil(story.tags["story"])
    }

    @Test func everyTopicNamesWhatItIsAbout() throws {
        let user = try require(NewsUserID("u-1_A"))
        expectEqual(NewsTopic(.newsGlobal), .global)
        expectEqual(NewsTopic(.news(NewsExamples.apple)), .ticker(NewsExamples.apple))
        expectEqual(NewsTopic(.news(user)), .user)
        for category in NewsCategory.allCases {
            expectEqual(NewsTopic(.news(category)), .category(category))
        }
    }

    @Test(arguments: [
        "news", "news:", "news:global:x", "news:ticker", "news:ticker:", "news:ticker:aapl",
        "news:ticker:ABCDEF", "news:ticker:AAPL:x", "news:category:world", "news:category:Business",
        "news:user:", "news:user:a:b", "news:other:1", "radar:1", "newsx:global",
    ])
    func otherTopicsDoNotExist(name: String) throws {
        expectNil(NewsTopic(try Topic(name)))
    }
}
