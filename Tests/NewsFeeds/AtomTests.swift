import Testing

@testable import NewsFeeds

@Suite("Feeds: Atom", .timeLimit(.minutes(10)))
struct AtomTests {
    private func read(_ inner: String, _ attributes: String = "") throws -> FeedDocument {
        let text = "<feed xmlns='http://www.w3.org/2005/Atom' \(attributes)>\(inner)</feed>"
        return try FeedReader().read(Array(text.utf8), url: "https://a.example/blog/feed")
    }

    private func entry(_ inner: String) throws -> FeedItem {
        try #require(try read("<entry>\(inner)</entry>").items.first)
    }

    @Test func entryHasAllOfItsFields() throws {
        let document = try read(
            """
            <title type="html">A &amp;amp; B</title><link href="/"/><author><name>Feed</name></author>
            <entry><id>tag:a.example,2026:1</id><title>1 &lt; 2</title>
            <author><uri>u</uri><name>Kari</name><email>k@a.example</email></author>
            <contributor><name>Ola</name></contributor>
            <link rel="self" href="s"/><link href="post"/><category term="x" label="X"/>
            <published>2026-01-05T10:00:00+01:00</published><updated>2026-01-06T10:00:00Z</updated>
            <summary>short</summary><content type="html">&lt;p&gt;long&lt;/p&gt;</content>
            <source><id>other</id><title>Other</title></source></entry>
            """,
            "xml:lang='nb'"
        )
        #expect(document.format == .atom)
        #expect(document.title == "A & B")
        #expect(document.siteURL == "https://a.example/")
        #expect(document.language == "nb")
        let item = try #require(document.items.first)
        #expect(item.identifier == "tag:a.example,2026:1")
        #expect(item.title == FeedText("1 < 2"))
        #expect(item.url == "https://a.example/blog/post")
        #expect(item.author == "Kari")
        #expect(item.categories == ["x"])
        #expect(item.published == Timestamp(iso8601: "2026-01-05T09:00:00Z"))
        #expect(item.updated == Timestamp(iso8601: "2026-01-06T10:00:00Z"))
        #expect(item.summary == FeedText("short"))
        #expect(item.content == FeedText("<p>long</p>", isHTML: true))
    }

    @Test func baseIsInheritedAndRelativeToTheOuterOne() throws {
        let document = try read(
            """
            <entry xml:base="2026/"><link href="one"/></entry>
            <entry><link xml:base="https://b.example/x" href="two"/></entry>
            <entry><link href="../three?q#f"/></entry><entry><link href="javascript:alert(1)"/></entry>
            """,
            "xml:base='/news/'"
        )
        #expect(
            document.items.map(\.url) == [
                "https://a.example/news/2026/one", "https://b.example/two",
                "https://a.example/three?q#f", nil,
            ]
        )
    }

    @Test func alternateInHTMLIsPreferred() throws {
        let links = """
            <link rel="self" href="https://a.example/self"/>
            <link type="application/json" href="https://a.example/json"/>
            <link rel="alternate" type="text/html" href="https://a.example/html"/>
            <link href="https://a.example/second"/>
            <link rel="enclosure" type="image/png" href="https://a.example/i.png"/>
            """
        let item = try entry(links)
        #expect(item.url == "https://a.example/html")
        #expect(item.imageURL == "https://a.example/i.png")
        let json = "<link type='application/json' href='https://a.example/json'/>"
        #expect(try entry(json).url == "https://a.example/json")
        #expect(try entry("<id>https://a.example/id</id>").url == "https://a.example/id")
        #expect(try entry("<id>urn:x</id>").url == nil)
    }

    @Test func xhtmlBecomesHTMLWithoutItsOuterDivision() throws {
        let item = try entry(
            """
            <title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">a <b>b</b></div></title>
            <content type="xhtml"><x:div xmlns:x="http://www.w3.org/1999/xhtml"><x:p
            title="&quot;q&quot; &amp;">1 &lt; 2<x:br/></x:p><x:p>two</x:p></x:div></content>
            """
        )
        #expect(item.title == FeedText("a <b>b</b>", isHTML: true))
        let expected = "<p title=\"&quot;q&quot; &amp;\">1 &lt; 2<br /></p><p>two</p>"
        #expect(item.content == FeedText(expected, isHTML: true))
        #expect(item.content.plain == "1 < 2\ntwo")
        let two = try entry("<content type='xhtml'><div>a</div><div>b</div></content>")
        #expect(two.content.text == "<div>a</div><div>b</div>")
    }

    @Test func unescapedMarkupIsKept() throws {
        let item = try entry("<summary type='html'>one <b>two</b> &lt;three</summary>")
        #expect(item.summary == FeedText("one <b>two</b> &lt;three", isHTML: true))
        let wrapped = try entry("<content type='html'><div>a &lt;b&gt;c&lt;/b&gt;</div></content>")
        #expect(wrapped.content == FeedText("a <b>c</b>", isHTML: true))
    }

    @Test func atom03IsReadWithItsModes() throws {
        let text = """
            <feed version="0.3" xmlns="http://purl.org/atom/ns#"><title>t</title><entry>
            <title mode="escaped" type="text/html">a &lt;i&gt;b&lt;/i&gt;</title>
            <content type="application/xhtml+xml" mode="xml"><p>x</p></content>
            <summary mode="base64" type="text/html">PGI+eDwv
            Yj4=</summary><issued>2003-12-31T10:14:55Z</issued>
            <modified>2004-01-01T00:00:00Z</modified></entry></feed>
            """
        let item = try #require(try FeedReader().read(Array(text.utf8)).items.first)
        #expect(item.title == FeedText("a <i>b</i>", isHTML: true))
        #expect(item.content == FeedText("<p>x</p>", isHTML: true))
        #expect(item.published == Timestamp(iso8601: "2003-12-31T10:14:55Z"))
        #expect(item.updated == Timestamp(iso8601: "2004-01-01T00:00:00Z"))
        #expect(item.summary == FeedText("<b>x</b>", isHTML: true))
    }

    @Test func contentElsewhereIsNotThere() throws {
        #expect(try entry("<content src='https://a.example/x' type='video/mp4'/>").content.isEmpty)
        #expect(try entry("<content type='image/png'>!</content>").content.isEmpty)
    }

    @Test(arguments: [
        ("b", "https://h.example/x/b"), ("./b", "https://h.example/x/b"),
        ("../b", "https://h.example/b"), ("../../../b", "https://h.example/b"),
        ("/b/./c/../d", "https://h.example/b/d"), ("..", "https://h.example/"),
        ("?n=1", "https://h.example/x/y?n=1"), ("#f", "https://h.example/x/y?q=1#f"),
        ("//o.example/p", "https://o.example/p"), ("HTTP://o.example", "HTTP://o.example"),
        ("b:c", nil), ("mailto:a@b.example", nil), ("http:b", nil), ("", nil),
        (" a\nb ", "https://h.example/x/ab"), ("x/../../y/.", "https://h.example/y/"),
    ])
    func referencesAreResolvedAsRFC3986Says(_ reference: String, _ url: String?) {
        #expect(WebURL.resolve(reference, base: "https://h.example/x/y?q=1") == url)
        if url?.hasSuffix(reference) != true {
            #expect(WebURL.resolve(reference, base: nil) == nil)
        }
    }
}
