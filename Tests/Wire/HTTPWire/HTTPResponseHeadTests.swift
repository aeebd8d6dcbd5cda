import Expectations
import Wire

@Suite("Response head", .timeLimit(.minutes(10)))
struct HTTPResponseHeadTests {
    private func text(_ head: HTTPResponseHead) -> String {
        var bytes: [UInt8] = []
        head.append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func headIsWrittenAsItIsRead() {
        let head = HTTPResponseHead(status: 404, headers: ["Content-Length": "0", "A": "b"])
        expectEqual(text(head), "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nA: b\r\n\r\n")
        expectEqual(responses(text(head)).heads, [head])
    }

    @Test func writerAppendsBehindWhatIsThere() {
        var bytes = Array("x".utf8)
        HTTPResponseHead(status: 204).append(to: &bytes)
        expectEqual(String(decoding: bytes, as: UTF8.self), "xHTTP/1.1 204 No Content\r\n\r\n")
    }

    @Test(arguments: [
        (101, "Switching Protocols"), (200, "OK"), (413, "Content Too Large"),
        (426, "Upgrade Required"), (431, "Request Header Fields Too Large"),
        (505, "HTTP Version Not Supported"), (599, ""),
    ])
    func reasonIsTheRegisteredPhrase(_ status: Int, _ reason: String) {
        expectEqual(HTTPResponseHead(status: status).reason, reason)
    }

    @Test func writerSendsSpaceBeforeEmptyReason() {
        expectEqual(text(HTTPResponseHead(status: 599)), "HTTP/1.1 599 \r\n\r\n")
        expectEqual(text(HTTPResponseHead(status: 200, reason: "")), "HTTP/1.1 200 \r\n\r\n")
    }

    @Test func writerSendsNoLineEndInsideValueOrReason() {
        let head = HTTPResponseHead(
            status: 200,
            reason: "a\r\nb",
            headers: ["X": "1\r\nSet-Cookie: a\n\0\u{7F}b\tc"]
        )
        expectEqual(text(head), "HTTP/1.1 200 a  b\r\nX: 1  Set-Cookie: a   b\tc\r\n\r\n")
    }

    @Test func writerLeavesOutNameThatIsNoToken() {
        let head = HTTPResponseHead(status: 200, headers: ["X: y\r\nZ": "1", "": "2", "A": "3"])
        expectEqual(text(head), "HTTP/1.1 200 OK\r\nA: 3\r\n\r\n")
    }

    @Test func statusHasThreeDigits() async {
        await #expect(processExitsWith: .failure) { _ = HTTPResponseHead(status: 99) }
        await #expect(processExitsWith: .failure) { _ = HTTPResponseHead(status: 1000) }
    }
}
