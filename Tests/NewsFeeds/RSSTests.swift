import Expectations

@testable import NewsFeeds

@Suite("Feeds: RSS", .timeLimit(.minutes(10)))
struct RSSTests {
    static let feed = """
        <?xml version="1.0" encoding="utf-8"?>
        <rss version="2.0" xmlns:c="http://purl.org/rss/1.0/modules/content/"
            xmlns:d="http://purl.org/dc/elements/1.1/" xmlns:m="http://search.yahoo.com/mrss/"
            xmlns:a="http://www.w3.org/2005/Atom" xmlns:s="http://purl.org/rss/1.0/modules/syndication/">
        <channel><title>Harbour &amp;amp; Sea</title><link>https://harbour.example/</link>
        <a:link rel="self" href="https://harbour.example/feed"/><language>en_US</language>
        <image><title>Logo</title><link>https://harbour.example/logo</link></image>
        <s:updatePeriod>daily</s:updatePeriod><s:updateFrequency>4</s:updateFrequency>
        <skipHours><hour>3</hour><hour>24</hour><hour>25</hour></skipHours>
        <item><title>Ferry &lt;b&gt;late&lt;/b&gt;</title><link>https://harbour.example/1?a=1&amp;b=2</link>
        <guid isPermaLink="false">n-1</guid><pubDate>Mon, 05 Jan 2026 10:00:00 +0100</pubDate>
        <d:creator>Kari Nordmann</d:creator><category>Transport</category><category>Sea</category>
        <category>Sea</category><description>&lt;p&gt;Waves.&lt;/p&gt;</description>
        <c:encoded><![CDATA[<p>Waves & wind.</p>]]></c:encoded>
        <m:group><m:thumbnail url="/small.jpg"/><m:content url="/large.jpg" type="image/jpeg"/></m:group>
        <source url="https://other.example/"><title>Other</title></source></item>
        <item><title>2 > 1</title><guid>https://harbour.example/2</guid>
        <author>ola@harbour.example (Ola)</author><d:date>2026-01-05T08:30:00Z</d:date>
        <enclosure url="https://harbour.example/2.mp3" type="audio/mpeg"/>
        <enclosure url="https://harbour.example/2.png" type="image/png"/></item>
        </channel></rss>
        """

    static func read(_ text: String) throws -> FeedDocument {
        try FeedReader().read(Array(text.utf8))
    }

    static func item(_ inner: String, _ namespaces: String = "") throws -> FeedItem {
        let document = try read(
            "<rss version='2.0' \(namespaces)><channel><item>\(inner)</item></channel></rss>"
        )
        expectEqual(document.items.count, 1)
        return document.items.first ?? FeedItem()
    }

    @Test func channelIsReadByTheURIsOfItsNamespaces() throws {
        let document = try RSSTests.read(RSSTests.feed)
        expectEqual(document.format, .rss)
        expectEqual(document.title, "Harbour & Sea")
        expectEqual(document.siteURL, "https://harbour.example/")
        expectEqual(document.language, "en-us")
        expectEqual(document.pollInterval, .seconds(6 * 3600))
        expectEqual(document.skippedHours, [0, 3])
        expect(!document.isDamaged)
        expectEqual(document.items.count, 2)
    }

    @Test func itemHasAllOfItsFields() throws {
        let item = try require(RSSTests.read(RSSTests.feed).items.first)
        expectEqual(item.identifier, "n-1")
        expectEqual(item.title, FeedText("Ferry <b>late</b>", isHTML: true))
        expectEqual(item.url, "https://harbour.example/1?a=1&b=2")
        expectEqual(item.summary, FeedText("<p>Waves.</p>", isHTML: true))
        expectEqual(item.content, FeedText("<p>Waves & wind.</p>", isHTML: true))
        expectEqual(item.author, "Kari Nordmann")
        expectEqual(item.categories, ["Transport", "Sea"])
        expectEqual(item.imageURL, "https://harbour.example/large.jpg")
        expectEqual(item.published, Timestamp(iso8601: "2026-01-05T09:00:00Z"))
        expectNil(item.updated)
    }

    @Test func itemWithoutALinkHasTheAddressOfItsPermanentIdentifier() throws {
        let item = try require(RSSTests.read(RSSTests.feed).items.last)
        expectEqual(item.url, "https://harbour.example/2")
        expectEqual(item.title, FeedText("2 > 1"))
        expectEqual(item.author, "Ola")
        expectEqual(item.imageURL, "https://harbour.example/2.png")
        expectNil(item.published)
        expectEqual(item.updated, Timestamp(iso8601: "2026-01-05T08:30:00Z"))
        try expectNil(RSSTests.item("<guid isPermaLink='false'>https://a.example/</guid>").url)
        try expectNil(RSSTests.item("<guid>abc</guid>").url)
        let both = "<guid>https://a.example/g</guid><link>https://a.example/l</link>"
        try expectEqual(RSSTests.item(both).url, "https://a.example/l")
    }

