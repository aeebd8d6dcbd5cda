import Expectations

@testable import NewsFeeds

@Suite("Feeds: HTML as plain text", .timeLimit(.minutes(10)))
struct HTMLTextTests {
    @Test(arguments: [
        ("plain", "plain"),
        ("", ""),
        ("  one \n\t two  ", "one two"),
        ("<p>one</p><p>two</p>", "one\ntwo"),
        ("one<br>two<br/><br />three", "one\ntwo\nthree"),
        ("<b>bo</b>ld and <i>slanted</i>", "bold and slanted"),
        ("a &amp; b &lt; c &eacute; &#8217; &#x41;", "a & b < c é ’ A"),
        ("a&nbsp;&nbsp;b \u{A0}c", "a b c"),
        ("&#169; \u{AB}x\u{BB}", "© «x»"),
        ("it&#146;s", "it’s"),
        ("<script>if (a < b) { c() }</script>text<style>p { }</style>", "text"),
        ("<!-- hidden -->shown", "shown"),
        ("<ul><li>one<li>two</ul>three", "one\ntwo\nthree"),
        ("<table><tr><td>1</td><td>2</td></tr><tr><td>3</td></tr></table>", "1 2\n3"),
        ("<html><head><title>t</title></head><body><h1>Head</h1>body</body></html>", "Head\nbody"),
        ("<p>not closed", "not closed"),
        ("AT&T, R & D, 1 < 2", "AT&T, R & D, 1 < 2"),
        ("<a href='http://a.example/?b=1&c=2'>link</a>", "link"),
        ("<svg><text>drawn</text></svg><p>æøå 🎬</p>", "æøå 🎬"),
        ("<unknown>kept</unknown>", "kept"),
        ("<iframe src=x>frame</iframe>after", "after"),
        ("nul\u{0}byte<br>", "nul byte"),
    ])
    func markupBecomesText(_ html: String, _ text: String) {
        expectEqual(HTMLText.plain(html), text)
    }

    @Test func textIsCutBetweenTwoCharacters() {
        expectEqual(HTMLText.plain("<p>æøå</p>", lengthMax: 3), "æ")
        expectEqual(HTMLText.plain("<p>æøå</p>", lengthMax: 6), "æøå")
        expectEqual(HTMLText.plain("abcdef", lengthMax: 5), "abcde")
        let long = String(repeating: "<p>word</p>", count: 100_000)
        expect(HTMLText.plain(long).utf8.count <= 128 << 10)
        expect(HTMLText.plain(long).hasPrefix("word\nword\n"))
    }

    @Test func deepNestingEndsTheText() {
        let html = "<p>before</p>" + String(repeating: "<div>", count: 30_000) + "deep"
        expectEqual(HTMLText.plain(html), "before")
        let shallow = String(repeating: "<div>", count: 200) + "deep"
        expectEqual(HTMLText.plain(shallow), "deep")
    }

    @Test func everyPrefixOfAPageGivesAText() {
        let page = Array("<p class=\"a\">x &amp; y<!-- c --><script>s</script><b>z".utf8)
        for count in 0...page.count {
            let text = HTMLText.plain(String(decoding: page.prefix(count), as: UTF8.self))
            expect(!text.contains("<p"), "\(count) bytes")
        }
    }

    @Test func feedTextIsMadePlainAsItsKindDemands() {
        expectEqual(FeedText("1 < 2 &amp; 3").plain, "1 < 2 &amp; 3")
        expectEqual(FeedText("1 &lt; 2 &amp; 3", isHTML: true).plain, "1 < 2 & 3")
        expectEqual(FeedText("one\n\n two  three").plain, "one\ntwo three")
        expectEqual(FeedText("<p>one</p><p>two</p>", isHTML: true).line, "one two")
        expectEqual(FeedText("one\ntwo").line, "one two")
    }

    @Test(arguments: [
        ("AT&amp;T", true), ("<b>bold</b>", true), ("a&#38;b", true), ("plain", false),
        ("1 < 2", false), ("<b>", false), ("the Array<T> of &lt;", false), ("&unknown;", false),
        ("<T>x</T>", false), ("R&D;", false), ("<br/>&amp;", true), ("", false),
    ])
    func textLooksLikeHTMLIfItEndsTagsOrRefersToCharacters(_ text: String, _ isHTML: Bool) {
        expectEqual(looksLikeHTML(text), isHTML)
    }
}
