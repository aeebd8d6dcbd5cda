import Expectations
import News

@testable import NewsApp

@Suite("Fields of the news for alert rules", .timeLimit(.minutes(10)))
struct NewsAlertFieldsTests {
    @Test func theyAreThoseOfTheEvents() throws {
        let article = newArticle("a", tickers: ["AAPL"])
        let subject = NewsSubject(tickers: article.tickers, category: .business, impact: .high)
        let story = StoryView(
            id: 7,
            title: "Title",
            impact: .high,
            primaryTicker: article.tickers.first,
            articleCount: 2,
            createdAt: at(0),
            importance: 80
        )
        let signal = ArticleSignal(
            importance: 80,
            rankKey: 1,
            isIgnored: false,
            reasons: ["Names AAPL"],
            action: "Read it",
            horizon: .short,
            opportunity: .none,
            opportunityNote: "",
            relevance: .general,
            confidence: 50
        )
        var fields = AlertFields()
        for event in [
            NewsEvent.signalPublished(
                SignalView(article, signal),
                about: subject,
                articleID: 1,
                storyID: 7,
                id: "1",
                time: at(0)
            ),
            .storyUpdated(story, about: subject, id: "2", time: at(0)),
            .storyMerged(6, into: story, about: subject, id: "3", time: at(0)),
        ] {
            fields.take(event.event.data)
        }
        expectEqual(Set(fields.values.keys), NewsAlertFields.names)
    }
}
