import Expectations

@testable import NewsFeeds

@Suite("Feeds: JSON Feed", .timeLimit(.minutes(10)))
struct JSONFeedTests {
    private func read(_ text: String) throws -> FeedDocument {
        try FeedReader().read(Array(text.utf8), url: "https://a.example/feed.json")
    }

    private func feed(_ items: String) -> String {
        #"{"version":"https://jsonfeed.org/version/1.1","title":"T","items":[\#(items)]}"#
    }

    @Test func feedAndItemHaveAllOfTheirFields() throws {
        let document = try read(
            """
            {"version":"https://jsonfeed.org/version/1","title":" J\\u00e6 ","language":"en-US",
            "home_page_url":"/","items":[{"id":"1","url":"one","title":"A & B",
            "content_html":"<p>x</p>","content_text":"x","summary":"s","image":"/i.png",
            "date_published":"2026-01-05T10:00:00+01:00","date_modified":"2026-01-06T10:00:00Z",
            "authors":[{"url":"u"},{"name":"Kari"}],"tags":["a","b","a",1]}]}
            """
        )
        expectEqual(document.format, .jsonFeed)
        expectEqual(document.title, "Jæ")
        expectEqual(document.language, "en-us")
        expectEqual(document.siteURL, "https://a.example/")
        let item = try require(document.items.first)
        expectEqual(item.identifier, "1")
        expectEqual(item.url, "https://a.example/one")
        expectEqual(item.title, FeedText("A & B"))
        expectEqual(item.content, FeedText("<p>x</p>", isHTML: true))
        expectEqual(item.summary, FeedText("s"))
        expectEqual(item.imageURL, "https://a.example/i.png")
        expectEqual(item.author, "Kari")
        expectEqual(item.categories, ["a", "b"])
        expectEqual(item.published, Timestamp(iso8601: "2026-01-05T09:00:00Z"))
        expectEqual(item.updated, Timestamp(iso8601: "2026-01-06T10:00:00Z"))
    }

    @Test func linesHaveNoControlCharacters() throws {
        let document = try read(
            #"""
            {"version":"https://jsonfeed.org/version/1","title":"T\u0000","items":[{"id":"a\u0000b\n",
            "url":"https://a.example/1","title":"\u0001A\u007fB","authors":[{"name":"K\u001f"}],
            "tags":["x\u0000y"]}]}
            """#
        )
        let item = try require(document.items.first)
        expectEqual(document.title, "T")
        expectEqual(item.identifier, "a b")
        expectEqual(item.title, FeedText("A B"))
        expectEqual(item.author, "K")
        expectEqual(item.categories, ["x y"])
    }

    @Test func itemsWithFaultsDoNotEndTheFeed() throws {
        let document = try read(
            feed(
                """
                7,{"id":12,"content_text":"plain <b>","author":{"name":"Ola"}},{"id":null,"title":3},
                {"id":"https://a.example/p"},{"id":"x","external_url":"https://b.example/"}
                """
            )
        )
        expectEqual(document.items.map(\.identifier), ["12", nil, "https://a.example/p", "x"])
        expectEqual(
            document.items.map(\.url),
            [nil, nil, "https://a.example/p", "https://b.example/"]
        )
        expectEqual(document.items[0].content, FeedText("plain <b>"))
        expectEqual(document.items[0].author, "Ola")
    }

    @Test func otherJSONIsNoFeed() {
        let other = FeedError.notAFeed("JSON without the version of JSON Feed")
        for text in ["{}", #"{"version":1}"#, #"{"version":"2.0"}"#] {
            #expect(throws: other) { try read(text) }
        }
        for text in [
            "{", #"{"a":}"#, feed("{}") + "x", feed(String(repeating: "[", count: 30_000)),
        ] {
            #expect(throws: FeedError.self) { try read(text) }
        }
        #expect(throws: FeedError.notAFeed("no XML element")) { try read("[]") }
    }

    @Test func everyTruncatedDocumentIsRefused() {
        let bytes = Array(feed(#"{"id":"1","title":"t\u00e6"}"#).utf8)
        for count in 0..<bytes.count {
            #expect(throws: FeedError.self, "\(count) bytes") {
                try FeedReader().read(Array(bytes.prefix(count)))
            }
        }
    }

    @Test func itemsAndTextsHaveLimits() throws {
        let limits = FeedLimits(itemCountMax: 1, textLengthMax: 6, lineLengthMax: 5)
        let text = feed(#"{"id":"1","title":"æøå","content_text":"12345678"},{"id":"2"}"#)
        let document = try FeedReader(limits: limits).read(Array(text.utf8))
        expectEqual(document.items.count, 1)
        expectEqual(document.items.first?.title.text, "æø")
        expectEqual(document.items.first?.content.text, "123456")
    }
}
