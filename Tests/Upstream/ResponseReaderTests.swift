import Expectations

@testable import Upstream

@Suite("Response reader", .timeLimit(.minutes(10)))
struct ResponseReaderTests {
    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", "hi"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", ""),
        ("HTTP/1.1 404 Not Here\r\nContent-Length: 2\r\n\r\nno", "no"),
        ("HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nhi", "hi"),
        ("HTTP/1.7 999 \r\nContent-Length: 2\r\n\r\nhi", "hi"),
        ("HTTP/1.1 204 \r\nContent-Length: 5\r\n\r\n", ""),
        ("HTTP/1.1 304 \r\nContent-Length: 5\r\n\r\n", ""),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", "hi"),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "1;a=b\r\nh\r\n01\r\ni\r\n0\r\n\r\n",
            "hi"
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=\"y\"\r\nhi\r\n0;z\r\n"
                + "Digest: 1\r\nContent-Length: 9\r\n\r\n",
            "hi"
        ),
        (
            "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                + "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
            "x"
        ),
    ])
    func wholeAnswerIsReadHoweverItIsCut(text: String, content: String) {
        let reading = read(text)
        expectEqual(reading.answers.map(\.text), [content])
        expectEqual(reading.answers.map(\.isReusable), [true])
        expectNil(reading.error)
        expect(!reading.hasRest)
    }

    @Test func contentReachesToTheEndOfTheStreamWithoutFraming() {
        let reading = read("HTTP/1.1 200 OK\r\n\r\nall of it", endsStream: true)
        expectEqual(reading.answers, [.init(status: 200, text: "all of it", isReusable: false)])
        expect(read("HTTP/1.1 200 OK\r\n\r\nall of it").answers.isEmpty)
    }

    @Test func answerToHeadHasNoContent() {
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 5\r\n\r\n"
        let reading = read(head, [.init(method: "HEAD", bytesMax: 2, decompresses: true)])
        expectEqual(reading.answers, [.init(status: 200, text: "", isReusable: true)])
    }

    @Test(arguments: [204, 304])
    func answerWithoutContentHasNoCoding(status: Int) {
        let head = "HTTP/1.1 \(status) \r\nContent-Encoding: br\r\n\r\n"
        expectEqual(read(head, [.init(decompresses: true)]).answers.map(\.text), [""])
    }

    @Test func severalAnswersComeInOneStream() {
        let one = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
        let two = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nyou\r\n0\r\n\r\n"
        let reading = read(
            one + two + one,
            [.init(), .init(), .init(method: "GET", bytesMax: 9, drops: true)]
        )
        expectEqual(reading.answers.map(\.text), ["hi", "you", ""])
        expectEqual(reading.answers.map(\.isReusable), [true, true, true])
        expect(!reading.hasRest)
    }

    @Test(arguments: ["x", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"])
    func bytesBehindTheAnswerAreNoPartOfIt(rest: String) {
        let reading = read("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi" + rest)
        expectEqual(reading.answers.map(\.text), ["hi"])
        expect(reading.hasRest)
    }

    @Test func continueIsTold() {
        let text =
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 \r\n\r\n"
            + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
        let reading = read(text)
        expectEqual(reading.goOnCount, 1)
        expectEqual(reading.answers.map(\.text), ["hi"])
    }

    @Test func switchToAnotherProtocolIsRefused() {
        let reading = read("HTTP/1.1 101 Switching Protocols\r\nUpgrade: a\r\n\r\n")
        expectEqual(reading.error, .malformed("a protocol that was not asked for"))
    }

    @Test(arguments: [
        "HTTP/1.1", "HTTP/1.1 20", "HTTP/1.1 2000 OK", "HTTP/1.1 099 OK", "HTTP/1.1  200 OK",
        "http/1.1 200 OK", "ICY 200 OK", " HTTP/1.1 200 OK", "HTTP/2.0 200 OK",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2",
        "HTTP/1.1 200 OK\r\nContent-Length: -1", "HTTP/1.1 200 OK\r\nContent-Length: 1x",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2",
        "HTTP/1.1 200 OK\r\nbad field: x", "HTTP/1.1 200 OK\r\n folded: x",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhixx",
    ])
    func invalidAnswerIsAnError(text: String) throws {
        let error = try require(read(text + "\r\n\r\n").error)
        guard case .malformed = error else {
            Issue.record("\(error)")
            return
        }
    }

    @Test(arguments: [
        "", "HTTP/1.1 2", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n", "HTTP/1.1 100 \r\n\r\n",
    ])
    func streamEndsBeforeAnAnswer(text: String) {
        expectEqual(read(text, endsStream: true).error, .connectionEnded("before an answer"))
    }

    @Test(arguments: [
        "Content-Length: 2\r\n\r\nh", "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n",
        "Transfer-Encoding: chunked\r\n\r\n0\r\n",
        "Transfer-Encoding: chunked\r\n\r\n0\r\na: b\r\n",
    ])
    func streamEndsWithinTheContent(text: String) {
        let reading = read("HTTP/1.1 200 OK\r\n" + text, endsStream: true)
        expectEqual(reading.error, .connectionEnded("within the content"))
        expect(reading.answers.isEmpty)
    }

    @Test func streamMayEndBetweenAnswers() {
        let reading = read("HTTP/1.1 204 \r\n\r\n", endsStream: true)
        expectNil(reading.error)
        expectEqual(reading.answers.count, 1)
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nConnection: close\r\n", false),
        ("HTTP/1.1 200 OK\r\nConnection: keep-alive, Close\r\n", false),
        ("HTTP/1.0 200 OK\r\n", false),
        ("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n", true),
        ("HTTP/1.1 200 OK\r\nConnection: keep-alive\r\n", true),
        ("HTTP/1.1 500 \r\n", true),
    ])
    func connectionIsReusedWhereTheServerKeepsIt(head: String, isReusable: Bool) {
        let reading = read(head + "Content-Length: 0\r\n\r\n")
        expectEqual(reading.answers.map(\.isReusable), [isReusable])
    }

    @Test func connectionThatIsNotKeptStaysSo() {
        let closing = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        let keeping = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        let reading = read(closing + keeping, [.init(), .init()])
        expectEqual(reading.answers.map(\.isReusable), [false, false])
    }
}

