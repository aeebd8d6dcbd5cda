import Expectations

@testable import NewsFeeds

@Suite("Feeds: awkward shapes", .timeLimit(.minutes(10)))
struct AwkwardShapesTests {
    private func item(_ number: Int, day: Int? = nil) -> String {
        let date = day.map { "<pubDate>\($0) Nov 2026 08:00:00 GMT</pubDate>" } ?? ""
        return
            "<item><title>T\(number)</title><link>https://a.example/\(number)</link>\(date)</item>"
    }

    private func read(_ text: String, itemCountMax: Int = 500) throws -> FeedDocument {
        try FeedReader(limits: FeedLimits(itemCountMax: itemCountMax)).read(Array(text.utf8))
    }

    @Test(arguments: [
        "<br />\n<b>Warning</b>: Undefined variable in <b>/srv/feed.php</b> on line <b>12</b><br />\n",
        "Notice: session had already been started\n", "\n\n ",
    ])
    func feedBehindOtherTextIsRead(_ preamble: String) throws {
        let feed = "<?xml version=\"1.0\"?><rss><channel>\(item(1))</channel></rss>"
        let document = try read(preamble + feed)
        expectEqual(document.items.map(\.title.text), ["T1"])
        expectEqual(document.isDamaged, preamble.contains { !$0.isWhitespace })
        let bare = "<rss><channel>\(item(1))</channel></rss>"
        try expectEqual(read(preamble + bare).items.count, 1)
    }

    @Test func textWithManyBeginningsIsReadTwiceAtMost() {
        let text = "x" + String(repeating: "<feed", count: 2_000)
        #expect(throws: FeedError.self) { try read(text) }
    }

    @Test func newestItemsOfALongFeedCount() throws {
        let oldestFirst = (1...28).map { item($0, day: $0) }.joined()
        let newestFirst = (1...28).reversed().map { item($0, day: $0) }.joined()
        let undated = (1...28).map { item($0) }.joined()
        let titles = { (items: String) in
            try read("<rss><channel>\(items)</channel></rss>", itemCountMax: 5).items
                .map(\.title.text)
        }
        try expectEqual(titles(oldestFirst), ["T24", "T25", "T26", "T27", "T28"])
        try expectEqual(titles(newestFirst), ["T28", "T27", "T26", "T25", "T24"])
        try expectEqual(titles(undated), ["T1", "T2", "T3", "T4", "T5"])
    }

    @Test(
        arguments: [
            ("<guid>1001</guid>", nil), ("<guid>/a/b</guid>", nil), ("<guid>tag:a,1</guid>", nil),
            ("<guid>https://a.example/1</guid>", "https://a.example/1"),
        ] as [(String, String?)]
    )
    func guidThatIsNoAddressIsNoLink(_ guid: String, _ url: String?) throws {
        let text = "<rss><channel><item><title>T</title>\(guid)</item></channel></rss>"
        let document = try FeedReader().read(Array(text.utf8), url: "https://feeds.example/f/x.xml")
        expectEqual(document.items.map(\.url), [url])
    }

    @Test func enclosureIsTheFileOfAnEpisode() throws {
        let text = """
            <rss><channel><item><title>T</title><guid isPermaLink="false">gid://ep/7</guid>
            <enclosure url="https://cdn.example/7.mp3" type="audio/mpeg"/></item></channel></rss>
            """
        let item = try require(read(text).items.first)
        expectEqual(item.enclosureURL, "https://cdn.example/7.mp3")
        expectNil(item.url)
    }

    @Test func atomUnderHTTPSIsAtom() throws {
        let text = """
            <feed xmlns="https://www.w3.org/2005/Atom"><title>F</title><entry><title>T</title>
            <link href="https://a.example/1"/></entry></feed>
            """
        try expectEqual(read(text).items.map(\.url), ["https://a.example/1"])
    }
}
