import Expectations
import LoopTesting
import Wire

@testable import Loops

/// What is refused by its head, and what the loop answers itself.
@Suite("Loop: requests it answers itself", .timeLimit(.minutes(10)))
struct LoopRequestTests {
    private static let resources = ["/connection/websocket", "/echo", "/events?topics=news:a"]
    private static let methods = "GET, HEAD, OPTIONS"

    // MARK: Methods

    @Test(arguments: resources) func methodsOfAResourceAreTold(target: String) async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            for _ in 0..<2 {
                try await client.send(httpRequest("OPTIONS", target, body: "ignored"))
                let response = try await client.receiveResponse()
                expectEqual(response.status, 204)
                expectEqual(response.fields["allow"], LoopRequestTests.methods)
                expectNil(response.fields["content-length"])
                expectNil(response.fields["connection"])
            }
        }
    }

    /// Each is answered in a turn of its own: they do not nest on the stack.
    @Test func thousandsOfThemInOnePieceAreAnswered() async throws {
        try await withLoops { hub in
            let count = 3000
            let client = try hub.connect()
            let requests = String(
                repeating: "OPTIONS /events HTTP/1.1\r\nHost:\r\n\r\n",
                count: count
            )
            try await client.send(requests + httpRequest("GET", "/last"))
            for _ in 0..<count {
                let response = try await client.receiveResponse()
                guard response.status == 204 else {
                    Issue.record("status \(response.status)")
                    return
                }
            }
            let last = try await client.receiveResponse()
            expectEqual(last.body, "GET /last ")
        }
    }

    @Test(arguments: resources, ["POST", "PUT", "PATCH", "DELETE", "TRACE"])
    func otherMethodsAreNotAllowed(target: String, method: String) async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            // The content is not waited for.
            try await client.send(
                httpRequest(method, target, ["Content-Length: 5", "Expect: 100-continue"])
            )
            let response = try await client.receiveResponse()
            expectEqual(response.status, 405)
            expectEqual(response.fields["allow"], LoopRequestTests.methods)
            await expect(client.endsHere())
        }
    }

    @Test(arguments: ["BREW /pot", "get /events", "CONNECT h:443"])
    func methodThatNobodyKnowsIsNotImplemented(line: String) async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.send("\(line) HTTP/1.1\r\nHost: h\r\n\r\n")
            let response = try await client.receiveResponse()
            expectEqual(response.status, 501)
            await expect(client.endsHere())
        }
    }

    @Test func headOfAStreamIsItsHeadAlone() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.send(httpRequest("HEAD", "/events?topics=news:a"))
            let head = try await client.receiveHead()
            expectEqual(head.status, 200)
            expectEqual(head.fields["content-type"], "text/event-stream")
            expectNil(head.fields["content-length"])
            expectEqual(head.fields["date"]?.hasSuffix(" GMT"), true)
            await expect(client.endsHere())
            await expectEqual(hub.loops[0].subscriptionCount, 0)
        }
    }

    @Test(arguments: [("/events", 400), ("/events?topics=closed:a", 403)])
    func headOfARefusalHasTheLengthOfItsText(target: String, status: Int) async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.send(httpRequest("HEAD", target))
            let head = try await client.receiveHead()
            expectEqual(head.status, status)
            expect(Int(head.fields["content-length"] ?? "0") ?? 0 > 0)
            await expect(client.endsHere())
        }
    }

    // MARK: Expectations

    @Test(arguments: ["miracles", "100-continue, miracles"])
    func otherExpectationIsNotMet(value: String) async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.send(
                httpRequest("POST", "/", ["Content-Length: 3", "Expect: \(value)"])
            )
            let response = try await client.receiveResponse()
            expectEqual(response.status, 417)
            await expect(client.endsHere())
        }
    }

    @Test func contentThatComesAlongIsNotAskedFor() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.send(httpRequest("POST", "/a", ["Expect: 100-continue"], body: "xyz"))
            let response = try await client.receiveResponse()
            expectEqual(response.body, "POST /a xyz")
        }
    }

    @Test func contentOverTheLimitIsRefusedAndNotAskedFor() async throws {
        try await withLoops({ $0.http = HTTPLimits(bodyBytesMax: 10) }) { hub in
            for (length, status) in [(10, 100), (11, 413)] {
                let client = try hub.connect()
                let fields = ["Expect: 100-continue", "Content-Length: \(length)"]
                try await client.send(httpRequest("POST", "/", fields))
                let head = try await client.receiveHead()
                expectEqual(head.status, status)
            }
        }
    }

    // MARK: Limits

    private static let limits = HTTPLimits(
        startLineLengthMax: 20,
        headBytesMax: 60,
        headerCountMax: 3,
        bodyBytesMax: 10,
        trailerBytesMax: 10
    )

    @Test(arguments: [
        ("GET /678901 HTTP/1.1\r\nHost: a\r\n\r\n", 200),
        ("GET /6789012 HTTP/1.1\r\nHost: a\r\n\r\n", 414),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "v", count: 28))\r\n\r\n", 200),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "v", count: 29))\r\n\r\n", 431),
        ("GET / HTTP/1.1\r\nHost: a\r\nB: 1\r\nC: 2\r\n\r\n", 200),
        ("GET / HTTP/1.1\r\nHost: a\r\nB: 1\r\nC: 2\r\nD: 3\r\n\r\n", 431),
        ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n0123456789", 200),
        ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n0123456789a", 413),
        (
            "PUT / HTTP/1.1\r\nHost:\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n6\r\nabcdef\r\n"
                + "0\r\n\r\n", 200
        ),
        (
            "PUT / HTTP/1.1\r\nHost:\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n7\r\nabcdefg\r\n"
                + "0\r\n\r\n", 413
        ),
        (
            "PUT / HTTP/1.1\r\nHost:\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: 345\r\n\r\n", 200
        ),
        (
            "PUT / HTTP/1.1\r\nHost:\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: 3456\r\n\r\n", 431
        ),
    ])
    func limitIsTheLastThatIsTaken(text: String, status: Int) async throws {
        try await withLoops({ $0.http = LoopRequestTests.limits }) { hub in
            let client = try hub.connect()
            try await client.send(text)
            let response = try await client.receiveResponse()
            expectEqual(response.status, status)
            expectEqual(response.fields["connection"], (status == 200 ? nil : "close"))
        }
    }
}
