import Expectations

@testable import NewsFeeds

@Suite("Feeds: damaged and hostile documents", .timeLimit(.minutes(10)))
struct DamageTests {
    private func rss(_ inner: String) -> String { "<rss><channel>\(inner)</channel></rss>" }

    private func titles(_ text: String) throws -> [String] {
        try RSSTests.read(text).items.map(\.title.text)
    }

    @Test func entitiesOfHTMLAreReadWithoutADeclaration() throws {
        let document = try RSSTests.read(rss("<title>a&nbsp;b &eacute;&mdash;</title>"))
        expectEqual(document.title, "a b é—")
        expect(!document.isDamaged)
    }

    @Test func unknownEntitiesAreKeptAsText() throws {
        let document = try RSSTests.read(rss("<item><title>a &foo; b &lt; c</title></item>"))
        expectEqual(document.items.first?.title.text, "a &foo; b < c")
        expect(document.isDamaged)
    }

    @Test func ampersandsAndAnglesThatAreNotEscapedAreKept() throws {
        let document = try RSSTests.read(
            rss(
                """
                <item><title>R&D: 1 < 2 & 3 <= 4 &amp; 5</title>
                <link>https://a.example/?a=1&b=2&copy=3</link>
                <description><![CDATA[a && b < c]]></description></item><item><title>x</title></item>
                """
            )
        )
        expect(document.isDamaged)
        let item = try require(document.items.first)
        expectEqual(item.title.text, "R&D: 1 < 2 & 3 <= 4 & 5")
        expectEqual(item.url, "https://a.example/?a=1&b=2&copy=3")
        expectEqual(item.summary.text, "a && b < c")
        expectEqual(document.items.count, 2)
    }

    @Test func truncatedFeedKeepsWhatIsComplete() throws {
        let text = rss(
            "<title>Feed</title><item><title>one</title><link>https://a.example/1</link></item>"
                + "<item><link>https://a.example/2</link><title>two is long</title></item>"
        )
        let document = try RSSTests.read(
            String(text.prefix(text.count - "is long</title></item></channel></rss>".count))
        )
        expect(document.isDamaged)
        expectEqual(document.items.map(\.url), ["https://a.example/1", "https://a.example/2"])
        expectEqual(document.items.map(\.title.text), ["one", ""])
    }

    @Test func everyPrefixOfAFeedIsReadOrRefused() throws {
        let bytes = Array(RSSTests.feed.utf8)
        let whole = try FeedReader().read(bytes)
        for count in 0..<bytes.count {
            do throws(FeedError) {
                let document = try FeedReader().read(Array(bytes.prefix(count)))
                expect(document.isDamaged, "\(count) bytes")
                expect(document.items.count <= 2, "\(count) bytes")
                if let item = document.items.first, document.items.count == 2 {
                    expectEqual(item, whole.items[0], "\(count) bytes")
                }
            } catch {
                // A root whose name is cut is another root.
                let isExpected =
                    error == .empty || error == .notAFeed("no XML element")
                    || error == .notAFeed("root element \"r\"")
                    || error == .notAFeed("root element \"rs\"")
                expect(isExpected, "\(count) bytes: \(error)")
            }
        }
    }

    @Test func tagsThatAreNotClosedDoNotMergeItems() throws {
        let text = rss("<item><title>one<br>more</title></item><item><title>two</title></item>")
        let document = try RSSTests.read(text)
        expectEqual(document.items.count, 2)
        expectEqual(document.items.last?.title.text, "two")
        expect(document.isDamaged)
        try expectEqual(
            titles(rss("<item><title>a</titel></item><item><title>b</title></item>")),
            [
                "a", "b",
            ]
        )
    }

    @Test func prefixesWithoutADeclarationHaveTheirUsualMeaning() throws {
        let document = try RSSTests.read(rss("<item><dc:creator>Kari</dc:creator></item>"))
        expectEqual(document.items.first?.author, "Kari")
        expect(document.isDamaged)
    }

    @Test func spaceBeforeTheDeclarationAndTextBehindTheRootAreIgnored() throws {
        let document = try RSSTests.read("\n <?xml version='1.0'?><rss/>")
        expect(!document.isDamaged)
        try expect(RSSTests.read("<rss/>trailing <b>").isDamaged)
    }

    @Test func controlCharactersBecomeSpaces() throws {
        let document = try RSSTests.read(rss("<item><title>a\u{1}b\u{0}c</title></item>"))
        expectEqual(document.items.first?.title.text, "a b c")
        expect(document.isDamaged)
    }

    @Test func billionLaughsStayShort() throws {
        var declarations = "<!ENTITY a0 \"ha\">"
        for level in 1...30 {
            let inner = String(repeating: "&a\(level - 1);", count: 10)
            declarations += "<!ENTITY a\(level) \"\(inner)\">"
        }
        let text =
            "<!DOCTYPE rss [\(declarations)]>" + rss("<item><title>&a30; &a0;</title></item>")
        let document = try RSSTests.read(text)
        expect(document.items.first?.title.text.utf8.count ?? 0 < 20)
        expect(document.isDamaged)
    }

