import Expectations

@testable import NewsFeeds

@Suite("NewsAPI: from bytes to a document", .timeLimit(.minutes(10)))
struct NewsAPIReaderTests {
    private func read(_ text: String, limits: FeedLimits = FeedLimits()) throws -> FeedDocument {
        try NewsAPIReader(limits: limits).read(Array(text.utf8))
    }

    private func answer(_ articles: String) -> String {
        #"{"status":"ok","totalResults":7,"articles":[\#(articles)]}"#
    }

    private func item(_ fields: String) throws -> FeedItem {
        try require(read(answer("{\(fields)}")).items.first)
    }

    private func failure(_ text: String) -> NewsAPIFailure? {
        #expect(throws: NewsAPIFailure.self) { try read(text) }
    }

    @Test func articleHasAllOfItsFields() throws {
        let document = try read(
            answer(
                """
                {"source":{"id":null,"name":"Sample Daily"},"author":"Kari Nordmann",
                "title":"A sample & a test - Sample Daily","description":"What <b>it</b> says",
                "url":"https://daily.example/a","urlToImage":"https://daily.example/a.png",
                "publishedAt":"2026-01-05T10:00:00Z","content":"The text… [+1916 chars]"}
                """
            )
        )
        expectEqual(document.format, .newsAPI)
        expect(document.title.isEmpty)
        let item = try require(document.items.first)
        expectEqual(item.publisher, "Sample Daily")
        expectEqual(item.title.line, "A sample & a test")
        expectEqual(item.summary.plain, "What it says")
        expectEqual(item.content, FeedText("The text…"))
        expectEqual(item.url, "https://daily.example/a")
        expectEqual(item.imageURL, "https://daily.example/a.png")
        expectEqual(item.author, "Kari Nordmann")
        expectEqual(item.published, Timestamp(iso8601: "2026-01-05T10:00:00Z"))
    }

    @Test func nullAndMissingFieldsAreLeftOut() throws {
        let item = try item(
            """
            "source":{"id":"x","name":null},"author":null,"title":"T","description":null,
            "url":"https://a.example/","urlToImage":null,"publishedAt":"soon","content":null
            """
        )
        var expected = FeedItem()
        expected.title = FeedText("T")
        expected.url = "https://a.example/"
        expectEqual(item, expected)
        try expectEqual(self.item(""), FeedItem())
    }

    @Test func articlesThatWereTakenBackAreLeftOut() throws {
        let document = try read(
            answer(
                """
                {"source":{"name":"[Removed]"},"title":"[Removed]","url":"https://removed.com"},
                {"source":{"name":"[Removed]"},"title":null},{"title":"[Removed]"},
                {"source":{"name":"P"},"title":"[Removed] - P"},
                {"title":"Stays"},7,null
                """
            )
        )
        expectEqual(document.items.map(\.title.text), ["Stays"])
    }

    @Test(arguments: [
        ("A - B - Sample", "Sample", "A - B"), ("A - sample", "Sample", "A"),
        ("A - Sample.com", "Sample", "A - Sample.com"), ("A-Sample", "Sample", "A-Sample"),
        ("A - B", "", "A - B"), (" - Sample", "Sample", " - Sample"),
        ("A - B - C", "B - C", "A - B - C"), ("Sample", "Sample", "Sample"),
    ])
    func publisherIsCutFromTheEndOfATitle(title: String, publisher: String, rest: String) {
        expectEqual(NewsAPIReader.withoutPublisher(title, publisher), rest)
    }

    @Test(arguments: [
        ("Text… [+1 chars]", "Text…"), ("Text…\r\n [+99999 chars]", "Text…"),
        ("[+12 chars]", ""), ("Text [+ chars]", "Text [+ chars]"),
        ("Text [+1x chars]", "Text [+1x chars]"), ("Text [+1 chars] more", "Text [+1 chars] more"),
        ("[+1 chars] [+2 chars]", "[+1 chars]"), ("", ""),
    ])
    func markOfACutContentIsCut(content: String, rest: String) {
        expectEqual(NewsAPIReader.withoutMark(content), rest)
    }

    @Test func textsAreWithinTheirLimits() throws {
        let limits = FeedLimits(
            itemCountMax: 2,
            textLengthMax: 8,
            lineLengthMax: 4,
            urlLengthMax: 20
        )
        let article = """
            {"source":{"name":"publisher"},"title":"title","description":"0123456789",
            "content":"0123456789","url":"https://a.example/\(String(repeating: "x", count: 9))"}
            """
        let document = try read(answer("\(article),\(article),\(article)"), limits: limits)
        expectEqual(document.items.count, 2)
        let item = try require(document.items.first)
        expect((item.publisher, item.title.text) == ("publ", "titl"))
        expect((item.summary.text, item.content.text) == ("01234567", "01234567"))
        expectNil(item.url)
    }

    @Test func emptyListHasNoItems() throws {
        try expect(read(answer("")).items.isEmpty)
    }

    // MARK: Errors

    @Test(arguments: [
        ("apiKeyInvalid", NewsAPIFailure.Consequence.stop), ("apiKeyDisabled", .stop),
        ("apiKeyMissing", .stop), ("parametersMissing", .stop), ("maximumResultsReached", .stop),
        ("rateLimited", .wait), ("apiKeyExhausted", .wait), ("unexpectedError", .goOn),
        ("anotherOne", .goOn),
    ])
    func errorHasACodeAMessageAndAConsequence(
        code: String,
        consequence: NewsAPIFailure.Consequence
    ) {
        let failure = failure(
            #"{"status":"error","code":"\#(code)","message":"Something is\nwrong."}"#
        )
        expectEqual(failure, .refused(code: code, message: "Something is wrong."))
        expectEqual(failure?.consequence, consequence)
        expectEqual(failure?.description, "\(code): Something is wrong.")
    }

    @Test func errorWithoutACodeSaysSo() {
        expectEqual(failure(#"{"status":"error"}"#)?.description, "no code")
        let long = String(repeating: "x", count: 300)
        let failure = failure(#"{"status":"error","code":"\#(long)","message":"\#(long)"}"#)
        expectEqual(failure?.description.count, 40 + 2 + 200)
    }

    @Test(arguments: [
        "", "<!DOCTYPE html>", "[]", "{", "{}", #"{"status":"fine"}"#, #"{"status":"ok"}"#,
        #"{"status":"ok","articles":{}}"#, #"{"status":"ok","articles":null}"#,
    ])
    func bytesThatAreNoAnswerAreRefused(text: String) {
        let failure = failure(text)
        expectEqual(failure?.consequence, .goOn)
        expectEqual(failure?.description.hasPrefix("not an answer of NewsAPI: "), true)
    }

    @Test func answerOverTheLimitIsRefused() {
        let limits = FeedLimits(lengthMax: 10)
        #expect(throws: NewsAPIFailure.tooLong(length: 11, limit: 10)) {
            try NewsAPIReader(limits: limits).read(Array(repeating: 0x20, count: 11))
        }
    }

    @Test func answerCutAtAnyPlaceIsRefused() {
        let whole = Array(answer(#"{"title":"T","source":{"name":"P"}}"#).utf8)
        for length in whole.indices {
            #expect(throws: NewsAPIFailure.self) {
                try NewsAPIReader().read(Array(whole[..<length]))
            }
        }
    }
}
