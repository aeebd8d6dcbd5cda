import Expectations
import Glibc
import HubTesting
import LoopTesting
import Reactor
import Service
import Wire

@testable import Loops

@Suite("Loop: HTTP", .timeLimit(.minutes(10)))
struct LoopHTTPTests {
    @Test func requestGoesToTheResponder() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.send(httpRequest("POST", "/somewhere?q=1", body: "content"))
            let response = try await client.receiveResponse()
            expectEqual(response.status, 200)
            expectEqual(response.body, "POST /somewhere content")
            expectEqual(response.fields["content-length"], "23")
            expectEqual(response.fields["date"]?.hasSuffix(" GMT"), true)
            expectNil(response.fields["connection"])
        }
    }

    @Test func responderRunsOffTheLoopAndKnowsThePeer() async throws {
        let seen = Locked<(isOnLoop: Bool?, peer: String?)>((nil, nil))
        let loop = Locked<EventLoop?>(nil)
        let responder: Responder = { request in
            let isOnLoop = loop.withLock { $0?.isIsolatingCurrentContext() }
            seen.withLock { $0 = (isOnLoop, request.peer?.host) }
            return await answerWithRequest(request)
        }
        try await withLoops(respond: responder) { hub in
            loop.withLock { $0 = hub.loops[0].eventLoop }
            let client = try hub.connect()
            _ = try await client.get("/")
            expectEqual(seen.withLock { $0.isOnLoop }, false)
            expectEqual(seen.withLock { $0.peer }, "127.0.0.1")
        }
    }

    // MARK: Several requests

    @Test func connectionIsKeptForFurtherRequests() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            for number in 0..<5 {
                let response = try await client.get("/\(number)")
                expectEqual(response.body, "GET /\(number) ")
            }
            await expectEqual(hub.loops[0].connectionCount, 1)
        }
    }

    @Test func pipelinedRequestsAreAnsweredInOrderOneAtATime() async throws {
        let state = Locked<(current: Int, most: Int)>((0, 0))
        let responder: Responder = { request in
            state.withLock { $0 = ($0.current + 1, max($0.most, $0.current + 1)) }
            // Gives a second request every chance to come in.
            for _ in 0..<20 { await Task.yield() }
            state.withLock { $0.current -= 1 }
            return await answerWithRequest(request)
        }
        try await withLoops(respond: responder) { hub in
            let client = try hub.connect()
            let requests = [
                httpRequest("GET", "/1"), httpRequest("POST", "/2", body: "two"),
                httpRequest("GET", "/3"),
            ]
            try await client.send(requests.joined())
            var bodies: [String] = []
            for _ in requests { bodies.append(try await client.receiveResponse().body) }
            expectEqual(bodies, ["GET /1 ", "POST /2 two", "GET /3 "])
            expectEqual(state.withLock { $0.most }, 1)
        }
    }

    @Test func answerToHEADHasALengthAndNoBody() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.send(httpRequest("HEAD", "/a") + httpRequest("GET", "/b"))
            let first = try await client.receiveResponse(toHEAD: true)
            expectEqual(first.fields["content-length"], "8")
            let second = try await client.receiveResponse()
            expectEqual(second.body, "GET /b ")
        }
    }

    @Test func answerWithoutContentHasNoLength() async throws {
        let responder: Responder = { _ in ServerResponse(head: HTTPResponseHead(status: 204)) }
        try await withLoops(respond: responder) { hub in
            let client = try hub.connect()
            for _ in 0..<2 {
                let response = try await client.get("/")
                expectEqual(response.status, 204)
                expectNil(response.fields["content-length"])
            }
        }
    }

    @Test func clientThatWaitsForContinueGetsIt() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            let whole = httpRequest("POST", "/upload", ["Expect: 100-continue"], body: "content")
            try await client.send(String(whole.dropLast(7)))
            let interim = try await client.receiveHead()
            expectEqual(interim.status, 100)
            try await client.send("content")
            let response = try await client.receiveResponse()
            expectEqual(response.body, "POST /upload content")
        }
    }

    @Test(arguments: ["Connection: close", "HTTP/1.0"])
    func connectionEndsAfterTheAnswerWhenTheClientWantsIt(how: String) async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            if how == "HTTP/1.0" {
                try await client.send("GET /a HTTP/1.0\r\n\r\n")
            } else {
                try await client.send(httpRequest("GET", "/a", [how]))
            }
            let response = try await client.receiveResponse()
            expectEqual(response.body, "GET /a ")
            expectEqual(response.fields["connection"], "close")
            await expect(client.endsHere())
        }
    }

    // MARK: Pieces

    @Test func requestComesByteByByte() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            for byte in httpRequest("POST", "/a", body: "content").utf8 {
                try await client.send([byte])
            }
            let response = try await client.receiveResponse()
            expectEqual(response.body, "POST /a content")
        }
    }

    @Test func requestComesSplitAtEveryPosition() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            let whole = Array(httpRequest("POST", "/a", body: "xyz").utf8)
            for position in 1..<whole.count {
                try await client.send(Array(whole[..<position]))
                // The first piece has been read when a later request is answered.
                try await hub.settle()
                try await client.send(Array(whole[position...]))
                let response = try await client.receiveResponse()
                expectEqual(response.body, "POST /a xyz", "split at \(position)")
            }
        }
    }

    @Test func contentLargerThanTheLoopsBufferIsPutTogether() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            let content = String(repeating: "0123456789", count: 20_000)
            let whole = Array(httpRequest("POST", "/", body: content).utf8)
            for start in stride(from: 0, to: whole.count, by: 50_000) {
                try await client.send(Array(whole[start..<min(start + 50_000, whole.count)]))
            }
            let response = try await client.receiveResponse()
            expectEqual(response.body, "POST / \(content)")
        }
    }

    // MARK: Bad requests

    @Test(arguments: [
        ("GET / HTTP/1.1\r\n\r\n", 400), ("nonsense\r\n\r\n", 400),
        ("GET / HTTP/2.0\r\nHost: h\r\n\r\n", 505),
        ("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1048577\r\n\r\n", 413),
        ("GET /\(String(repeating: "a", count: 9000)) HTTP/1.1\r\nHost: h\r\n\r\n", 414),
    ])
    func badRequestIsAnsweredAndTheConnectionEnds(text: String, status: Int) async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.send(text)
            let response = try await client.receiveResponse()
            expectEqual(response.status, status)
            expectEqual(response.fields["connection"], "close")
            expect(!response.body.isEmpty)
            await expect(client.endsHere())
        }
    }

    @Test(arguments: [
        ("HEAD / HTTP/1.1\r\n\r\n", 400), ("HEAD / HTTP/2.0\r\nHost: h\r\n\r\n", 505),
        ("HEAD / HTTP/1.1\r\nHost: h\r\nContent-Length: 1048577\r\n\r\n", 413),
        ("HEAD / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
        ("HEAD /\(String(repeating: "a", count: 9000)) HTTP/1.1\r\nHost: h\r\n\r\n", 414),
    ])
    func refusalOfHEADHasNoContent(text: String, status: Int) async throws {
        try await withLoops { hub in
            let client = try hub.connect(sending: text)
            let response = try await client.receiveResponse(toHEAD: true)
            expectEqual(response.status, status)
            expect(Int(response.fields["content-length"] ?? "") ?? 0 > 0, "the length of GET's")
            try await expectEqual(client.receiveAll(), "")
        }
    }

    @Test func requestBeforeABadOneIsAnswered() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.send(
                httpRequest("GET", "/good") + "bad\r\n\r\n" + httpRequest("GET", "/lost")
            )
            let good = try await client.receiveResponse()
            expectEqual(good.body, "GET /good ")
            let bad = try await client.receiveResponse()
            expectEqual(bad.status, 400)
            await expect(client.endsHere())
        }
    }

    // MARK: Time

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHo", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nabc",
    ])
    func requestThatDoesNotEndInTimeIsToldSo(piece: String) async throws {
        try await withLoops({ $0.requestTimeout = .milliseconds(300) }) { hub in
            let client = try hub.connect(sending: piece)
            let response = try await client.receiveResponse()
            expectEqual(response.status, 408)
            await expect(client.endsHere())
        }
    }

    @Test func connectionWithoutARequestEndsInSilence() async throws {
        try await withLoops({ $0.requestTimeout = .milliseconds(300) }) { hub in
            let client = try hub.connect()
            await expect(client.endsHere())
        }
    }

    @Test func idleConnectionEndsInSilence() async throws {
        try await withLoops({ $0.idleTimeout = .milliseconds(20) }) { hub in
            let client = try hub.connect()
            _ = try await client.get("/")
            await expect(client.endsHere())
        }
    }

    /// However long the connection may be idle.
    @Test func furtherRequestThatDoesNotEndInTimeIsToldSo() async throws {
        try await withLoops({
            $0.requestTimeout = .milliseconds(300)
            $0.idleTimeout = .seconds(3600)
        }) { hub in
            let client = try hub.connect(sending: httpRequest("GET", "/"))
            _ = try await client.receiveResponse()
            try await client.send("GET / HTTP/1.1\r\nHo")
            let response = try await client.receiveResponse()
            expectEqual(response.status, 408)
        }
    }

    // MARK: Peers that leave

    @Test func halfClosedClientGetsItsAnswer() async throws {
        let isAsked = LoopSignal()
        let mayAnswer = LoopSignal()
        let responder: Responder = { request in
            isAsked.send()
            await mayAnswer.wait()
            return await answerWithRequest(request)
        }
        try await withLoops(respond: responder) { hub in
            let client = try hub.connect()
            try await client.send(httpRequest("GET", "/a"))
            await client.finishSending()
            await isAsked.wait()
            mayAnswer.send()
            let response = try await client.receiveResponse()
            expectEqual(response.body, "GET /a ")
            await expect(client.endsHere())
        }
    }

    @Test func halfClosedSlowReaderGetsAllOfALongAnswer() async throws {
        let body = String(repeating: "0123456789", count: 90_000)
        let responder: Responder = { _ in
            ServerResponse(head: HTTPResponseHead(status: 200), body: Array(body.utf8))
        }
        try await withLoops(respond: responder) { hub in
            let client = try hub.connect(receiveBufferSize: 4096)
            try await client.send(httpRequest("GET", "/"))
            await client.finishSending()
            // The end of the stream is read after the answer is queued.
            for _ in 0..<3 { try await hub.settle() }
            let response = try await client.receiveResponse()
            expectEqual(response.body, body)
            await expect(client.endsHere())
        }
    }

    /// The place in the loop's table is the same, the connection is not.
    @Test func answerForOneWhoHasLeftIsNotGivenToTheNext() async throws {
        let isAsked = LoopSignal()
        let mayAnswer = LoopSignal()
        let isAnswered = LoopSignal()
        let responder: Responder = { request in
            if request.head.path == "/slow" {
                isAsked.send()
                await mayAnswer.wait()
                defer { isAnswered.send() }
                return await answerWithRequest(request)
            }
            if request.head.path == "/next" {
                mayAnswer.send()
                await isAnswered.wait()
            }
            return await answerWithRequest(request)
        }
        try await withLoops(respond: responder) { hub in
            let first = try hub.connect()
            try await first.send(httpRequest("GET", "/slow"))
            await isAsked.wait()
            await first.reset()
            let second = try hub.connect()
            var response = try await second.get("/other")
            expectEqual(response.body, "GET /other ")
            await expectEqual(hub.loops[0].connectionCount, 1)
            // Both answers are under way at once.
            response = try await second.get("/next")
            expectEqual(response.body, "GET /next ")
            response = try await second.get("/last")
            expectEqual(response.body, "GET /last ")
        }
    }

    @Test func clientThatLeavesIsForgotten() async throws {
        try await withLoops { hub in
            for isReset in [true, false] {
                let client = try hub.connect()
                _ = try await client.get("/")
                if isReset { await client.reset() } else { await client.close() }
            }
            let last = try hub.connect()
            _ = try await last.get("/")
            try await hub.wait { await hub.loops[0].connectionCount == 1 }
        }
    }
}

extension LoopTestClient {
    /// Whether the server ends the stream, or resets it because of something that it has not read.
    func isCutHere() async -> Bool {
        do {
            return try await receiveAll().isEmpty
        } catch Failure.system(code: ECONNRESET) {
            return true
        } catch {
            return false
        }
    }

    /// Whether the stream ends with nothing more in it.
    func endsHere() async -> Bool {
        do {
            return try await receiveAll().isEmpty
        } catch {
            return false
        }
    }
}
