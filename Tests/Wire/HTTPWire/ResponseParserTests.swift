import Expectations
import Wire

@Suite("RFC 9112 §4 status line", .timeLimit(.minutes(10)))
struct StatusLineTests {
    @Test func clientReadsStatusReasonAndVersion() {
        let reading = responses("HTTP/1.0 404 Not Here\r\nContent-Length: 0\r\n\r\n")
        let head = HTTPResponseHead(
            status: 404,
            reason: "Not Here",
            version: .http10,
            headers: ["Content-Length": "0"]
        )
        expectEqual(reading.messages, [Message(head: head, content: [], isWhole: true)])
    }

    @Test(arguments: ["", " "]) func clientTakesEmptyReason(_ space: String) {
        expectEqual(responses("HTTP/1.1 204\(space)\r\n\r\n").heads.map(\.reason), [""])
    }

    @Test func clientReadsHigherMinorVersionAsOneDotOne() {
        expectEqual(responses("HTTP/1.7 204 \r\n\r\n").heads.map(\.version), [.http11])
    }

    @Test(arguments: [
        "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 20", "HTTP/1.1 2000 OK", "HTTP/1.1 099 OK",
        "HTTP/1.1 2x0 OK", "HTTP/1.1  200 OK", "HTTP/1.1 200OK", "HTTP/1.1\t200 OK",
        "http/1.1 200 OK",
        "200 OK", "HTTP/1.1 -20 OK", "ICY 200 OK", " HTTP/1.1 200 OK", "HTTP/11 200 OK",
    ])
    func clientRefusesOtherLines(_ line: String) {
        expectEqual(responses(line + "\r\n\r\n").error, .statusLineMalformed)
    }

    @Test func clientRefusesOtherMajorVersion() {
        let reading = responses("HTTP/2.0 200 OK\r\n\r\n")
        expectEqual(reading.error, .versionUnsupported(major: 2, minor: 0))
    }

    @Test func clientTakesStatusWithoutRegistration() {
        expectEqual(
            responses("HTTP/1.1 999 \r\nContent-Length: 0\r\n\r\n").heads.map(\.status),
            [999]
        )
    }
}

@Suite("RFC 9112 §6.3 length of a response", .timeLimit(.minutes(10)))
struct ResponseLengthTests {
    @Test func clientTakesNoContentInAnswerToHead() {
        let reading = responses(
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
            to: ["HEAD", "GET"]
        )
        expectEqual(reading.texts, ["", "hi"])
        expect(reading.areWhole)
        expect(reading.isIdle)
    }

    @Test(arguments: [204, 304]) func clientTakesNoContentWithStatus(_ status: Int) {
        let reading = responses(
            "HTTP/1.1 \(status) \r\nContent-Length: 5\r\n\r\nHTTP/1.1 204 \r\n\r\n",
            to: ["GET", "GET"]
        )
        expectEqual(reading.heads.map(\.status), [status, 204])
        expectEqual(reading.texts, ["", ""])
        expect(reading.areWhole)
    }

    @Test func clientReadsContentUntilEndOfStreamWithoutFraming() {
        let text = "HTTP/1.1 200 OK\r\n\r\nall of it"
        let open = responses(text)
        expectEqual(open.texts, ["all of it"])
        expect(!open.areWhole)
        let ended = responses(text, endsStream: true)
        expectEqual(ended.texts, ["all of it"])
        expect(ended.areWhole)
        expect(ended.isIdle)
    }

    @Test func clientLimitsContentUntilEndOfStream() {
        let limits = HTTPLimits(bodyBytesMax: 3)
        let head = "HTTP/1.1 200 OK\r\n\r\n"
        expect(responses(head + "abc", endsStream: true, limits: limits).areWhole)
        let over = responses(head + "abcd", limits: limits)
        expectEqual(over.error, .message(.contentTooLong(length: 4, max: 3)))
        expectEqual(over.texts, ["abc"])
    }

    @Test func clientTakesContentWithoutLimit() {
        let limits = HTTPLimits(bodyBytesMax: .max)
        expect(responses("HTTP/1.1 200 OK\r\n\r\nabc", endsStream: true, limits: limits).areWhole)
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n"
        expectEqual(responses(chunked + "7ffffffffffffffe\r\ny", limits: limits).texts, ["xy"])
        expectEqual(
            responses(chunked + "7fffffffffffffff\r\ny", limits: limits).error,
            .message(.contentTooLong(length: .max, max: .max))
        )
    }

    @Test(arguments: [
        "", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nh",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", "HTTP/1.1 100 \r\n\r\n",
    ])
    func clientTellsStreamThatEndsEarly(_ text: String) {
        expectEqual(responses(text, endsStream: true).error, .streamEndedEarly)
    }