@Suite("Response reader limits", .timeLimit(.minutes(10)))
struct ResponseReaderLimitTests {
    @Test(arguments: [
        "Content-Length: 4\r\n\r\nfour", "Transfer-Encoding: chunked\r\n\r\n4\r\nfour\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n2\r\nfo\r\n2\r\nur\r\n0\r\n\r\n",
    ])
    func contentUpToTheLimitIsTaken(text: String) {
        let text = "HTTP/1.1 200 OK\r\n" + text
        expectEqual(read(text, [.init(bytesMax: 4)]).answers.map(\.text), ["four"])
        let over = read(text, [.init(bytesMax: 3)])
        expectEqual(over.error, .bodyTooLarge(limit: 3))
        expect(over.answers.isEmpty)
    }

    @Test func contentUntilTheEndOfTheStreamIsLimited() {
        let text = "HTTP/1.1 200 OK\r\n\r\nfour"
        expectEqual(read(text, [.init(bytesMax: 4)], endsStream: true).answers.count, 1)
        expectEqual(
            read(text, [.init(bytesMax: 3)], endsStream: true).error,
            .bodyTooLarge(limit: 3)
        )
    }

    @Test func announcedLengthOverTheLimitIsAnErrorAtOnce() {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 4000000000\r\n\r\n"
        expectEqual(read(head, [.init(bytesMax: 1000)]).error, .bodyTooLarge(limit: 1000))
    }

    @Test(arguments: ["gzip", "x-gzip", "GZIP", "identity, gzip"])
    func codingIsUndone(name: String) {
        let bytes = coded(name, gzipped("hello, hello, hello"))
        let reading = read(bytes, [.init(bytesMax: 19, decompresses: true)])
        expectEqual(reading.answers.map(\.text), ["hello, hello, hello"])
        expectEqual(reading.answers.map(\.isReusable), [true])
    }

    @Test func codedContentMayBeLongerThanTheLimit() {
        let content = gzipped("")
        expect(content.count > 10)
        let reading = read(coded("gzip", content), [.init(bytesMax: 0, decompresses: true)])
        expectEqual(reading.answers.map(\.text), [""])
    }

    @Test func codingStaysWhereNothingWasAsked() {
        let content = gzipped("hello")
        let reading = read(coded("gzip", content), [.init(bytesMax: 100)])
        expectEqual(reading.answers.map(\.text), [String(decoding: content, as: UTF8.self)])
    }

