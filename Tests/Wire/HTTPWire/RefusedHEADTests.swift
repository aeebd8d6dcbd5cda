import Expectations
import Wire

/// Whoever refuses a request that cannot be read has to know whether its answer may have content.
@Suite("RFC 9110 §9.3.2 refused HEAD", .timeLimit(.minutes(10)))
struct RefusedHEADTests {
    @Test(arguments: [
        "HEAD / HTTP/1.1\r\n\r\n", "HEAD / HTTP/2.0\r\nHost: h\r\n\r\n",
        "HEAD / HTTP/1.1\r\nHost: h\r\nContent-Length: 2000000\r\n\r\n",
        "HEAD / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        "\r\nHEAD / HTTP/1.1\r\na b: c\r\n\r\n", "HEAD /\n", "HEAD a b c\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\n\r\nHEAD / HTTP/1.1\r\n\r\n",
        "HEAD /\(String(repeating: "a", count: 9000)) HTTP/1.1\r\n\r\n",
    ])
    func serverKnowsWhenItRefusesHEAD(_ text: String) throws {
        try expect(refused(text, pieceLength: text.utf8.count))
        try expect(refused(text, pieceLength: 1))
        try expect(refused(text, pieceLength: 3))
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\n\r\n", "HEADER / HTTP/1.1\r\n\r\n", "head / HTTP/1.1\r\n\r\n",
        "HEAD\r\n\r\n", "\r\n\r\nHEAD / HTTP/1.1\r\n\r\n", "HE\n",
        "HEAD / HTTP/1.1\r\nHost: h\r\n\r\nGET / HTTP/1.1\r\n\r\n",
    ])
    func serverTakesNothingElseForHEAD(_ text: String) throws {
        try expect(!refused(text, pieceLength: text.utf8.count))
        try expect(!refused(text, pieceLength: 1))
        try expect(!refused(text, pieceLength: 3))
    }

    @Test func serverKnowsOfAHEADThatDoesNotEnd() throws {
        var parser = HTTPRequestParser()
        for byte in Array("HEAD / HT".utf8) {
            var consumed = 0
            let event = try parser.next([byte].span, consumed: &consumed)
            expectNil(event)
        }
        let asksForHEAD = parser.asksForHEAD
        expect(asksForHEAD)
    }

    /// Reads `text` in pieces up to the error that is in it; returns what the parser then says.
    private func refused(_ text: String, pieceLength: Int) throws -> Bool {
        let bytes = Array(text.utf8)
        var parser = HTTPRequestParser()
        for start in stride(from: 0, to: bytes.count, by: pieceLength) {
            let piece = Array(bytes[start..<min(start + pieceLength, bytes.count)])
            var consumed = 0
            do throws(HTTPRequestError) {
                while try parser.next(piece.span, consumed: &consumed) != nil {}
            } catch {
                return parser.asksForHEAD
            }
        }
        throw NotRefused()
    }

    private struct NotRefused: Error {}
}
