import Expectations

@testable import NewsFeeds

@Suite("Feeds: Atom", .timeLimit(.minutes(10)))
struct AtomTests {
    private func read(_ inner: String, _ attributes: String = "") throws -> FeedDocument {
        let text = "<feed xmlns='http://www.w3.org/2005/Atom' \(attributes)>\(inner)</feed>"
        return try FeedReader().read(Array(text.utf8), url: "https://a.example/blog/feed")
    }

    private func entry(_ inner: String) throws -> FeedItem {
        try require(read("<entry>\(inner)</entry>").items.first)
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
        expectEqual(document.format, .atom)
        expectEqual(document.title, "A & B")
        expectEqual(document.siteURL, "https://a.example/")
        expectEqual(document.language, "nb")
        let item = try require(document.items.first)
        expectEqual(item.identifier, "tag:a.example,2026:1")
        expectEqual(item.title, FeedText("1 < 2"))
        expectEqual(item.url, "https://a.example/blog/post")
        expectEqual(item.author, "Kari")
        expectEqual(item.categories, ["x"])
        expectEqual(item.published, Timestamp(iso8601: "2026-01-05T09:00:00Z"))
        expectEqual(item.updated, Timestamp(iso8601: "2026-01-06T10:00:00Z"))
        expectEqual(item.summary, FeedText("short"))
        expectEqual(item.content, FeedText("<p>long</p>", isHTML: true))
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
        expectEqual(
            document.items.map(\.url),
            [
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
        expectEqual(item.url, "https://a.example/html")
        expectEqual(item.imageURL, "https://a.example/i.png")
        let json = "<link type='application/json' href='https://a.example/json'/>"
        try expectEqual(entry(json).url, "https://a.example/json")
        try expectEqual(entry("<id>https://a.example/id</id>").url, "https://a.example/id")
        try expectNil(entry("<id>urn:x</id>").url)
    }

    @Test func xhtmlBecomesHTMLWithoutItsOuterDivision() throws {
        let item = try entry(
            """
            <title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">a <b>b</b></div></title>
            <content type="xhtml"><x:div xmlns:x="http://www.w3.org/1999/xhtml"><x:p
            title="&quot;q&quot; &amp;">1 &lt; 2<x:br/></x:p><x:p>two</x:p></x:div></content>
            """
        )
        expectEqual(item.title, FeedText("a <b>b</b>", isHTML: true))
        let expected = "<p title=\"&quot;q&quot; &amp;\">1 &lt; 2<br /></p><p>two</p>"
        expectEqual(item.content, FeedText(expected, isHTML: true))
        expectEqual(item.content.plain, "1 < 2\ntwo")
        let two = try entry("<content type='xhtml'><div>a</div><div>b</div></content>")
        expectEqual(two.content.text, "<div>a</div><div>b</div>")
    }

    @Test func unescapedMarkupIsKept() throws {
        let item = try entry("<summary type='html'>one <b>two</b> &lt;three</summary>")
        expectEqual(item.summary, FeedText("one <b>two</b> &lt;three", isHTML: true))
        let wrapped = try entry("<content type='html'><div>a &lt;b&gt;c&lt;/b&gt;</div></content>")
        expectEqual(wrapped.content, FeedText("a <b>c</b>", isHTML: true))
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
        let item = try require(FeedReader().read(Array(text.utf8)).items.first)
        expectEqual(item.title, FeedText("a <i>b</i>", isHTML: true))
        expectEqual(item.content, FeedText("<p>x</p>", isHTML: true))
        expectEqual(item.published, Timestamp(iso8601: "2003-12-31T10:14:55Z"))
        expectEqual(item.updated, Timestamp(iso8601: "2004-01-01T00:00:00Z"))
        expectEqual(item.summary, FeedText("<b>x</b>", isHTML: true))
    }

    @Test func contentElsewhereIsNotThere() throws {
        try expect(entry("<content src='https://a.example/x' type='video/mp4'/>").content.isEmpty)
        try expect(entry("<content type='image/png'>!</content>").content.isEmpty)
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
        expectEqual(WebURL.resolve(reference, base: "https://h.example/x/y?q=1"), url)
        if url?.hasSuffix(reference) != true {
            expectNil(WebURL.resolve(reference, base: nil))
        }
    }
}
