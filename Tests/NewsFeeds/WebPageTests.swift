import Expectations
import Foundation

@testable import NewsFeeds

/// The pages in `corpus/pages`, and what is expected of them: fields, an empty line, the text.
struct PageFixture: CustomTestStringConvertible, Sendable {
    let name: String
    let html: [UInt8]
    let fields: [String: String]
    let text: String

    var testDescription: String { name }

    static let all: [PageFixture] = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "corpus/pages")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".html") }.sorted().compactMap {
            PageFixture(folder.appending(path: $0))
        }
    }()

    private init?(_ url: URL) {
        let expected = url.deletingPathExtension().appendingPathExtension("txt")
        guard let html = try? Data(contentsOf: url),
            let lines = try? String(contentsOf: expected, encoding: .utf8)
                .split(separator: "\n", omittingEmptySubsequences: false),
            let border = lines.firstIndex(of: "")
        else { return nil }
        name = url.deletingPathExtension().lastPathComponent
        self.html = Array(html)
        fields = Dictionary(
            uniqueKeysWithValues: lines[..<border].map { line in
                let parts = line.split(separator: ": ", maxSplits: 1)
                return (String(parts[0]), String(parts[1]))
            }
        )
        text = lines[(border + 1)...].joined(separator: "\n").trimmingCharacters(in: .newlines)
    }
}

@Suite("Web pages: what a page states and its main text", .timeLimit(.minutes(10)))
struct WebPageTests {
    private func page(_ html: String, contentType: String? = "text/html; charset=utf-8") throws
        -> WebPage
    {
        try WebPageReader().read(Array(html.utf8), contentType: contentType)
    }

    @Test func fixturesAreThere() {
        expect(PageFixture.all.count >= 30)
    }

    @Test(arguments: PageFixture.all)
    func pageIsReadWhole(_ fixture: PageFixture) throws {
        let page = try WebPageReader().read(fixture.html, contentType: "text/html")
        expectEqual(page.title, fixture.fields["title"] ?? "")
        expectEqual(page.siteName, fixture.fields["site"])
        expectEqual(page.summary, fixture.fields["summary"] ?? "")
        expectEqual(page.canonicalURL, fixture.fields["canonical"])
        expectEqual(page.published?.iso8601Seconds, fixture.fields["published"])
        expectEqual(page.language, fixture.fields["language"])
        expectEqual(page.text, fixture.text)
    }

    @Test(arguments: PageFixture.all)
    func beginningOfAPageGivesATextWithoutMarkup(_ fixture: PageFixture) throws {
        // The time for all beginnings grows with the square of the length.
        let step = fixture.html.count > 1500 ? 5 : 1
        for count in stride(from: 0, to: fixture.html.count, by: step) {
            let html = Array(fixture.html.prefix(count))
            let page = try WebPageReader().read(html, contentType: "text/html")
            expect(!page.text.contains("<"), "\(count) bytes")
            expect(!page.title.contains("<"), "\(count) bytes")
            expect(!page.text.contains("\n\n"), "\(count) bytes")
            expectEqual(page.text, trimmed(page.text), "\(count) bytes")
        }
    }

    @Test func titleIsOfOpenGraphElseOfLinkedDataElseOfTheHead() throws {
        let openGraph = "<meta property='og:title' content=' Open &amp; graph '>"
        let linked = """
            <script type="application/ld+json">{"@type":"Article","headline":"Linked"}</script>
            """
        let head = "<title>\n Head\n of two lines </title>"
        try expectEqual(page(head + linked + openGraph).title, "Open & graph")
        try expectEqual(page(head + linked).title, "Linked")
        try expectEqual(page(head).title, "Head of two lines")
        try expectEqual(page("<p>Text</p>").title, "")
        try expectEqual(
            page("<meta property='og:title' content=''>" + head).title,
            "Head of two lines"
        )
        try expectEqual(page("<title>A</title><svg><title>B</title></svg>").title, "A")
        try expectEqual(page("<title>A &amp;amp; B</title>").title, "A & B")
    }

