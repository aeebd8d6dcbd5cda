import Aurora
import Expectations
import HubTesting
import LoopTesting

@testable import Hub

extension FeedPollerTests {
    // MARK: The last polls

    @Test func boardHasEachPollWithItsResult() async throws {
        let script: [ScriptedServer.Answer] = [
            .status(500), .json("[1]", ["ETag": "\"one\""]), .status(304), .json("bad"), .never,
        ]
        let decode: @Sendable ([UInt8]) throws -> Void = {
            if $0 == Array("bad".utf8) { throw BadBody() }
        }
        try await polling(script: script, decode: decode) { polling in
            for _ in script { _ = await polling.untilNextRequest() }
            let polls = try require(polling.board.recentPolls["test.feed"])
            expectEqual(polls.map(\.status), [500, 200, 304, 200])
            let outcomes: [FeedPoll.Outcome] = [
                .failed("status 500"), .changed, .unchanged, .failed("not what it should be"),
            ]
            expectEqual(polls.map(\.outcome), outcomes)
            expectEqual(polls.map(\.time), polls.map(\.time).sorted())
            expect(polls.allSatisfy { $0.time >= FeedPollerTests.start && $0.duration > .zero })
        }
    }

    @Test func pollWithoutAResponseHasNoStatus() async throws {
        let url = try await ScriptedServer.run(script: [.status(200)]) { $0.url }
        try await polling(url, policy: policy()) { polling in
            _ = await polling.settled.next(2)
            let poll = try require(polling.board.recentPolls["test.feed"]?.first)
            expectNil(poll.status)
            guard case .failed(let reason) = poll.outcome else {
                Issue.record("\(poll)")
                return
            }
            expect(reason.hasPrefix("cannot connect: "))
        }
    }

    private struct BadBody: Error, CustomStringConvertible {
        var description: String { "not what it should be" }
    }

    // MARK: Redirects

    @Test func feedThatHasMovedIsAskedForAtItsNewPlace() async throws {
        let script: [ScriptedServer.Answer] = [
            .status(301, ["Location": "/new.json"]), .json("[1]"), .json("[2]"),
        ]
        let policy = FeedPolicy(interval: .seconds(60), redirectsMax: 3)
        try await polling(script: script, policy: policy) { polling in
            let steps = await polling.steps.next(4)
            expectEqual(steps.map(\.word), ["request", "request", "applied", "request"])
            let targets = steps.compactMap { $0.request?.target }
            expectEqual(targets, ["/feed.json", "/new.json", "/new.json"])
            guard case .applied(_, let validators) = steps[2] else { return }
            expectEqual(validators.move?.to.hasSuffix("/new.json"), true)
        }
    }

    @Test func feedThatIsElsewhereForNowIsAskedForWhereItWas() async throws {
        let script: [ScriptedServer.Answer] = [
            .status(302, ["Location": "/new.json"]), .json("[1]"), .json("[2]"),
        ]
        let policy = FeedPolicy(interval: .seconds(60), redirectsMax: 3)
        try await polling(script: script, policy: policy) { polling in
            let targets = await polling.steps.next(4).compactMap { $0.request?.target }
            expectEqual(targets, ["/feed.json", "/new.json", "/feed.json"])
        }
    }

    // MARK: Bodies that do not arrive as a whole

    private var halfAnswer: String { "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[1," }

    @Test func connectionThatBreaksWithinTheBodyIsAFailure() async throws {
        try await RawServer.run(sending: halfAnswer, closes: true) { url in
            try await polling(url, policy: policy()) { polling in
                let line = try await require(polling.log.first { _ in true })
                let reason = try require(line.metadata["reason"])
                expect(reason.hasPrefix("transfer broke off: "), "\(reason)")
            }
        }
    }

    @Test func bodyThatStallsIsGivenUpAfterTheTimeout() async throws {
        let timeout = Duration.milliseconds(100)
        try await RawServer.run(sending: halfAnswer, closes: false) { url in
            try await polling(url, policy: policy(timeout: timeout)) { polling in
                let line = try await require(polling.log.first { _ in true })
                let reason = FeedFailure.timedOut(after: timeout).description
                expectEqual(line.metadata["reason"], reason)
            }
        }
    }

    // MARK: The end

    @Test func pollerThatIsStoppedWithinARequestBlamesNobody() async throws {
        let board = Locked<HealthBoard?>(nil)
        try await polling(script: [.never]) { polling in
            board.withLock { $0 = polling.board }
            _ = await polling.untilNextRequest()
        }
        let health = try require(board.withLock { $0 }?.all.first?.health)
        expectNil(health.lastFailure)
        expectEqual(health.consecutiveFailures, 0)
    }
}
