import Expectations
import Upstream

@Suite("RFC 9110 §8.4 Content-Encoding", .timeLimit(.minutes(10)))
struct ContentCodingTests {
    @Test(
        arguments: [
            ([], nil), ([""], nil), ([" , \t,"], nil), (["identity"], nil),
            (["Identity", ""], nil),
            (["identity, identity"], nil), (["gzip"], .gzip), (["GZip"], .gzip),
            (["x-gzip"], .gzip),
            (["X-GZIP"], .gzip), (["deflate"], .deflate), (["DEFLATE"], .deflate),
            ([" \tgzip\t "], .gzip), ([",gzip,"], .gzip), (["gzip, identity"], .gzip),
            (["identity", "deflate"], .deflate), (["", "gzip"], .gzip),
        ] as [([String], ContentCoding?)]
    )
    func codingIsFound(_ fields: [String], _ expected: ContentCoding?) throws {
        try expectEqual(ContentCoding.of(fields: fields), expected)
    }

    @Test(
        arguments: [
            (["br"], .unknownCoding("br")), (["zstd"], .unknownCoding("zstd")),
            (["x-deflate"], .unknownCoding("x-deflate")),
            (["compress"], .unknownCoding("compress")),
            (["gzip;q=1"], .unknownCoding("gzip;q=1")), (["g zip"], .unknownCoding("g zip")),
            (["gzip\u{0B}"], .unknownCoding("gzip\u{0B}")),
            (["\"gzip\""], .unknownCoding("\"gzip\"")),
            (["BR"], .unknownCoding("br")), (["gzip, gzip"], .severalCodings),
            (["gzip", "gzip"], .severalCodings), (["gzip", "deflate"], .severalCodings),
            (["gzip, br"], .severalCodings), (["br, gzip"], .unknownCoding("br")),
            (["gzip, identity, x-gzip"], .severalCodings),
        ] as [([String], ContentCodingError)]
    )
    func whatCannotBeRemovedIsRefused(_ fields: [String], _ expected: ContentCodingError) {
        #expect(throws: expected) { try ContentCoding.of(fields: fields) }
    }

    @Test func errorIsOneShortLine() {
        expectEqual(
            "\(ContentCodingError.unknownCoding("br"))",
            "content coding unknown: br, expected gzip or deflate"
        )
        let hostile = ContentCodingError.unknownCoding("a\r\nb c\u{7F}ø")
        expectEqual("\(hostile)", "content coding unknown: a??b?c??, expected gzip or deflate")
        let long = ContentCodingError.unknownCoding(String(repeating: "a", count: 41))
        let expected = String(repeating: "a", count: 40) + "…,"
        expect("\(long)".contains(" " + expected))
        let longest = ContentCodingError.unknownCoding(String(repeating: "a", count: 40))
        expect("\(longest)".contains("aa, "))
        expect("\(ContentCodingError.severalCodings)".contains("at most one"))
    }
}