    @Test(arguments: [
        (#"{"headline":"A"}"#, "A"), (#"[{"name":"x"},{"headline":"A"}]"#, "A"),
        (#"{"@graph":[{"headline":"A"},{"headline":"B"}]}"#, "A"),
        (#"{"mainEntity":{"headline":"A"}}"#, "A"), ("<!-- {\"headline\":\"A\"} -->", "A"),
        ("//<![CDATA[\n{\"headline\":\"A\"}\n//]]>", "A"), (#"{"headline":["A"]}"#, ""),
        (#"{"headline":"A"#, ""), ("[[[[[{\"headline\":\"A\"}]]]]]", ""), ("", ""), ("{}", ""),
        (#"{"headline":"  "}"#, ""), (#"{"headline":"<b>A</b> B"}"#, "A B"),
    ])
    func headlineIsInLinkedData(_ json: String, _ title: String) throws {
        try expectEqual(page("<script type='application/ld+json'>\(json)</script>").title, title)
        try expectEqual(page("<script type='text/javascript'>\(json)</script>").title, "")
    }

    @Test(arguments: [
        ("<link rel=canonical href='https://a.example/b'>", "https://a.example/b"),
        ("<link rel='x Canonical' href=' http://a.example/b '>", "http://a.example/b"),
        ("<meta property=og:url content='https://a.example/c'>", "https://a.example/c"),
        (
            "<meta property=og:url content='https://a.example/c'><link rel=canonical href=/b>",
            "https://a.example/c"
        ),
        ("<link rel=canonical href='/b'>", nil), ("<link rel=canonical href='//a.example/b'>", nil),
        ("<link rel=canonical href='ftp://a.example/b'>", nil),
        ("<link rel=canonical href='javascript:alert(1)'>", nil),
        ("<link rel=canonical href='https:a.example'>", nil),
        ("<link rel=canonical href='https://'>", nil),
        ("<link rel=canonical href='https://:80/'>", nil),
        ("<link rel=canonical href='https://user@a.example/'>", nil),
        ("<link rel=canonical href='https://a.example/b c'>", nil),
        ("<link rel=canonical>", nil), ("<link rel=alternate href='https://a.example/b'>", nil),
    ])
    func canonicalURLIsAbsoluteAndOfTheWeb(_ html: String, _ url: String?) throws {
        try expectEqual(page(html).canonicalURL, url)
    }

    @Test(arguments: [
        ("<meta property=article:published_time content=2026-01-02T03:04:05Z>", true),
        ("<meta name=date content='Fri, 02 Jan 2026 03:04:05 GMT'>", true),
        ("<meta itemprop=datePublished content=2026-01-02T03:04:05Z>", true),
        ("<time itemprop=datePublished datetime=2026-01-02T04:04:05+01:00>now</time>", true),
        ("<p><time datetime='2026-01-02 03:04:05'>x</time>", true),
        ("<time datetime=soon>x</time><time datetime=2026-01-02T03:04:05Z>y</time>", true),
        (
            "<time datetime=2020-01-01>x</time>"
                + "<meta property=article:published_time content=2026-01-02T03:04:05Z>", true
        ),
        ("<meta name=date content=yesterday>", false), ("<time>2026-01-02</time>", false),
    ])
    func publishedTimeIsInSeveralPlaces(_ html: String, _ isFound: Bool) throws {
        let published = try page(html).published?.iso8601Seconds
        expectEqual(published, (isFound ? "2026-01-02T03:04:05Z" : nil))
    }

    @Test(arguments: [
        ("<html lang='en-US'>", "en-us"), ("<html xml:lang=nb>", "nb"),
        ("<meta property=og:locale content=nb_NO>", "nb-no"),
        ("<html lang=de><meta property=og:locale content=en_US>", "de"),
        ("<html lang=''>", nil), ("<html lang='no language'>", nil), ("<p>x", nil),
    ])
    func languageIsATag(_ html: String, _ language: String?) throws {
        try expectEqual(page(html).language, language)
    }
}
