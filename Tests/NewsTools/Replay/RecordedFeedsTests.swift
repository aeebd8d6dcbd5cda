import Expectations
import NewsFeeds
import Wire

@testable import NewsTools
@testable import Replay

@Suite("Recorded feeds", .timeLimit(.minutes(10)))
struct RecordedFeedsTests {
    private let demo: Recording
    private let news: NewsRecordings

    init() throws {
        demo = try recording()
        news = NewsToolsTests.news(of: demo)
    }

    private func document(_ path: String, at clock: String) throws -> FeedDocument {
        let response = demo.get(path, at: clock)
        expectEqual(response.status, 200)
        return try FeedReader().read(
            try require(response.bytes),
            contentType: response.headers.first("Content-Type"),
            url: "http://127.0.0.1:8001" + path
        )
    }

    @Test func eachFormIsServedAndSaysThatItIsASample() {
        expectEqual(Set(news.feeds.map(\.form)), Set(FeedForm.allCases))
        expect(news.feeds.allSatisfy { $0.title.hasPrefix("Sample ") })
        expect(news.products.map(\.path).contains("/news/sample-wire.rss"))
    }

    @Test(arguments: ["2024-12-09T16:06:00Z", "2024-12-09T19:30:00Z", "2024-12-13T02:59:00Z"])
    func readersOfFeedsFindEveryItemWithItsValues(clock: String) throws {
        for feed in news.feeds {
            let version = news.track.version(of: feed, at: time(clock))
            let items = news.track.items(of: feed, until: version)
            expectEqual(Set(items.map(\.item.slug)).count, items.count)
            let document = try document(feed.path, at: clock)
            expectEqual(document.title, feed.title)
            expectEqual(document.language, "en")
            expectEqual(document.siteURL, feed.home + "/")
            expect(!document.isDamaged)
            expectEqual(document.items.map(\.title.text), items.map(\.item.title))
            expectEqual(document.items.map(\.url), items.map(\.url))
            expectEqual(document.items.map(\.identifier), items.map(\.url))
            expectEqual(document.items.map(\.published), items.map(\.time))
            expectEqual(document.items.map(\.categories), items.map { [$0.item.tag] })
            let texts = document.items.map { $0.summary.isEmpty ? $0.content : $0.summary }
            expectEqual(texts.map(\.text), items.map(\.item.text))
        }
    }

    @Test func markupInTextsIsWrittenAsText() throws {
        let text = "a <b> & \"c\" 'd' ]]> \u{1}\u{1F}\u{FFFF}é 🌌"
        for form in FeedForm.allCases {
            let feed = FeedTable.Feed(
                name: "a",
                form: form,
                title: "Sample & more",
                home: "https://a.example",
                language: "en"
            )
            let item = FeedTable.Item(
                at: time("2024-12-09T16:00:00Z"),
                feed: "a",
                story: "s",
                tag: "science",
                slug: "x",
                title: "1 < 2 & 3",
                text: text
            )
            let presented = PresentedItem(item: item, time: item.at, url: "https://a.example/x?a&b")
            let document = try FeedReader().read(feed.document(of: [presented], updated: item.at))
            expect(!document.isDamaged)
            expectEqual(document.title, "Sample & more")
            let read = try require(document.items.first)
            expectEqual(read.title.plain, "1 < 2 & 3", "\(form)")
            expectEqual(read.url, "https://a.example/x?a&b")
        }
    }

    @Test func feedHasOnlyWhatIsPublishedByThenTheLatestFirst() throws {
        let clock = time("2024-12-09T19:20:00Z")
        for feed in news.feeds {
            let times = news.track.items(of: feed, until: clock).map(\.time)
            expectEqual(times, times.sorted(by: >))
            expectEqual(times.first.map { $0 <= clock }, true)
            expect((1...20).contains(times.count))
        }
    }

    @Test func feedGrowsThroughTheNight() throws {
        let clocks = ["16:00", "18:00", "20:00", "22:00"].map { "2024-12-09T\($0):00Z" }
        let latest = try clocks.map { clock in
            try news.feeds.map { try document($0.path, at: clock).items.first?.published }
        }
        for (earlier, later) in zip(latest, latest.dropFirst()) { expect(earlier != later) }
    }

    @Test func unchangedFeedIsAnsweredWith304UntilItsNextItem() throws {
        let path = "/news/sample-north.atom"
        let first = demo.get(path, at: "2024-12-09T18:36:00Z")
        expectEqual(first.headers.first("Content-Type"), "application/atom+xml; charset=utf-8")
        expectEqual(first.headers.first("Last-Modified"), "Mon, 09 Dec 2024 18:35:00 GMT")
        let tag = try require(first.headers.first("ETag"))
        for headers: HTTPHeaders in [
            ["If-None-Match": tag], ["If-Modified-Since": "Mon, 09 Dec 2024 18:35:00 GMT"],
        ] {
            let same = demo.get(path, at: "2024-12-09T19:04:59Z", headers)
            expectEqual(same.status, 304)
            expectEqual(same.bytes, [])
            expectEqual(demo.get(path, at: "2024-12-09T19:05:00Z", headers).status, 200)
        }
        let again = demo.get(path, at: "2024-12-09T19:04:00Z")
        expectEqual(again.bytes, first.bytes)
    }

    @Test func nextNightHasTheSameItemsUnderTheirOwnURLs() throws {
        let feed = news.feeds[0]
        let night = news.track.items(of: feed, until: time("2024-12-10T03:00:00Z"), countMax: 8)
        let next = news.track.items(of: feed, until: time("2024-12-11T03:00:00Z"), countMax: 8)
        expectEqual(next.map(\.item), night.map(\.item))
        expectEqual(next.map(\.time), night.map { $0.time + .seconds(86_400) })
        expect(Set(next.map(\.url)).isDisjoint(with: night.map(\.url)))
    }

    @Test func daysBeforeTheFirstNightAreQuiet() throws {
        for feed in news.feeds {
            let items = news.track.items(of: feed, until: time("2024-12-05T19:30:00Z"))
            expect(items.allSatisfy { !["aurora", "bridge"].contains($0.item.story) })
        }
    }

    @Test func feedWithoutItemsHasTheBeginningOfTheDayAsItsVersion() throws {
        let text = String(decoding: demoFile, as: UTF8.self)
        let start = try require(text.firstRange(of: "\"items\": ["))
        let empty = Array((text[..<start.upperBound] + "]}").utf8)
        let recording = try recording(files: ["news.json": empty])
        let response = recording.get("/news/sample-wire.rss", at: "2024-12-09T19:20:00Z")
        expectEqual(response.status, 200)
        expectEqual(response.headers.first("Last-Modified"), "Mon, 09 Dec 2024 00:00:00 GMT")
        try expect(FeedReader().read(require(response.bytes)).items.isEmpty)
    }

    @Test func answersNameWhatTheyAre() {
        let response = demo.get("/news/sample-wire.rss", at: "2024-12-09T19:20:00Z")
        expectEqual(response.headers.first("X-Replay"), "synthetic news; not live data")
        expectEqual(demo.get("/news/wire.rss", at: "2024-12-09T19:20:00Z").status, 404)
    }
}
