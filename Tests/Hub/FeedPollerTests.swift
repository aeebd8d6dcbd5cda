import Aurora
import Expectations
import HubTesting
import LoopTesting

@testable import Hub

@Suite("Feed poller: against a server on loopback", .timeLimit(.minutes(10)))
struct FeedPollerTests {
    /// What a poller does, in order.
    enum Step: Sendable {
        case request(ServerRequest)
        case applied([UInt8], FeedValidators)
        case refused(FeedValidators)
        case kept(FeedValidators)

        var request: HTTPRequestHead? {
            guard case .request(let request) = self else { return nil }
            return request.head
        }

        var word: String {
            switch self {
            case .request: "request"
            case .applied: "applied"
            case .refused: "refused"
            case .kept: "kept"
            }
        }
    }

    /// A poller at work.
    struct Polling {
        let steps: AsyncStream<Step>
        let board: HealthBoard
        let log: AsyncStream<StreamedLog.Line>
        /// An element for each poll that is over: what the board said of the feed then.
        let settled: AsyncStream<FeedHealth?>

        var health: FeedHealth? { board.all.first?.health }

        /// The steps through the next request that there is.
        func untilNextRequest() async -> [Step] {
            var steps: [Step] = []
            for await step in self.steps {
                steps.append(step)
                if step.request != nil { break }
            }
            return steps
        }
    }

    private struct CommitFailed: Error, CustomStringConvertible {
        var description: String { "disk full" }
    }

    static let start = Timestamp(iso8601: "2024-12-09T16:00:00Z")!

    func policy(
        bodyBytesMax: Int = 1000,
        timeout: Duration = .seconds(20),
        stopsOn: Set<Int> = []
    ) -> FeedPolicy {
        FeedPolicy(
            interval: .seconds(60),
            timeout: timeout,
            bodyBytesMax: bodyBytesMax,
            stopsOn: stopsOn
        )
    }

