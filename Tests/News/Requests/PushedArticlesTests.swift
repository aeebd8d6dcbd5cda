import Expectations
import News
import SeededRandom

@Suite("The body of POST /api/news/articles, and feedback", .timeLimit(.minutes(10)))
struct PushedArticlesTests {
    private let now = Timestamp(iso8601: "2026-01-02T10:00:00Z")!

    private func push(_ json: String) throws(NewsError) -> [PushedArticle] {
        try PushedArticles(json: Array(json.utf8), now: now).articles
    }

    private func refusal(_ json: String) -> NewsError? {
        do throws(NewsError) {
            _ = try push(json)
            return nil
        } catch {
            return error
        }
    }

    private func one(_ fields: String) -> String {
        #"{"articles":[{"url":"https://a/1","title":"T"\#(fields)}]}"#
    }

    @Test func articleNeedsAURLAndATitle() throws {
        let article = try require(push(one("")).first)
        expectEqual(article.url, "https://a/1")
        expectEqual(article.title, "T")
        expectNil(article.publishedAt)
        expect(article.tickers.isEmpty)
        expectEqual(
            refusal(#"{"articles":[{"url":"https://a/1"}]}"#)?.error,
            "Invalid value of articles[0].title"
        )
        expectEqual(
            refusal(#"{"articles":[{"title":"T"}]}"#)?.error,
            "Invalid value of articles[0].url"
        )
    }

    @Test func articleMayHaveAllFields() throws {
        let article = try require(
            push(
                one(
                    """
                    ,"description":"D","content":"C\\nC","author":"A","image_url":"https://a/1.jpg",
                    "source":"Fed","language":"EN","country":"US","category":"business",
                    "published_at":"2026-01-02T11:00:00+01:00","tickers":["aapl","AAPL","MSFT"]
                    """
                )
            ).first
        )
        expectEqual(article.description, "D")
        expectEqual(article.content, "C\nC")
        expectEqual(article.author, "A")
        expectEqual(article.imageURL, "https://a/1.jpg")
        expectEqual(article.source, "Fed")
        expectEqual(article.language, "en")
        expectEqual(article.country, "us")
        expectEqual(article.category, .business)
        expectEqual(article.publishedAt, now)
        expectEqual(article.tickers.map(\.text), ["AAPL", "MSFT"])
    }

    @Test func emptyOptionalFieldsCountAsMissing() throws {
        let article = try require(
            push(one(#","description":"","author":" ","image_url":"","category":null"#)).first
        )
        expectNil(article.description)
        expectNil(article.author)
        expectNil(article.imageURL)
        expectNil(article.category)
    }

    @Test(arguments: [
        (#","url":"ftp://a""#, "url"), (#","url":"https://u@a/""#, "url"),
        (#","title":" ""#, "title"),
        (#","title":"a\u0007""#, "title"), (#","title":5"#, "title"),
        (#","image_url":"x""#, "image_url"), (#","language":"eng""#, "language"),
        (#","country":"1x""#, "country"), (#","category":"world""#, "category"),
        (#","published_at":"yesterday""#, "published_at"),
        (#","published_at":"2026-01-03T10:00:01Z""#, "published_at"),
        (#","published_at":1767348000"#, "published_at"), (#","tickers":"AAPL""#, "tickers"),
    ])
    func otherFieldsAreRefusedByName(fields: String, name: String) {
        expectEqual(refusal(one(fields))?.error, "Invalid value of articles[0].\(name)")
    }

    @Test func dateMayBeADayAhead() throws {
        let fields = #","published_at":"2026-01-03T10:00:00Z""#
        try expectEqual(push(one(fields)).first?.publishedAt, now + .seconds(86_400))
    }

    @Test func otherTickersHaveTheDocumentedError() throws {
        let error = try require(refusal(one(#","tickers":["AAPL","BRK.B"]"#)))
        expect(error.error.hasPrefix("Invalid ticker format."))
        expectEqual(error.details?.hasPrefix("articles[0].tickers[1] is"), true)
    }

    @Test(arguments: [
        ("title", 500), ("description", 4000), ("content", 60_000), ("author", 200),
        ("source", 100),
    ])
    func textsAreBounded(name: String, limit: Int) throws {
        func json(_ count: Int) -> String {
            one(#","\#(name)":"\#(String(repeating: "ä", count: count))""#)
        }
        try expectEqual(push(json(limit)).count, 1)
        expectEqual(refusal(json(limit + 1))?.error, "Invalid value of articles[0].\(name)")
    }

    @Test func bodyHas1To100Articles() throws {
        let article = #"{"url":"https://a/1","title":"T"}"#
        func json(_ count: Int) -> String {
            #"{"articles":[\#(Array(repeating: article, count: count).joined(separator: ","))]}"#
        }
        try expectEqual(push(json(100)).count, 100)
        for body in [json(0), json(101), "{}", #"{"articles":{}}"#] {
            expectEqual(refusal(body)?.error, "Invalid value of articles")
        }
        expectEqual(
            refusal(#"{"articles":[\#(article),5]}"#)?.error,
            "Invalid value of articles[1]"
        )
        expectEqual(refusal("[]")?.error, "Invalid request body")
    }

    @Test func atMost20TickersAreTaken() throws {
        func json(_ count: Int) -> String {
            one(#","tickers":[\#((0..<count).map { "\"T\($0)\"" }.joined(separator: ","))]"#)
        }
        try expectEqual(push(json(20)).first?.tickers.count, 20)
        expect(refusal(json(21)) != nil)
    }

    /// Whatever arrives is taken or refused with 400.
    @Test(arguments: 0..<20)
    func changedBodiesAreTakenOrRefused(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let body = Array(one(#","tickers":["AAPL"],"published_at":"2026-01-02T10:00:00Z""#).utf8)
        for _ in 0..<200 {
            var changed = body
            let index = Int.random(in: 0..<changed.count, using: &random)
            changed[index] = UInt8.random(in: 0...255, using: &random)
            do throws(NewsError) {
                let articles = try PushedArticles(json: changed, now: now).articles
                expectEqual(articles.count, 1, "seed \(seed)")
            } catch {
                expectEqual(error.status, 400, "seed \(seed)")
            }
        }
    }

    @Test func feedbackIsAWordAndPossiblyANote() throws {
        func feedback(_ json: String) throws(NewsError) -> NewsFeedback {
            try NewsFeedback(json: Array(json.utf8))
        }
        try expectEqual(feedback(#"{"feedback":"useful"}"#), NewsFeedback(kind: .useful))
        try expectEqual(
            feedback(#"{"feedback":"wrong","note":" other company "}"#),
            NewsFeedback(kind: .wrong, note: "other company")
        )
        try expectNil(feedback(#"{"feedback":"not_useful","note":""}"#).note)
        let long = String(repeating: "x", count: 501)
        for json in [
            "{}", #"{"feedback":"good"}"#, #"{"feedback":1}"#, "[]",
            #"{"feedback":"useful","note":"\#(long)"}"#,
        ] {
            #expect(throws: NewsError.self) { try feedback(json) }
        }
    }
}
