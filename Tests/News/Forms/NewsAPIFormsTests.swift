import Expectations
import News

@Suite("Answers of /v2", .timeLimit(.minutes(10)))
struct NewsAPIFormsTests {
    @Test func articleHasNewsAPIsKeysAndTheHubsThree() {
        let article = NewsAPIArticleView(
            sourceID: "fed",
            sourceName: "Federal Reserve",
            author: "A",
            title: "T",
            description: "D",
            url: "https://a/1",
            imageURL: "https://a/1.jpg",
            publishedAt: NewsExamples.time,
            content: "C",
            summary: .init(text: "S", source: .ai, model: "m", generatedAt: NewsExamples.time),
            storyID: 5
        )
        expectEqual(
            text(NewsAPIPage(totalResults: 41, articles: [article]).json()),
            """
            {"status":"ok","totalResults":41,"articles":[{"source":{"id":"fed",\
            "name":"Federal Reserve"},"author":"A","title":"T","description":"D",\
            "url":"https://a/1","urlToImage":"https://a/1.jpg",\
            "publishedAt":"2026-01-02T10:00:00Z","content":"C","summary":"S",\
            "summarySource":"ai","storyId":5}]}
            """
        )
    }

    @Test func textsThatAnArticleDoesNotHaveAreNull() {
        let article = Article(
            id: 1,
            url: "https://a/1",
            source: ArticleSource(name: "fed", title: "Federal Reserve"),
            title: "T",
            publishedAt: NewsExamples.time,
            firstSeenAt: NewsExamples.time
        )
        let page = NewsAPIPage(
            totalResults: 1,
            articles: [NewsAPIArticleView(article, sourceID: nil)]
        )
        expectEqual(
            text(page.json()),
            """
            {"status":"ok","totalResults":1,"articles":[{"source":{"id":null,\
            "name":"Federal Reserve"},"author":null,"title":"T","description":null,\
            "url":"https://a/1","urlToImage":null,"publishedAt":"2026-01-02T10:00:00Z",\
            "content":null,"summary":null,"summarySource":null,"storyId":null}]}
            """
        )
    }

    @Test func pagePastTheEndIsAnEmptyList() {
        expectEqual(
            text(NewsAPIPage(totalResults: 41, articles: []).json()),
            #"{"status":"ok","totalResults":41,"articles":[]}"#
        )
    }

    @Test func originalTextHasNeitherModelNorTime() {
        let summary = NewsSummaryView(
            text: "S",
            source: .original,
            model: "m",
            generatedAt: NewsExamples.time
        )
        expectEqual(
            text(summary.json()),
            """
            {"status":"ok","summary":"S","summarySource":"original","model":null,\
            "generatedAt":null}
            """
        )
        let ai = NewsSummaryView(text: "", source: .ai, model: "m", generatedAt: NewsExamples.time)
        expectEqual(
            text(ai.json()),
            """
            {"status":"ok","summary":"","summarySource":"ai","model":"m",\
            "generatedAt":"2026-01-02T10:00:00Z"}
            """
        )
    }

    @Test func sourcesHaveNoNull() {
        let source = NewsAPISourceView(id: "fed", name: "Federal Reserve")
        expectEqual(
            text(newsAPISourcesJSON([source])),
            """
            {"status":"ok","sources":[{"id":"fed","name":"Federal Reserve","description":"",\
            "url":"","category":"general","language":"","country":""}]}
            """
        )
        expectEqual(text(newsAPISourcesJSON([])), #"{"status":"ok","sources":[]}"#)
    }
}
