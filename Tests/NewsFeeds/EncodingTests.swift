import Expectations

@testable import NewsFeeds

@Suite("Feeds: encodings", .timeLimit(.minutes(10)))
struct EncodingTests {
    private func utf16(_ text: String, isBigEndian: Bool) -> [UInt8] {
        text.utf16.flatMap {
            isBigEndian ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)]
        }
    }

    private func feed(_ title: [UInt8], declared: String? = nil) -> [UInt8] {
        let declaration = declared.map { "<?xml version=\"1.0\" encoding=\"\($0)\"?>" } ?? ""
        return Array((declaration + "<rss><channel><title>").utf8) + title
            + Array("</title></channel></rss>".utf8)
    }

    @Test(arguments: ["utf-16le", "utf-8", "utf-16", "iso-8859-1"])
    func utf16IsKnownByItsMarkWhateverIsDeclared(_ declared: String) throws {
        let text =
            "<?xml version='1.0' encoding='\(declared)'?><rss><channel><title>æ🎬</title></channel></rss>"
        for isBigEndian in [true, false] {
            let bytes = utf16("\u{FEFF}" + text, isBigEndian: isBigEndian)
            let document = try FeedReader().read(bytes, charset: "iso-8859-1")
            expectEqual(document.title, "æ🎬")
            expect(!document.isDamaged)
            let unmarked = try FeedReader().read(utf16(text, isBigEndian: isBigEndian))
            expectEqual(unmarked.title, "æ🎬")
        }
    }

    @Test func utf8WithAMarkIsUTF8() throws {
        let bytes = [0xEF, 0xBB, 0xBF] + feed(Array("æ".utf8), declared: "iso-8859-1")
        try expectEqual(FeedReader().read(bytes, charset: "windows-1252").title, "æ")
    }

    @Test func latinTextIsWindows1252() throws {
        let title: [UInt8] = [0xE6, 0x93, 0x94, 0x80]
        for label in ["iso-8859-1", "ISO-8859-1", "windows-1252", "cp1252", "latin1"] {
            let document = try FeedReader().read(feed(title, declared: label))
            expectEqual(document.title, "æ“”€", "\(label)")
            expect(!document.isDamaged)
            try expectEqual(
                FeedReader().read(feed(title), charset: label).title,
                "æ“”€",
                "\(label)"
            )
        }
    }

    @Test(
        arguments: [
            ("iso-8859-2", [0xB1], "ą"), ("ISO-8859-15", [0xA4], "€"), ("koi8-r", [0xC1], "а"),
            ("windows-1251", [0xE0], "а"), ("shift_jis", [0x93, 0xFA], "日"),
            ("gb2312", [0xC4, 0xE3], "你"),
            ("euc-kr", [0xB0, 0xA1], "가"), ("iso-8859-9", [0xFD], "ı"),
        ] as [(String, [UInt8], String)]
    )
    func otherEncodingsAreConverted(_ label: String, _ bytes: [UInt8], _ title: String) throws {
        try expectEqual(FeedReader().read(feed(bytes, declared: label)).title, title)
        try expectEqual(FeedReader().read(feed(bytes), charset: label).title, title)
    }

    @Test func charsetOfTheTransportIsBeforeTheDeclaration() throws {
        let bytes = feed([0xE6], declared: "iso-8859-2")
        try expectEqual(FeedReader().read(bytes).title, "ć")
        try expectEqual(FeedReader().read(bytes, charset: "iso-8859-1").title, "æ")
        let header = "text/xml; charset=\"ISO-8859-1\""
        try expectEqual(FeedReader().read(bytes, contentType: header).title, "æ")
        try expectEqual(FeedReader().read(bytes, contentType: "text/xml").title, "ć")
        // Bytes that are not in the charset of the transport.
        try expectEqual(FeedReader().read(bytes, charset: "utf-8").title, "ć")
        try expectEqual(FeedReader().read(bytes, charset: "no-such").title, "ć")
        let utf8 = feed(Array("æ".utf8), declared: "utf-8")
        try expectEqual(FeedReader().read(utf8, charset: "us-ascii").title, "æ")
    }

    @Test func bytesThatAreNotUTF8AreDamage() throws {
        let latin = try FeedReader().read(feed([0xE6, 0x20, 0x92]))
        expectEqual(latin.title, "æ ’")
        expect(latin.isDamaged)
        let broken = try FeedReader().read(feed(Array("æ ".utf8) + [0xFF], declared: "utf-8"))
        expectEqual(broken.title, "æ \u{FFFD}")
        expect(broken.isDamaged)
        let odd = try FeedReader().read([0xFE, 0xFF] + utf16("<rss/>", isBigEndian: true) + [0])
        expect(odd.isDamaged)
    }

    @Test func controlsThatMeanWindowsCharactersAreReplaced() throws {
        let document = try FeedReader().read(feed(Array("it&#146;s &#133; \u{92}".utf8)))
        expectEqual(document.title, "it’s … ’")
    }

    @Test(arguments: [
        ("text/xml; charset=utf-8", "utf-8"), ("text/xml;charset=\"utf-8\"; x=y", "utf-8"),
        ("a/b; X=1; Charset='latin1'", "latin1"), ("text/xml", nil), ("text/xml; charset=", nil),
        ("charset=utf-8", nil), ("", nil),
    ])
    func charsetIsAParameterOfTheContentType(_ header: String, _ charset: String?) {
        expectEqual(FeedReader.charset(ofContentType: header), charset)
    }
}
