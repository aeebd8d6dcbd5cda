import Expectations

@testable import NewsFeeds

@Suite("Web pages: encodings, media types and limits", .timeLimit(.minutes(10)))
struct WebPageBoundsTests {
    private let sentence = "A sentence of the article, with a comma, that is long enough."

    private func page(
        _ html: String,
        _ limits: WebPageLimits = WebPageLimits()
    ) throws -> WebPage {
        try WebPageReader(limits: limits).read(Array(html.utf8), contentType: "text/html")
    }

    // MARK: Encodings

    private func title(_ bytes: [UInt8], meta: String? = nil, charset: String? = nil) throws
        -> String
    {
        let head = meta.map { "<meta charset=\"\($0)\">" } ?? ""
        let html = Array("\(head)<title>".utf8) + bytes + Array("</title>".utf8)
        let type = charset.map { "text/html; charset=\($0)" } ?? "text/html"
        return try WebPageReader().read(html, contentType: type).title
    }

    @Test func charsetIsOfTheHeaderElseOfTheMetaElement() throws {
        let latin: [UInt8] = [0xE6]
        try expectEqual(title(latin, meta: "iso-8859-2"), "ć")
        try expectEqual(title(latin, meta: "iso-8859-2", charset: "iso-8859-1"), "æ")
        try expectEqual(title(latin, charset: "iso-8859-2"), "ć")
        try expectEqual(title(latin), "æ")
        try expectEqual(title(Array("æ".utf8)), "æ")
        try expectEqual(title(Array("æ".utf8), meta: "utf-16"), "æ")
        // The header is wrong.
        try expectEqual(title(latin, meta: "iso-8859-2", charset: "utf-8"), "ć")
        try expectEqual(title(latin, meta: "no-such", charset: "utf-8"), "æ")
    }

    @Test func byteOrderMarkIsBeforeTheHeader() throws {
        let html = Array("\u{FEFF}<meta charset=iso-8859-1><title>æ</title>".utf8)
        let page = try WebPageReader().read(html, contentType: "text/html; charset=iso-8859-1")
        expectEqual(page.title, "æ")
        let wide = "\u{FEFF}<title>æ</title>".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        try expectEqual(WebPageReader().read(wide, contentType: "text/html").title, "æ")
    }

    @Test(arguments: [
        ("<meta charset=latin1>", "latin1"), ("<META CHARSET = 'Latin1' >", "latin1"),
        ("<meta http-equiv=x content=\"text/html; charset=koi8-r\">", "koi8-r"),
        ("<!-- <meta charset=a> --><meta charset=b>", "b"), ("<meta charset=utf-16le>", "utf-8"),
        ("<meta name=charset content=x><meta charset=b>", "b"), ("<!-- <meta charset=a>", nil),
        ("<meta charset=", nil), ("<meta charset>", nil), ("<metal charset=a>", nil), ("", nil),
    ])
    func charsetIsDeclaredInAMetaElement(_ html: String, _ charset: String?) {
        expectEqual(WebPageCharset.declared(in: Array(html.utf8)), charset)
    }

    // MARK: Media types

    @Test(arguments: [
        "text/html", "Text/HTML; charset=utf-8", "application/xhtml+xml", " text/html ;x", nil,
    ])
    func mediaTypeOfAPageIsTaken(_ type: String?) throws {
        let page = try WebPageReader().read(Array("<title>A</title>".utf8), contentType: type)
        expectEqual(page.title, "A")
    }