    @Test func clientTakesEndOfStreamBetweenResponses() {
        let reading = responses("HTTP/1.1 204 \r\n\r\n", endsStream: true)
        expectNil(reading.error)
        expect(reading.isIdle)
    }

    @Test func endOfStreamEndsWholeResponseWhoseEndWasNotAskedFor() throws {
        let input = Array("HTTP/1.1 204 \r\n\r\n".utf8)
        var parser = HTTPResponseParser()
        parser.expectResponse(to: "GET")
        var consumed = 0
        try expect(parser.next(input.span, consumed: &consumed) != nil)
        try expectEqual(parser.endOfStream(), .end)
        try expectNil(parser.endOfStream())
    }

    @Test func clientRefusesResponseThatNothingAskedFor() {
        let response = "HTTP/1.1 204 \r\n\r\n"
        expectEqual(responses(response, to: []).error, .responseUnexpected)
        let second = responses(response + response, to: ["GET"])
        expectEqual(second.error, .responseUnexpected)
        expectEqual(second.messages.count, 1)
        expect(second.areWhole)
    }

    @Test func failedParserTellsItsErrorAgain() {
        var parser = HTTPResponseParser()
        for _ in 1...2 {
            #expect(throws: HTTPResponseParserError.responseUnexpected) {
                var consumed = 0
                _ = try parser.next([0x48 as UInt8].span, consumed: &consumed)
            }
        }
        #expect(throws: HTTPResponseParserError.responseUnexpected) {
            _ = try parser.endOfStream()
        }
    }

    @Test func methodMayNotBeToldWhileResponseIsExpected() async {
        await #expect(processExitsWith: .failure) {
            var parser = HTTPResponseParser()
            parser.expectResponse(to: "GET")
            parser.expectResponse(to: "GET")
        }
    }
}

@Suite("RFC 9110 §15.2 informational responses", .timeLimit(.minutes(10)))
struct InformationalResponseTests {
    @Test func clientTellsInformationalResponsesBeforeTheFinalOne() {
        let reading = responses(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
        )
        expectEqual(reading.informational, [100, 103])
        expectEqual(reading.texts, ["hi"])
        expect(reading.areWhole)
    }

    @Test func clientLimitsInformationalResponses() {
        let limits = HTTPLimits(informationalResponseCountMax: 2)
        let one = "HTTP/1.1 100 \r\n\r\n"
        expect(responses(one + one + "HTTP/1.1 204 \r\n\r\n", limits: limits).areWhole)
        expectEqual(
            responses(one + one + one, limits: limits).error,
            .tooManyInformationalResponses(max: 2)
        )
    }

    @Test func informationalResponseToHeadLeavesItHead() {
        let reading = responses(
            "HTTP/1.1 100 \r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n",
            to: ["HEAD"]
        )
        expect(reading.areWhole)
        expect(reading.isIdle)
    }

    @Test func clientLeavesBytesBehindSwitchingProtocols() {
        let reading = responses(
            "HTTP/1.1 101 Switching Protocols\r\nContent-Length: 9\r\n\r\n\u{1}HTTP/1.1"
        )
        expectEqual(reading.heads.map(\.status), [101])
        expect(reading.areWhole)
        expectEqual(reading.rest, Array("\u{1}HTTP/1.1".utf8))
        expect(!reading.isIdle)
    }

    @Test func clientLeavesBytesBehindConnectedTunnel() {
        let reading = responses(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nraw",
            to: ["CONNECT"]
        )
        expect(reading.areWhole)
        expectEqual(reading.rest, Array("raw".utf8))
    }

    @Test func clientReadsRefusedConnectAsAnyResponse() {
        let reading = responses(
            "HTTP/1.1 407 \r\nContent-Length: 2\r\n\r\nno",
            to: ["CONNECT"]
        )
        expectEqual(reading.texts, ["no"])
        expect(reading.areWhole)
        expect(reading.isIdle)
    }

    @Test func endOfStreamEndsSwitchWhoseEndWasNotAskedFor() throws {
        let input = Array("HTTP/1.1 101 \r\n\r\n".utf8)
        var parser = HTTPResponseParser()
        parser.expectResponse(to: "GET")
        var consumed = 0
        try expect(parser.next(input.span, consumed: &consumed) != nil)
        try expectEqual(parser.endOfStream(), .end)
        try expectNil(parser.endOfStream())
    }

    @Test func streamMayEndAfterSwitchingProtocols() {
        let reading = responses("HTTP/1.1 101 \r\n\r\n", endsStream: true)
        expectNil(reading.error)
        expect(reading.areWhole)
    }
}
