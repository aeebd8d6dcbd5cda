import Expectations
import Wire

@Suite("Limits of a head", .timeLimit(.minutes(10)))
struct LimitTests {
    private let limits = HTTPLimits(
        startLineLengthMax: 20,
        headBytesMax: 60,
        headerCountMax: 3,
        trailerBytesMax: 10
    )

    @Test func serverTakesRequestLineOfTheLimitAndNoLonger() {
        let most = "GET /678901 HTTP/1.1"
        expectEqual(most.utf8.count, 20)
        expectEqual(requests(most + "\r\nHost: a\r\n\r\n", limits: limits).messages.count, 1)
        let over = requests("GET /6789012 HTTP/1.1\r\nHost: a\r\n\r\n", limits: limits)
        expectEqual(over.error, .message(.startLineTooLong(max: 20)))
        expectEqual(over.error?.status, 414)
    }

    @Test func serverRefusesLongRequestLineBeforeItsEnd() {
        let line = String(repeating: "G", count: 20)
        expectNil(requests(line, limits: limits).error)
        expectEqual(
            requests(line + "G", limits: limits).error,
            .message(.startLineTooLong(max: 20))
        )
    }

    @Test func clientTakesStatusLineOfTheLimitAndNoLonger() {
        expect(responses("HTTP/1.1 204 4567890\r\n\r\n", limits: limits).areWhole)
        expectEqual(
            responses("HTTP/1.1 204 45678901\r\n\r\n", limits: limits).error,
            .message(.startLineTooLong(max: 20))
        )
    }

    @Test func serverTakesHeadOfTheLimitAndNoLonger() {
        // 16 bytes of request line, 9 of Host, 2 of the empty line: 33 are left for the field.
        let value = String(repeating: "v", count: 28)
        let most = requests("GET / HTTP/1.1\r\nHost: a\r\nX: \(value)\r\n\r\n", limits: limits)
        expectEqual(most.messages.count, 1)
        let over = requests("GET / HTTP/1.1\r\nHost: a\r\nX: \(value)v\r\n\r\n", limits: limits)
        expectEqual(over.error, .message(.headTooLong(max: 60)))
        expectEqual(over.error?.status, 431)
    }

    @Test func serverRefusesLongFieldBeforeItsEnd() {
        let field = "X: " + String(repeating: "v", count: 32)
        let head = "GET / HTTP/1.1\r\nHost: a\r\n" + field
        expectNil(requests(head, limits: limits).error)
        expectEqual(requests(head + "v", limits: limits).error, .message(.headTooLong(max: 60)))
    }

    @Test func serverDoesNotCountEmptyLineBeforeRequest() {
        let value = String(repeating: "v", count: 28)
        let reading = requests(
            "\r\nGET / HTTP/1.1\r\nHost: a\r\nX: \(value)\r\n\r\n",
            limits: limits
        )
        expectEqual(reading.messages.count, 1)
    }

    @Test func serverTakesAsManyFieldsAsTheLimitAndNoMore() {
        let most = "GET / HTTP/1.1\r\nHost: a\r\nB: 1\r\nC: 2\r\n"
        expectEqual(requests(most + "\r\n", limits: limits).messages.count, 1)
        let over = requests(most + "D", limits: limits)
        expectEqual(over.error, .message(.tooManyFields(max: 3)))
        expectEqual(over.error?.status, 431)
    }

    @Test func serverCountsLimitsAnewForEachRequest() {
        let request = "GET / HTTP/1.1\r\nHost: a\r\nB: 1\r\nC: 2\r\n\r\n"
        expectEqual(requests(request + request + request, limits: limits).messages.count, 3)
    }

    @Test func serverTakesHeadOfTheDefaultLimitInOneInputAndInTwo() {
        let fixed = "GET / HTTP/1.1\r\nHost: a\r\nX: \r\n\r\n"
        let value = String(repeating: "v", count: HTTPLimits().headBytesMax - fixed.utf8.count)
        let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\nX: \(value)\r\n\r\n".utf8)
        expectEqual(bytes.count, HTTPLimits().headBytesMax)
        let whole = requests(in: [bytes])
        expectEqual(whole.heads.first?.headers.first("X"), value)
        expectEqual(requests(in: [Array(bytes[..<9000]), Array(bytes[9000...])]), whole)
    }

    @Test func relationsBetweenLimitsAreChecked() async {
        await #expect(processExitsWith: .failure) {
            _ = HTTPLimits(startLineLengthMax: 100, headBytesMax: 103)
        }
        await #expect(processExitsWith: .failure) { _ = HTTPLimits(trailerBytesMax: 16 * 1024 + 1) }
        await #expect(processExitsWith: .failure) { _ = HTTPLimits(headerCountMax: 0) }
        await #expect(processExitsWith: .failure) { _ = HTTPLimits(bodyBytesMax: -1) }
    }
}