    @Test func entitiesOfTheDocumentAreTexts() throws {
        let declared = "<!DOCTYPE rss [<!ENTITY pub \"Harbour News\"><!ENTITY pub \"x\">]>"
        let document = try RSSTests.read(declared + rss("<title>The &pub;</title>"))
        expectEqual(document.title, "The Harbour News")
        expect(!document.isDamaged)
        let long = String(repeating: "x", count: 129)
        let refused = "<!DOCTYPE rss [<!ENTITY pub \"\(long)\">]>" + rss("<title>&pub;</title>")
        try expectEqual(RSSTests.read(refused).title, "&pub;")
    }

    /// A file that exists, so that one that is read shows.
    @Test func externalEntitiesAndDefinitionsAreNeverLoaded() throws {
        let entity = """
            <!DOCTYPE rss SYSTEM "file:///etc/passwd" [<!ENTITY file SYSTEM "file:///etc/passwd">
            <!ENTITY % set SYSTEM "file:///etc/passwd"> %set;
            <!ENTITY remote SYSTEM "http://127.0.0.1:1/">]>
            """
        let item =
            "<item><title>[&file;&remote;]</title><link>https://a.example/&file;</link></item>"
        let document = try RSSTests.read(entity + rss(item + "<item><title>two</title></item>"))
        expectEqual(document.items.count, 2)
        expect(!document.items.contains { $0.title.text.contains("root") })
        expect(document.isDamaged)
    }

    @Test func deepNestingEndsTheFeed() throws {
        let deep = String(repeating: "<a>", count: 30_000)
        let before = "<item><title>one</title></item>"
        let document = try RSSTests.read("<rss><channel>\(before)\(deep)")
        expectEqual(document.items.map(\.title.text), ["one"])
        expect(document.isDamaged)
        let closed = deep + String(repeating: "</a>", count: 30_000)
        try expect(RSSTests.read(rss(before + closed)).isDamaged)
        let allowed = String(repeating: "<a>", count: 126) + String(repeating: "</a>", count: 126)
        try expect(!RSSTests.read(rss(allowed)).isDamaged)
        let inContent = rss("<item><description>\(deep)</description></item>")
        try expect(RSSTests.read(inContent).isDamaged)
    }

    @Test func manyAttributesAndNamesAreRead() throws {
        let attributes = (0..<256).map { "a\($0)='v'" }.joined(separator: " ")
        let elements = (0..<2000).map { "<e\($0)/>" }.joined()
        let text = rss("<item \(attributes)>\(elements)<title>t</title></item>")
        try expectEqual(titles(text), ["t"])
    }

    /// libxml2 would compare each with all others.
    @Test(arguments: ["a", "xmlns:a"])
    func elementWithTooManyAttributesIsRefused(_ name: String) {
        let attributes = (0..<257).map { "\(name)\($0)=\"v\"" }.joined(separator: " ")
        let error = FeedError.notAFeed("an element with more than 256 attributes")
        for start in [
            "<rss ", "<rss><a \"><b ", "<rss><a b='><b ", "<rss><!-- ' \" --><b ",
            "<rss><b c='<>' ",
        ] {
            #expect(throws: error, "\(start)") { try RSSTests.read("\(start)\(attributes)/>") }
        }
    }

    @Test func attributesOfDifferentElementsAreNotAdded() throws {
        let item = "<item a='<>' b=\"x > y\"><title>'\"'\"</title></item>"
        expect(!hasTooManyAttributes(Array(item.utf8), countMax: 2))
        expect(hasTooManyAttributes(Array("<a b='' c=\"'\" d=''/>".utf8), countMax: 2))
        expect(!hasTooManyAttributes(Array("<a b='' c=\"'\" d=''/>".utf8), countMax: 3))
    }

    @Test func repairLeavesCorrectMarkupAsItIs() {
        func repaired(_ text: String) -> String {
            String(decoding: repairedXML(Array(text.utf8)), as: UTF8.self)
        }
        let correct = "<a b='c'><!-- & < --><![CDATA[& <]]><?p & ?>&#38;&#x26;</a>"
        expectEqual(repaired(correct), correct)
        expectEqual(repaired("&amp;&lt;&nbsp;"), "&#38;&#60;&#160;")
        expectEqual(repaired("&unknown;&#12a;&#;&"), "&#38;unknown;&#38;#12a;&#38;#;&#38;")
        expectEqual(repaired("< 1<2 <3 </ <"), "&#60; 1&#60;2 &#60;3 &#60;/ &#60;")
        expectEqual(repaired("<![CDATA[&"), "<![CDATA[&")
    }
}
