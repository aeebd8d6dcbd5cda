import Expectations

@testable import Radar

@Suite("Texts of JSON sources", .timeLimit(.minutes(10)))
struct PlainTextTests {
    @Test(arguments: [
        ("<p>It pays off in the <b>second</b> year.</p>", "It pays off in the second year.\n"),
        ("a < b and c > d", "a < b and c > d"), ("a <b", "a <b"), ("<", "<"), ("", ""),
        ("one<br>two<br/>three", "one\ntwo\nthree"), ("<TITLE>x</Title>y", "y"),
        ("<script>if (a < b) { c() }</script>shown", "shown"), ("<style>p{}", "p{}"),
        ("<title>never ended", "never ended"), ("a</title>b<title>c", "abc"),
        ("<!-- a > b -->c", " b -->c"), ("&lt;p&gt; &amp; &#229;", "<p> & å"),
        ("é<b>é</b>é", "ééé"), ("<b\u{301}>x", "<b\u{301}>x"),
    ])
    func markupIsLeftOut(text: String, plain: String) {
        expectEqual(PlainText.of(text), plain)
    }

    @Test func tagOfMoreThanTwoThousandBytesIsText() {
        for count in [1996, 1997] {
            let tag = "<a " + String(repeating: "x", count: count) + ">"
            expectEqual(PlainText.of(tag + "b"), (count == 1996 ? "b" : tag + "b"))
        }
    }

    /// Texts of a megabyte whose brackets do not close.
    @Test(arguments: ["<a", "<title>", "</title><title>", "<script><style>", "&", "&amp"])
    func longTextIsRead(piece: String) {
        let text = String(repeating: piece, count: (1 << 20) / piece.utf8.count)
        expect(PlainText.of(text).utf8.count <= text.utf8.count)
    }
}