    @Test func smallContentThatInflatesOverTheLimitIsAnError() {
        let content = gzipped(String(repeating: "0", count: 100_000))
        expect(content.count < 400)
        let over = read(coded("gzip", content), [.init(bytesMax: 99_999, decompresses: true)])
        expectEqual(over.error, .bodyTooLarge(limit: 99_999))
        let taken = read(coded("gzip", content), [.init(bytesMax: 100_000, decompresses: true)])
        expectEqual(taken.answers.map(\.length), [100_000])
    }

    @Test func unknownCodingIsAnError() throws {
        let reading = read(coded("br", [1, 2]), [.init(decompresses: true)])
        guard case .malformed(let text) = try require(reading.error) else {
            Issue.record("\(reading)")
            return
        }
        expect(text.contains("br"))
    }

    @Test func codedContentThatEndsTooEarlyIsAnError() throws {
        let whole = gzipped("hello")
        for length in 1..<whole.count {
            let reading = read(
                coded("gzip", Array(whole[..<length])),
                [.init(decompresses: true)]
            )
            guard case .malformed = try require(reading.error, "\(length)") else {
                Issue.record("\(length): \(reading)")
                return
            }
            expect(reading.answers.isEmpty)
        }
    }

    @Test func codedContentWithBytesBehindItIsAnError() {
        let reading = read(coded("gzip", gzipped("hello") + [0]), [.init(decompresses: true)])
        expect(reading.error != nil)
        expect(reading.answers.isEmpty)
    }

    @Test func droppedContentIsNotKept() {
        let text = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfour"
        let reading = read(text, [.init(method: "GET", bytesMax: 4, drops: true)])
        expectEqual(reading.answers, [.init(status: 200, text: "", isReusable: true)])
        expect(!reading.hadEnough)
    }

    @Test func beginningOfDroppedContentIsKeptHoweverItArrives() {
        let text = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfour"
        for (count, kept) in [(0, ""), (1, "f"), (3, "fou"), (4, "four"), (5, "four")] {
            var wanted = ResponseReader.Wanted(method: "GET", bytesMax: 4, drops: true)
            wanted.keepsMax = count
            for inputs in splits(of: Array(text.utf8)) {
                let reading = read(inputs: inputs, [wanted])
                expectEqual(reading.answers, [.init(status: 200, text: kept, isReusable: true)])
            }
        }
    }

    @Test func droppedContentOverTheLimitIsEnough() {
        let text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfour\r\n0\r\n\r\n"
        let reading = read(text, [.init(method: "GET", bytesMax: 3, drops: true)])
        expect(reading.hadEnough)
        expectNil(reading.error)
        expect(reading.answers.isEmpty)
    }

    @Test func droppedContentMayHaveAnyCoding() {
        let wanted = ResponseReader.Wanted(
            method: "GET",
            bytesMax: 9,
            decompresses: true,
            drops: true
        )
        expectEqual(read(coded("br", [1, 2]), [wanted]).answers.count, 1)
    }

    @Test func contentEndsWhereNoMoreIsWanted() {
        let text = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabcdef"
        var wanted = ResponseReader.Wanted(bytesMax: 100)
        wanted.wantsMore = { $0.count < 3 }
        for inputs in splits(of: Array(text.utf8)) {
            let reading = read(inputs: inputs, [wanted], endsStream: false)
            expect(reading.hadEnough)
            expect(reading.partialLength >= 3)
        }
    }

    @Test func wantsMoreSeesWhatWasDecompressed() {
        var wanted = ResponseReader.Wanted(bytesMax: 100, decompresses: true)
        wanted.wantsMore = { !String(decoding: $0, as: UTF8.self).contains("lo") }
        let reading = read(
            inputs: [coded("gzip", gzipped("hello"))],
            [wanted],
            endsStream: false
        )
        expect(reading.hadEnough)
    }

    @Test func headIsLimited() {
        let fields = String(repeating: "a: b\r\n", count: 257)
        expect(read(inputs: [Array("HTTP/1.1 200 OK\r\n\(fields)\r\n".utf8)]).error != nil)
        let line = "a: " + String(repeating: "b", count: 64 << 10) + "\r\n"
        expect(read(inputs: [Array("HTTP/1.1 200 OK\r\n\(line)\r\n".utf8)]).error != nil)
    }
}
