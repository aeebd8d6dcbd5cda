import Expectations
import News

@Suite("The body of POST /v1/interpret", .timeLimit(.minutes(10)))
struct NewsInterpretRequestTests {
    private func request(_ json: String) throws(NewsError) -> NewsInterpretRequest {
        try NewsInterpretRequest(json: Array(json.utf8))
    }

    @Test func bodyHasATextOrAURL() throws {
        try expectEqual(
            request(#"{"textOrUrl":" Apple announces a product "}"#),
            .text(InterpretedText("Apple announces a product"))
        )
        try expectEqual(
            request(#"{"textOrUrl":"\thttps://example.com/a?b=c#d\n"}"#),
            .url("https://example.com/a?b=c#d")
        )
    }

    @Test(arguments: [
        "{}", #"{"textOrUrl":null}"#, #"{"textOrUrl":""}"#, #"{"textOrUrl":" \n "}"#,
        #"{"textOrUrl":"\u0000\u0001"}"#, #"{"textOrUrl":"\u200b"}"#,
    ])
    func emptyTextIsRefused(json: String) {
        #expect(throws: NewsError.interpretEmpty) { try request(json) }
    }

    @Test(arguments: ["[]", "", #"{"textOrUrl":5}"#, #"{"textOrUrl":["a"]}"#, #"{"textOrUrl""#])
    func otherBodiesAreRefused(json: String) {
        let error = #expect(throws: NewsError.self) { try request(json) }
        expectEqual(error?.status, 400)
        expect(error != .interpretEmpty)
    }

    @Test func textHasAtMost20000Characters() throws {
        let longest = String(repeating: "ä", count: 20_000)
        try expectEqual(NewsInterpretRequest(longest), .text(InterpretedText(longest)))
        try expectEqual(NewsInterpretRequest(" \(longest) "), .text(InterpretedText(longest)))
        #expect(throws: NewsError.interpretTooLong(length: 20_001, limit: 20_000)) {
            try NewsInterpretRequest(longest + "ä")
        }
    }

    @Test func controlCharactersBecomeSpaces() throws {
        try expectEqual(
            NewsInterpretRequest("a\u{0}b\u{c}c\u{85}d"),
            .text(InterpretedText("a b c d"))
        )
    }

    @Test(arguments: [
        "http://example.com", "HTTPS://EXAMPLE.com/", "https://[::1]/", "http://10.0.0.1:80/a",
        "https://example.com?x",
    ])
    func webURLIsAURL(text: String) throws {
        try expectEqual(NewsInterpretRequest(text), .url(text))
    }

    @Test(arguments: [
        "ftp://example.com/a", "file:///etc/passwd", "text://1234567890", "gopher://x", "http://",
        "https:///path", "https://:80/", "https://user@example.com/", "https://u:p@example.com/",
        "https://ex\\ample.com/", "https://exämple.com/", "a+b.c-1://x",
    ])
    func otherURLIsRefused(text: String) {
        let error = #expect(throws: NewsError.self) { try NewsInterpretRequest(text) }
        expectEqual(error?.error, "The URL cannot be interpreted")
        expectEqual(error?.status, 400)
    }

    @Test(arguments: [
        "see https://example.com", "https://example.com is down", "://x", "1a://x", "http:/x",
        "mailto:a@b.c", "AAPL: up", "ä://x",
    ])
    func everythingElseIsText(text: String) throws {
        try expectEqual(NewsInterpretRequest(text), .text(InterpretedText(text)))
    }

    @Test func urlHasAtMost2048Bytes() throws {
        let longest = "https://a/" + String(repeating: "x", count: 2038)
        try expectEqual(NewsInterpretRequest(longest), .url(longest))
        #expect(throws: NewsError.self) { try NewsInterpretRequest(longest + "x") }
    }

    @Test func idHasTheSecondAndADigestOfTheText() {
        let now = Timestamp(milliseconds: 1_767_348_000_999)
        let id = InterpretedText("test").id(now: now)
        expectEqual(id, "text://1767348000-9f86d081884c7d65")
        expect(InterpretedText("Test").id(now: now) != id)
    }

    @Test(arguments: [
        ("One sentence", "One sentence"),
        ("First. Second.", "First."),
        ("Up 3.5 percent. More", "Up 3.5 percent."),
        ("U.S. stocks fall. More", "U.S. stocks fall."),
        ("Apple Inc. beats. More", "Apple Inc. beats."),
        ("He said \"no.\" Then left", "He said \"no.\""),
        ("Why? Because", "Why?"),
        ("Yahoo! grows. More", "Yahoo!"),
        ("a\n b   c", "a b c"),
    ])
    func titleIsTheFirstSentence(text: String, title: String) {
        expectEqual(InterpretedText(text).title, title)
    }

    @Test func titleHasAtMost120CharactersAndIsCutAtAWord() {
        let word = String(repeating: "x", count: 39)
        let three = "\(word) \(word) \(word)y"
        expectEqual(InterpretedText(three).title, three)
        expectEqual(three.count, 120)
        expectEqual(InterpretedText(three + "z").title, "\(word) \(word)…")
        expectEqual(InterpretedText("\(three) more").title, "\(word) \(word)…")
        let long = String(repeating: "x", count: 500)
        expectEqual(InterpretedText(long).title, String(repeating: "x", count: 119) + "…")
    }
}