    @Test(arguments: [
        ("application/rss+xml; charset=utf-8", "application/rss+xml"),
        ("application/json", "application/json"), ("image/png", "image/png"), ("", "no media type"),
        ("text/htmlx", "text/htmlx"), ("a\u{1}\nb", "ab"),
    ])
    func otherMediaTypeIsRefused(_ type: String, _ found: String) {
        let error = #expect(throws: WebPageError.self) {
            try WebPageReader().read(Array("<title>A</title>".utf8), contentType: type)
        }
        expectEqual(error?.description, "found \(found), expected text/html")
    }

    @Test(arguments: [
        ("<?xml version='1.0'?>\n<rss version='2.0'><channel/></rss>", "a feed"),
        ("<!-- c --> <feed xmlns='http://www.w3.org/2005/Atom'/>", "a feed"),
        ("<rdf:RDF xmlns='x'/>", "a feed"), (" {\"version\":1}", "JSON"),
    ])
    func feedThatIsSentAsHTMLIsRefused(_ text: String, _ found: String) {
        let error = #expect(throws: WebPageError.self) { try page(text) }
        expectEqual(error, .notHTML(found: found))
        #expect(throws: WebPageError.notHTML(found: found)) {
            try WebPageReader().read(Array(text.utf8), contentType: nil)
        }
    }

    @Test func longMediaTypeIsCutInTheError() {
        let type = String(repeating: "x", count: 5000)
        let error = #expect(throws: WebPageError.self) {
            try WebPageReader().read([], contentType: type)
        }
        expectEqual(error, .notHTML(found: String(repeating: "x", count: 60)))
    }

    // MARK: Limits

    @Test func emptyDocumentIsAnEmptyPage() throws {
        for html in ["", " ", "<", "</", "\u{0}", "<!--", "<!doctype html>"] {
            try expectEqual(page(html), WebPage(), "\(html)")
        }
    }

    @Test func textsAreCutBetweenTwoCharacters() throws {
        let html = "<title>æøå</title><p>\(String(repeating: "æ", count: 100))."
        let limits = WebPageLimits(textLengthMax: 31, lineLengthMax: 3)
        let page = try page(html, limits)
        expectEqual(page.title, "æ")
        expectEqual(page.text, String(repeating: "æ", count: 15))
    }

    @Test func bytesBehindTheLimitAreIgnored() throws {
        let html = "<p>\(sentence)</p><p>\(sentence)</p>"
        let limit = 3 + sentence.utf8.count + 4
        try expectEqual(page(html, WebPageLimits(lengthMax: limit)).text, sentence)
        try expectEqual(page(html).text, sentence + "\n" + sentence)
    }

    @Test func longURLIsLeftOut() throws {
        let html = "<link rel=canonical href='https://a.example/b'>"
        try expect(page(html, WebPageLimits(urlLengthMax: 19)).canonicalURL != nil)
        try expectNil(page(html, WebPageLimits(urlLengthMax: 18)).canonicalURL)
    }

    @Test func deepNestingEndsThePage() throws {
        let deep = String(repeating: "<div>", count: 30_000)
        try expectEqual(page("<p>\(sentence)</p>\(deep)<p>\(sentence)").text, sentence)
        let shallow = String(repeating: "<div>", count: 200)
        try expectEqual(page("\(shallow)<p>\(sentence)").text, sentence)
    }

    @Test func blocksBehindTheLimitAreIgnored() throws {
        let html = String(repeating: "<div><p>\(sentence)</p></div>", count: 5)
        let text = try page(html, WebPageLimits(blockCountMax: 3)).text
        expectEqual(text, [sentence, sentence, sentence].joined(separator: "\n"))
        let many = String(
            repeating: "<div><p>Many, many words, in one short text.</p></div>",
            count: 18_000
        )
        try expect(page(many).text.utf8.count <= 128 << 10)
    }

    @Test func linkedDataBehindItsLimitsIsIgnored() throws {
        func script(_ json: String) -> String {
            "<script type='application/ld+json'>\(json)</script>"
        }
        let other = script("{\"name\":\"x\"}")
        let named = script("{\"headline\":\"A\"}")
        try expectEqual(page(String(repeating: other, count: 7) + named).title, "A")
        try expectEqual(page(String(repeating: other, count: 8) + named).title, "")
        let long = String(repeating: " ", count: WebPageLimits.linkedDataLengthMax)
        try expectEqual(page(script("{\"headline\":\"A\"}\(long)")).title, "")
    }

    // MARK: Attributes

    private func limited(_ html: String, _ countMax: Int) -> String {
        var bytes = Array(html.utf8)
        limitHTMLAttributes(of: &bytes, countMax: countMax)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(arguments: [
        ("<a b c d>", "<a b c /> x"), ("<a b=1 c='2' d=\"3\">", "<a b=1 c='2' /=\"3\"> x"),
        ("<a b='x y z' c>", "<a b='x y z' c> x"), ("<a b c><a d e>", "<a b c><a d e> x"),
        ("<a b=1\nc = 2\td=3>", "<a b=1\nc = 2\t/=3> x"),
        ("<a b=\"\"c=''d e>", "<a b=\"\"c=''/ /> x"),
        ("text, many words", "text, many words x"), ("1 < 2 and b c d e", "1 < 2 and b c d e x"),
        ("</a b c d e>", "</a b c d e> x"), ("<a b=c/d e f>", "<a b=c/d e /> x"),
        ("<a b=='c d e>", "<a b=='c d /> x"), ("<a b/c d e>", "<a b/c d /> x"),
        ("<a b='<b c d e'>", "<a b='<b c d /'> x"),
    ])
    func attributesBehindTheLimitLoseTheirNames(_ html: String, _ result: String) {
        expectEqual(limited(html + " x", 2), result)
    }

    @Test func elementWithAHundredThousandAttributesIsRead() throws {
        let names = (0..<100_000).map { "a\($0)" }.joined(separator: " ")
        let html = "<p \(names)>\(sentence)</p>"
        try expectEqual(page(html).text, sentence)
        let quoted = "<p \" x=\"\(names)\" y='> \(names)>\(sentence)</p>"
        _ = try page(quoted)
    }
}
