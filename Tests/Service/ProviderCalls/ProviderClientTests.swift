import Expectations
import HubTesting
import LoopTesting
import Upstream

@testable import Service

@Suite("Provider client: against a server on loopback", .timeLimit(.minutes(10)))
struct ProviderClientTests {
    private static let bodyBytesMax = 1000

    /// Asks once, as the hub asks providers.
    private func send(
        _ request: ProviderRequest,
        timeout: Duration = .seconds(60)
    ) async throws -> Result<ProviderResponse, ProviderClientError> {
        let client = UpstreamClient()
        let provider = ProviderClient(
            client: client,
            userAgent: "varde/tests",
            answerBytesMax: ProviderClientTests.bodyBytesMax
        )
        let result = await provider.send(request, timeout: timeout)
        client.shutDown()
        return result
    }

    private func question(_ url: String, key: String = "key-1") -> ProviderRequest {
        ProviderRequest(
            method: "POST",
            url: url,
            headers: [
                HeaderField("x-api-key", key, isSecret: true),
                HeaderField("content-type", "application/json"),
            ],
            body: Array(#"{"model":"m"}"#.utf8)
        )
    }

    private func ask(
        _ answer: ScriptedServer.Answer
    ) async throws -> Result<ProviderResponse, ProviderClientError> {
        try await ScriptedServer.run(script: [answer]) { server in
            try await send(question(server.url + "/v1/messages"))
        }
    }

    // MARK: Answers

    @Test func questionArrivesAsItWasAsked() async throws {
        try await ScriptedServer.run(script: [.json("{}")]) { server in
            _ = try await send(question(server.url + "/v1/messages?x=1"))
            let request = try await require(server.requests.next(1).first)
            expectEqual(request.head.method, "POST")
            expectEqual(request.head.target, "/v1/messages?x=1")
            expectEqual(request.head.headers.first("x-api-key"), "key-1")
            expectEqual(request.head.headers.first("content-type"), "application/json")
            expectEqual(request.head.headers.first("user-agent"), "varde/tests")
            expectEqual(request.body, Array(#"{"model":"m"}"#.utf8))
        }
    }

    @Test func headersOfTheQuestionTakeThePlaceOfOurs() async throws {
        try await ScriptedServer.run(script: [.json("{}")]) { server in
            let headers = [HeaderField("user-agent", "own"), HeaderField("ACCEPT-ENCODING", "x")]
            _ = try await send(
                ProviderRequest(method: "GET", url: server.url, headers: headers, body: [])
            )
            let request = try await require(server.requests.next(1).first)
            expectEqual(request.head.method, "GET")
            expectEqual(request.head.headers.all("User-Agent"), ["own"])
            expectEqual(request.head.headers.all("Accept-Encoding"), ["x"])
            expect(request.body.isEmpty)
        }
    }

    @Test(arguments: [200, 400, 401, 404, 429, 500, 529])
    func answerOfAnyStatusIsOne(status: Int) async throws {
        let headers: HTTPHeaders = ["Retry-After": "7", "X-Should-Retry": "false"]
        let text = #"{"type":"error"}"#
        let answer = try await ask(.status(status, headers, body: Array(text.utf8))).get()
        expectEqual(answer.status, status)
        expectEqual(answer.header("retry-after"), "7")
        expectEqual(answer.header("X-SHOULD-RETRY"), "false")
        expectNil(answer.header("retry-after-ms"))
        expectEqual(answer.body, Array(text.utf8))
    }

    @Test func redirectIsNotFollowed() async throws {
        try await ScriptedServer.run(script: [.status(307, ["Location": "/x"]), .json("{}")]) {
            let answer = try await send(question($0.url)).get()
            expectEqual(answer.status, 307)
            expectEqual(answer.header("location"), "/x")
        }
    }

    @Test(arguments: ["", "<!DOCTYPE html><p>Sorry", "data: {}\n\n"])
    func bodyThatIsNoJSONComesWhole(text: String) async throws {
        try await expectEqual(ask(.json(text)).get().body, Array(text.utf8))
    }

    @Test func compressedBodyIsInflated() async throws {
        let answer = try await ask(
            .status(200, ["Content-Encoding": "gzip"], body: gzippedArray)
        ).get()
        expectEqual(answer.body, Array("[1,2,3]".utf8))
    }

    // MARK: Limits

    @Test func bodyMayHaveTheLimitAndNotOneByteMore() async throws {
        let limit = ProviderClientTests.bodyBytesMax
        let whole = try await ask(.status(200, body: [UInt8](repeating: 0x20, count: limit))).get()
        expectEqual(whole.body.count, limit)
        let more = try await ask(.status(200, body: [UInt8](repeating: 0x20, count: limit + 1)))
        expectEqual(more.failure, .bodyTooLarge(limit: limit))
    }

    @Test func bodyThatInflatesPastTheLimitIsRefused() async throws {
        let result = try await ask(
            .status(200, ["Content-Encoding": "gzip"], body: gzippedSpaces)
        )
        expectEqual(result.failure, .bodyTooLarge(limit: ProviderClientTests.bodyBytesMax))
    }

    @Test func providerThatDoesNotAnswerIsGivenUpAfterTheTimeout() async throws {
        let timeout = Duration.milliseconds(100)
        try await ScriptedServer.run(script: [.never]) { server in
            let result = try await send(question(server.url), timeout: timeout)
            expectEqual(result.failure, .timedOut(after: timeout))
        }
    }

    private let halfAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"id\":"

    @Test func bodyThatStallsIsGivenUpAfterTheTimeout() async throws {
        let timeout = Duration.milliseconds(100)
        try await RawServer.run(sending: halfAnswer, closes: false) { url in
            let result = try await send(question(url), timeout: timeout)
            expectEqual(result.failure, .timedOut(after: timeout))
        }
    }

    // MARK: No answer

    @Test func answerThatBreaksOffIsNone() async throws {
        try await RawServer.run(sending: halfAnswer, closes: true) { url in
            let text = try await send(question(url)).failure?.description
            expectEqual(text?.hasPrefix("unreachable: transfer broke off: "), true, "\(text ?? "")")
        }
    }

    @Test func addressThatNobodyListensAtIsUnreachable() async throws {
        let url = try await ScriptedServer.run(script: [.status(200)]) { $0.url }
        let text = try await send(question(url)).failure?.description
        expectEqual(text?.hasPrefix("unreachable: cannot connect: "), true, "\(text ?? "")")
    }

    @Test(arguments: ["", "x", "http:///v1", "ftp://127.0.0.1/", "http+unix://x/", "HTTP//x"])
    func addressThatIsNoneIsNotAllowed(url: String) async throws {
        let text = try await send(question(url)).failure?.description
        expectEqual(text?.hasPrefix("not allowed: "), true, "\(text ?? "")")
    }

    @Test(arguments: ["key\n", "key\r\nx: y", "\u{0}", "a\u{7F}"])
    func headerThatWouldBreakTheRequestIsNotAllowedAndNotShown(key: String) async throws {
        try await ScriptedServer.run(script: [.json("{}")]) { server in
            let failure = try await send(question(server.url, key: key)).failure
            let reason = "the value of the header x-api-key has a control character"
            expectEqual(failure, .notAllowed(reason))
        }
    }

    @Test func questionThatIsCancelledEnds() async throws {
        try await ScriptedServer.run(script: [.never]) { server in
            let url = server.url
            let asking = Task { try await send(question(url)) }
            _ = await server.requests.next(1)
            asking.cancel()
            let result = try await asking.value
            expect(result.failure != nil)
        }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        guard case .failure(let failure) = self else { return nil }
        return failure
    }
}
