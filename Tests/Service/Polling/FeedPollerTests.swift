import Expectations
import HubTesting
import LoopTesting
import Upstream

@testable import Service

@Suite("Feed poller: requests with a key and a price", .timeLimit(.minutes(10)))
struct FeedPollerTests {
    private static let start = Timestamp(iso8601: "2026-01-02T10:00:00Z")!
    private let clock = HubClock(
        .recording(start: FeedPollerTests.start, speed: 100_000, anchor: HubClock.wall)
    )

    /// Polls a server with one answer, and calls `body` with its requests and the log.
    private func poll(
        _ answer: ScriptedServer.Answer,
        headers: HTTPHeaders = [:],
        format: FeedFormat = .json,
        holdOff: @escaping @Sendable () async -> Timestamp? = { nil },
        _ body: (AsyncStream<HTTPRequestHead>, AsyncStream<StreamedLog.Line>, HealthBoard)
            async throws -> Void
    ) async throws {
        let (requests, seen) = AsyncStream<HTTPRequestHead>.makeStream()
        let (logger, log) = StreamedLog.make()
        let board = HealthBoard()
        try await ScriptedServer.run(
            answer: {
                seen.yield($0.head)
                return answer
            }
        ) { server in
            let client = UpstreamClient()
            let feed = PolledFeed(
                name: "test.feed",
                url: server.url + "/v2",
                policy: FeedPolicy(interval: .seconds(60), stopsOn: [401]),
                format: format,
                headers: headers,
                apply: { _, _ in },
                keep: { _ in },
                holdOff: holdOff
            )
            let poller = FeedPoller(
                feed: feed,
                fetcher: UpstreamFetcher(client: client, userAgent: "tests/1"),
                clock: clock,
                board: board,
                logger: logger
            )
            let task = Task { await poller.run(poller.listed(validators: FeedValidators())) }
            do { try await body(requests, log, board) } catch {
                task.cancel()
                throw error
            }
            task.cancel()
            await task.value
            client.shutDown()
        }
    }

    @Test func headersOfTheFeedAreSentWithEveryRequest() async throws {
        try await poll(.json("{}"), headers: ["X-Api-Key": "k"]) { requests, _, _ async throws in
            var keys: [String?] = []
            for await request in requests.prefix(2) {
                keys.append(request.headers.first("X-Api-Key"))
                expectEqual(request.target, "/v2")
            }
            expectEqual(keys, ["k", "k"])
        }
    }

    @Test func whatAnErrorSaysIsInTheLog() async throws {
        let format = FeedFormat.json.explaining { "\($0.count) bytes" }
        let answer = ScriptedServer.Answer.status(401, body: Array("{}".utf8))
        try await poll(answer, format: format) { _, log, board async throws in
            var lines = log.makeAsyncIterator()
            let line = try await require(lines.next())
            expectEqual(line.message, "feed stopped")
            expectEqual(line.metadata["reason"], "status 401: 2 bytes")
        }
    }

    @Test func requestThatIsHeldOffIsSentAtItsTime() async throws {
        let held = FeedPollerTests.start + .seconds(7200)
        let times = Locked<[Timestamp]>([])
        let holdOff: @Sendable () async -> Timestamp? = { [clock] in
            let now = clock.now
            times.withLock { $0.append(now) }
            return now < held ? held : nil
        }
        try await poll(.json("{}"), holdOff: holdOff) { requests, _, _ async throws in
            for await _ in requests { break }
            // Once when it was due, and once when it was held off long enough.
            let asked = times.withLock { $0 }.prefix(2)
            expectEqual(asked.first.map { $0 < held }, true)
            expectEqual(asked.last.map { $0 >= held }, true)
        }
    }
}