    /// Polls `url` on a clock that makes an hour of 36 milliseconds; `body` ends the polling.
    func polling(
        _ url: String,
        policy: FeedPolicy,
        validators: FeedValidators = FeedValidators(),
        steps: (AsyncStream<Step>, AsyncStream<Step>.Continuation) = AsyncStream.makeStream(),
        decode: @escaping @Sendable ([UInt8]) throws -> Void = { _ in },
        _ body: (Polling) async throws -> Void
    ) async throws {
        let client = UpstreamClient()
        let board = HealthBoard()
        let (logger, lines) = StreamedLog.make()
        let continuation = steps.1
        let (settled, settling) = AsyncStream<FeedHealth?>.makeStream()
        let feed = PolledFeed(
            name: "test.feed",
            url: url,
            policy: policy,
            apply: { body, validators in
                do { try decode(body.bytes) } catch {
                    continuation.yield(.refused(validators))
                    throw error
                }
                continuation.yield(.applied(body.bytes, validators))
            },
            keep: { continuation.yield(.kept($0)) },
            settle: { settling.yield(board.all.first?.health) }
        )
        let poller = FeedPoller(
            feed: feed,
            fetcher: UpstreamFetcher(client: client, userAgent: "tests/1 a@b.example"),
            clock: HubClock(
                .recording(start: FeedPollerTests.start, speed: 100_000, anchor: HubClock.wall)
            ),
            board: board,
            logger: logger
        )
        let task = Task { await poller.run(poller.listed(validators: validators)) }
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(
                try await body(Polling(steps: steps.0, board: board, log: lines, settled: settled))
            )
        } catch {
            outcome = .failure(error)
        }
        task.cancel()
        await task.value
        client.shutDown()
        try outcome.get()
    }

    /// The same, with a server in front of it.
    func polling(
        script: [ScriptedServer.Answer],
        policy: FeedPolicy? = nil,
        validators: FeedValidators = FeedValidators(),
        decode: @escaping @Sendable ([UInt8]) throws -> Void = { _ in },
        _ body: (Polling) async throws -> Void
    ) async throws {
        let steps = AsyncStream<Step>.makeStream()
        let rest = Locked(script[...])
        try await ScriptedServer.run(
            answer: { request in
                steps.continuation.yield(.request(request))
                return rest.withLock { $0.count > 1 ? $0.removeFirst() : $0[$0.startIndex] }
            }
        ) { server in
            try await polling(
                server.url + "/feed.json",
                policy: policy ?? self.policy(),
                validators: validators,
                steps: (steps.stream, steps.continuation),
                decode: decode,
                body
            )
        }
    }

    // MARK: What goes well

    @Test func bodyIsAppliedWithTheValidatorsThatCameWithIt() async throws {
        let headers: HTTPHeaders = [
            "ETag": "\"one\"", "Last-Modified": "Mon, 09 Dec 2024 15:00:00 GMT",
        ]
        try await polling(script: [.json("[1]", headers)]) { polling in
            let steps = await polling.steps.next(2)
            let request = try require(steps.first?.request)
            expectEqual(request.method, "GET")
            expectEqual(request.target, "/feed.json")
            expectEqual(request.headers.first("User-Agent"), "tests/1 a@b.example")
            expectEqual(request.headers.first("Accept"), "application/json")
            expectNil(request.headers.first("If-None-Match"))
            let clock = request.headers.first("Replay-Clock").flatMap { Timestamp(iso8601: $0) }
            try expect(require(clock) >= FeedPollerTests.start)
            guard case .applied(let body, let validators)? = steps.last else {
                Issue.record("\(steps.map(\.word))")
                return
            }
            expectEqual(body, Array("[1]".utf8))
            expectEqual(validators.etag, "\"one\"")
            expectEqual(validators.lastModified, "Mon, 09 Dec 2024 15:00:00 GMT")
            _ = await polling.untilNextRequest()
            expectEqual(polling.health?.status, .healthy)
            expectEqual(polling.health?.consecutiveFailures, 0)
        }
    }

    @Test func unchangedProductIsAskedForConditionallyAndOnlyItsValidatorsAreKept() async throws {
        let script: [ScriptedServer.Answer] = [
            .json("[1]", ["ETag": "\"one\""]), .status(304, ["ETag": "\"one\""]),
        ]
        try await polling(script: script) { polling in
            let steps = await polling.steps.next(4)
            expectEqual(steps.map(\.word), ["request", "applied", "request", "kept"])
            expectEqual(steps[2].request?.headers.first("If-None-Match"), "\"one\"")
            guard case .kept(let validators) = steps[3] else { return }
            expectEqual(validators.etag, "\"one\"")
            _ = await polling.untilNextRequest()
            expectEqual(polling.health?.status, .healthy)
        }
    }

    @Test func storedValidatorsMakeTheFirstRequestConditional() async throws {
        let stored = FeedValidators(etag: "\"stored\"")
        try await polling(script: [.status(304)], validators: stored) { polling in
            let steps = await polling.steps.next(2)
            expectEqual(steps[0].request?.headers.first("If-None-Match"), "\"stored\"")
            expectEqual(steps[1].word, "kept")
        }
    }

    @Test func compressedBodyIsInflated() async throws {
        let answer = ScriptedServer.Answer.status(
            200,
            ["Content-Encoding": "gzip"],
            body: gzippedArray
        )
        try await polling(script: [answer]) { polling in
            let steps = await polling.steps.next(2)
            expectEqual(steps[0].request?.headers.first("Accept-Encoding"), "gzip")
            guard case .applied(let body, _) = steps[1] else { return }
            expectEqual(body, Array("[1,2,3]".utf8))
        }
    }

    @Test func bodyOfExactlyTheLimitIsApplied() async throws {
        let text = String(repeating: " ", count: 1000)
        try await polling(script: [.json(text)]) { polling in
            await expectEqual(polling.steps.next(2).map(\.word), ["request", "applied"])
        }
    }

    // MARK: What does not

    /// One bad answer, then good ones: the failure is told, and the feed recovers.
    @Test(
        arguments: [
            (.status(500), "status 500"),
            (.status(404), "status 404"),
            (.status(302, ["Location": "/other"]), "status 302"),
            (.status(304), "status 304 to a request without conditions"),
            (.status(429, ["Retry-After": "60"]), "status 429, retry after 60 s"),
            (.json(String(repeating: " ", count: 1001)), "body over limit 1000 bytes"),
            (
                .status(200, ["Content-Encoding": "gzip"], body: gzippedSpaces),
                "body over limit 1000 bytes"
            ),
            (
                .status(200, ["Content-Encoding": "gzip"], body: Array("[{}]".utf8)),
                "transfer broke off: the answer is not valid: compressed content malformed"
            ),
            (.json("<!DOCTYPE html>"), "not JSON: starts with '<'"),
            (
                .json(#"[{"time_tag":"2024-12-09T12:00:00","Kp":3.3"#),
                "truncated at offset 43"
            ),
        ] as [(ScriptedServer.Answer, String)]
    )
    func failureIsToldAndTheFeedRecovers(answer: ScriptedServer.Answer, reason: String) async throws
    {
        let good = ScriptedServer.Answer.json(
            #"[{"time_tag":"2024-12-09T12:00:00","Kp":3.33,"a_running":18,"station_count":8}]"#
        )
        let decode: @Sendable ([UInt8]) throws -> Void = {
            _ = try AuroraProduct.planetaryK.decode($0, now: FeedPollerTests.start)
        }
        try await polling(script: [answer, good], decode: decode) { polling in
            _ = await polling.untilNextRequest()
            _ = await polling.untilNextRequest()
            let health = try require(polling.health)
            expectEqual(health.lastFailure?.reason, reason)
            let line = try await require(polling.log.first { _ in true })
            expectEqual(line.level, .warning)
            expectEqual(line.message, "feed failed")
            expectEqual(line.metadata["feed"], "test.feed")
            expectEqual(line.metadata["reason"], reason)
            expectEqual(line.metadata["next_attempt"]?.hasPrefix("2024-12-"), true)
            _ = await polling.untilNextRequest()
            expectEqual(polling.health?.status, .healthy)
        }
    }

    @Test func retryAfterIsWaitedFor() async throws {
        let script: [ScriptedServer.Answer] = [
            .status(429, ["Retry-After": "3600"]), .json("[]"),
        ]
        try await polling(script: script) { polling in
            let steps = await polling.untilNextRequest() + polling.untilNextRequest()
            expectEqual(steps.map(\.word), ["request", "kept", "request"], "the wait is stored")
            let times = steps.compactMap { step in
                step.request?.headers.first("Replay-Clock").flatMap { Timestamp(iso8601: $0) }
            }
            try require(times.count == 2)
            expect(times[1] - times[0] >= .seconds(3600))
        }
    }

    @Test func refusedCommitIsAFailureWithItsReasonAndForgetsTheValidators() async throws {
        let isFull = Locked(true)
        let decode: @Sendable ([UInt8]) throws -> Void = { _ in
            if isFull.withLock({ isFull in
                defer { isFull = false }
                return isFull
            }) {
                throw CommitFailed()
            }
        }
        try await polling(script: [.json("[1]", ["ETag": "\"one\""])], decode: decode) { polling in
            let steps = await polling.steps.next(5)
            expectEqual(
                steps.map(\.word),
                ["request", "refused", "request", "applied", "request"],
                "validators are never stored without what they belong to"
            )
            expectNil(steps[2].request?.headers.first("If-None-Match"))
            expectEqual(steps[4].request?.headers.first("If-None-Match"), "\"one\"")
            expectEqual(polling.health?.lastFailure?.reason, "disk full")
            expectEqual(polling.health?.status, .healthy)
        }
    }

    @Test func serverThatDoesNotAnswerIsGivenUpAfterTheTimeout() async throws {
        let timeout = Duration.milliseconds(100)
        try await polling(script: [.never], policy: policy(timeout: timeout)) { polling in
            _ = await polling.untilNextRequest()
            _ = await polling.untilNextRequest()
            let reason = FeedFailure.timedOut(after: timeout).description
            expectEqual(polling.health?.lastFailure?.reason, reason)
        }
    }

    @Test func serverThatRefusesUsStopsTheFeed() async throws {
        try await polling(script: [.status(403)], policy: policy(stopsOn: [403])) { polling in
            let line = try await require(polling.log.first { _ in true })
            expectEqual(line.message, "feed stopped")
            expectEqual(line.metadata["reason"], "status 403")
            expectEqual(line.metadata["status"], "stopped")
            _ = await polling.untilNextRequest()
            _ = await polling.untilNextRequest()
            expectEqual(polling.health?.status, .stopped)
        }
    }

    @Test func addressThatNobodyListensAtSaysSo() async throws {
        let url = try await ScriptedServer.run(script: [.status(200)]) { $0.url }
        try await polling(url, policy: policy()) { polling in
            let line = try await require(polling.log.first { _ in true })
            expectEqual(line.message, "feed failed")
            expectEqual(
                line.metadata["reason"]?.hasPrefix("cannot connect: "),
                true,
                "\(line.metadata)"
            )
        }
    }

    @Test func addressThatIsNoneIsNotAllowed() async throws {
        try await polling("http:///feed.json", policy: policy()) { polling in
            let line = try await require(polling.log.first { _ in true })
            expectEqual(line.message, "feed failed")
            expectEqual(
                line.metadata["reason"]?.hasPrefix("not allowed: "),
                true,
                "\(line.metadata)"
            )
        }
    }

    @Test func everyPollSettlesTheFeedWhateverCameOfIt() async throws {
        let script: [ScriptedServer.Answer] = [
            .status(500), .json("[1]", ["ETag": "\"one\""]), .status(304),
        ]
        try await polling(script: script) { polling in
            await expectEqual(polling.settled.next(3).count, 3)
        }
    }

    /// Who sees a feed healthy finds what it has brought.
    @Test func boardTellsOfAPollOnceTheFeedIsSettled() async throws {
        try await polling(script: [.json("[1]"), .status(500), .never]) { polling in
            let atSettling = await polling.settled.next(2)
            expectEqual(atSettling.map { $0?.lastSuccess == nil }, [true, false])
            expectEqual(atSettling.map { $0?.consecutiveFailures }, [0, 0])
            for _ in 0..<3 { _ = await polling.untilNextRequest() }
            expectEqual(polling.health?.consecutiveFailures, 1)
        }
    }

    @Test(arguments: [(1, FeedStatus.failing), (4, .failing), (5, .open)])
    func failuresAreCountedAndOpenTheCircuit(count: Int, status: FeedStatus) async throws {
        let failures = [ScriptedServer.Answer](repeating: .status(500), count: count)
        try await polling(script: failures + [.never]) { polling in
            for _ in 0...count { _ = await polling.untilNextRequest() }
            expectEqual(polling.health?.status, status)
            expectEqual(polling.health?.consecutiveFailures, count)
        }
    }
}