    @Test func rdfHasItsItemsBesideTheChannel() throws {
        let document = try RSSTests.read(
            """
            <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
                xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
            <channel rdf:about="https://d.example/"><title>Notices</title>
            <link>https://d.example/</link><items><rdf:Seq/></items></channel>
            <item rdf:about="https://d.example/1"><title>One</title>
            <link>https://d.example/1</link><dc:date>2026-01-01</dc:date></item>
            <item rdf:about="x"><title>Two</title></item></rdf:RDF>
            """
        )
        expectEqual(document.format, .rdf)
        expectEqual(document.title, "Notices")
        expectEqual(document.items.map(\.identifier), ["https://d.example/1", "x"])
        expectEqual(document.items.map(\.url), ["https://d.example/1", nil])
    }

    @Test func oldVersionsAndUnknownNamespacesOfRSSAreRead() throws {
        for attributes in ["version='0.91'", "", "xmlns='http://backend.userland.com/rss2'"] {
            let document = try RSSTests.read(
                "<rss \(attributes)><channel><item><title>t</title></item></channel></rss>"
            )
            expectEqual(document.items.map(\.title.text), ["t"], "\(attributes)")
        }
        try expectEqual(RSSTests.read("<RSS><Channel><Title>t</Title></Channel></RSS>").title, "t")
    }

    @Test func ttlIsInMinutesAndBeforeUpdatePeriod() throws {
        func interval(_ inner: String) throws -> Duration? {
            let namespace = "xmlns:sy='http://purl.org/rss/1.0/modules/syndication/'"
            return try RSSTests.read("<rss \(namespace)><channel>\(inner)</channel></rss>")
                .pollInterval
        }
        try expectEqual(
            interval("<ttl>60</ttl><sy:updatePeriod>daily</sy:updatePeriod>"),
            .seconds(3600)
        )
        try expectEqual(interval("<sy:updatePeriod>hourly</sy:updatePeriod>"), .seconds(3600))
        try expectNil(interval("<sy:updateFrequency>2</sy:updateFrequency>"))
        for wrong in ["0", "-5", "525601", "x", "", "999999999999999999999"] {
            try expectNil(interval("<ttl>\(wrong)</ttl>"), "\(wrong)")
        }
        try expectEqual(interval("<ttl> 525600 </ttl>"), .seconds(525_600 * 60))
    }

    @Test func textsAreShortenedAndItemsCountedToTheirLimits() throws {
        let limits = FeedLimits(
            itemCountMax: 2,
            textLengthMax: 8,
            lineLengthMax: 5,
            urlLengthMax: 20,
            categoryCountMax: 1
        )
        let item = """
            <item><title>æøå</title><link>https://a.example/\("long")</link>
            <guid isPermaLink="false">i</guid><category>a</category><category>b</category>
            <description>1234567890</description></item>
            """
        let text = "<rss><channel>\(item)\(item)\(item)</channel></rss>"
        let document = try FeedReader(limits: limits).read(Array(text.utf8))
        expectEqual(document.items.count, 2)
        expectEqual(document.items[0].title.text, "æø")
        expectNil(document.items[0].url)
        expectEqual(document.items[0].categories, ["a"])
        expectEqual(document.items[0].summary.text, "12345678")
        expect(!document.isDamaged)
    }

    @Test func titlesOfFeedsAndOfMediaHaveTheLimitOfALine() throws {
        let limits = FeedLimits(textLengthMax: 64, lineLengthMax: 5)
        let text = """
            <rss xmlns:media="http://search.yahoo.com/mrss/"><channel><title>æøåæøå</title>
            <item><media:title>æøåæøå</media:title></item></channel></rss>
            """
        let document = try FeedReader(limits: limits).read(Array(text.utf8))
        expectEqual(document.title, "æø")
        expectEqual(document.items.first?.title.text, "æø")
    }

    @Test func mediaAndITunesFillWhatIsMissing() throws {
        let namespaces =
            "xmlns:media='http://search.yahoo.com/mrss' "
            + "xmlns:itunes='http://www.itunes.com/DTDs/Podcast-1.0.dtd'"
        let item = try RSSTests.item(
            """
            <media:title>t</media:title><media:description type="plain">s</media:description>
            <media:thumbnail url="https://a.example/t.png"/><media:keywords>x, y,,x</media:keywords>
            <itunes:author>Kari</itunes:author><itunes:category text="Arts"><itunes:category
            text="Books"/></itunes:category><media:content url="https://a.example/v.mp4"/>
            """,
            namespaces
        )
        expectEqual(item.title.text, "t")
        expectEqual(item.summary, FeedText("s"))
        expectEqual(item.imageURL, "https://a.example/t.png")
        expectEqual(item.categories, ["x", "y", "Arts", "Books"])
        expectEqual(item.author, "Kari")
    }

    @Test(arguments: [
        ("Kari", "Kari", nil), ("kari@a.example", nil, "kari@a.example"),
        ("kari@a.example (Kari N)", "Kari N", "kari@a.example"),
        ("Kari N (kari@a.example)", "Kari N", "kari@a.example"),
        ("Kari <kari@a.example>", "Kari", "kari@a.example"), ("@kari", "@kari", nil),
        ("", nil, nil),
    ])
    func authorIsANameAndAnAddress(_ text: String, _ name: String?, _ email: String?) {
        expectEqual(PersonName(text), PersonName(name: name, email: email))
    }
}
