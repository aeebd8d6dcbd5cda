import Expectations
import Wire

@Suite("RFC 9112 §2 message format", .timeLimit(.minutes(10)))
struct MessageParsingTests {
    @Test func serverReadsHeadAndEndOfRequestWithoutContent() {
        let reading = requests("GET /where HTTP/1.1\r\nHost: example.org\r\n\r\n")
        let head = HTTPRequestHead(target: "/where", headers: ["Host": "example.org"])
        expectEqual(reading.messages, [Message(head: head, content: [], isWhole: true)])
        expectNil(reading.error)
        expect(reading.isIdle)
    }

    @Test func serverReadsPipelinedRequestsInOrder() {
        let reading = requests(
            "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nonePOST /b HTTP/1.1\r\n"
                + "Host: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ntwo\r\n0\r\n\r\n"
                + "GET /c HTTP/1.1\r\nHost: h\r\n\r\n"
        )
        expectEqual(reading.heads.map(\.path), ["/a", "/b", "/c"])
        expectEqual(reading.texts, ["one", "two", ""])
        expect(reading.areWhole)
        expect(reading.isIdle)
    }

    @Test func serverLeavesBytesBehindTheRequestWhenCallerStops() throws {
        let input = Array("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: x\r\n\r\n\u{1}\u{2}".utf8)
        var parser = HTTPRequestParser()
        var consumed = 0
        let first = try parser.next(input.span, consumed: &consumed)
        guard case .head = first else {
            Issue.record("the head comes first, not \(String(describing: first))")
            return
        }
        try expectEqual(parser.next(input.span, consumed: &consumed), .end)
        expectEqual(Array(input[consumed...]), [1, 2])
    }

    @Test func serverIgnoresOneEmptyLineBeforeEachRequest() {
        let request = "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"
        let reading = requests(request + request)
        expectEqual(reading.messages.count, 2)
        expectNil(reading.error)
    }

    @Test func serverRefusesSecondEmptyLineBeforeRequest() {
        let reading = requests("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n")
        expectEqual(reading.error, .emptyLines)
        expect(reading.messages.isEmpty)
    }

    @Test func clientRefusesEmptyLineBeforeResponse() {
        expectEqual(responses("\r\nHTTP/1.1 204 \r\n\r\n").error, .statusLineMalformed)
    }

    @Test(arguments: [
        ("", true), ("\r", false), ("\r\n", true), ("\r\nP", false), ("POST / HTTP/1.1\r\n", false),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n", false),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx", true),
    ])
    func serverIsIdleOnlyBetweenRequests(_ text: String, _ isIdle: Bool) {
        expectEqual(requests(text).isIdle, isIdle)
    }

    @Test(arguments: HTTPRole.allCases) func readerRefusesBareLineFeedInFields(_ role: HTTPRole) {
        expectEqual(role.read(fields: "X: 1\n").error, .bareLineFeed)
        expectEqual(role.read(fields: "X: 1\nY: 2\r\n").error, .bareLineFeed)
    }

    @Test(arguments: HTTPRole.allCases) func readerRefusesBareCarriageReturnInFields(
        _ role: HTTPRole
    ) {
        expectEqual(role.read(fields: "X: 1\r2\r\n").error, .bareCarriageReturn)
        expectEqual(role.read(fields: "X: 1\r\r\n").error, .bareCarriageReturn)
        expectEqual(role.read(fields: "\rX: 1\r\n").error, .bareCarriageReturn)
    }

    @Test func serverRefusesBareLineEndsInRequestLine() {
        expectEqual(requests("GET / HTTP/1.1\nHost: a\n\n").error, .message(.bareLineFeed))
        expectEqual(requests("\nGET / HTTP/1.1\r\n").error, .message(.bareLineFeed))
        expectEqual(requests("GET /\r HTTP/1.1\r\n").error, .message(.bareCarriageReturn))
        expectEqual(requests("\rGET / HTTP/1.1\r\n").error, .message(.bareCarriageReturn))
    }

    @Test func clientRefusesBareLineEndsInStatusLine() {
        expectEqual(responses("HTTP/1.1 200 OK\n\n").error, .message(.bareLineFeed))
        expectEqual(responses("HTTP/1.1 200 O\rK\r\n").error, .message(.bareCarriageReturn))
    }

    @Test(arguments: HTTPRole.allCases) func readerRefusesEveryControlCharacter(_ role: HTTPRole) {
        for byte in Array(UInt8.min..<0x20) + [0x7F] where ![0x09, 0x0A, 0x0D].contains(byte) {
            let reading = role.read(fields: "X: a\(Unicode.Scalar(byte))b\r\n")
            expectEqual(reading.error, .controlCharacter(byte))
        }
    }

    @Test func serverRefusesTLSHandshakeAtItsFirstByte() {
        let clientHello: [UInt8] = [0x16, 0x03, 0x01, 0x02, 0x00]
        expectEqual(requests(clientHello).error, .message(.controlCharacter(0x16)))
    }

    @Test func serverTakesNothingMoreAfterAnError() {
        let reading = requests("GET  / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n")
        expectEqual(reading.error, .requestLineMalformed)
        expect(reading.messages.isEmpty)
        expect(!reading.isIdle)
    }

    @Test func serverWaitsForTheRestOfEveryTruncatedRequest() {
        let whole = Array(
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;x\r\nz\r\n0\r\nT: 1\r\n\r\n"
                .utf8
        )
        for length in whole.indices {
            let reading = requests(in: [Array(whole[..<length])])
            expectNil(reading.error)
            expect(reading.messages.allSatisfy { !$0.isWhole }, "\(length) bytes are not all")
            expectEqual(reading.isIdle, (length == 0))
        }
    }
}
