import Aurora
import Feeds
import HTTPService
import HTTPWire
import HubTesting
import Locking
import Logging
import Polling
import ShardTesting
import Tasks
import Testing
import Timekeeping
import Upstream

@testable import HubServer

extension FeedPollerTests {
    // MARK: Redirects

    @Test func feedThatHasMovedIsAskedForAtItsNewPlace() async throws {
        let script: [ScriptedServer.Answer] = [
            .status(301, ["Location": "/new.json"]), .json("[1]"), .json("[2]"),
        ]
        let policy = FeedPolicy(interval: .seconds(60), redirectsMax: 3)
        try await polling(script: script, policy: policy) { polling in
            let steps = await polling.steps.next(4)
            #expect(steps.map(\.word) == ["request", "request", "applied", "request"])
            let targets = steps.compactMap { $0.request?.target }
            #expect(targets == ["/feed.json", "/new.json", "/new.json"])
            guard case .applied(_, let validators) = steps[2] else { return }
            #expect(validators.move?.to.hasSuffix("/new.json") == true)
        }
    }

    @Test func feedThatIsElsewhereForNowIsAskedForWhereItWas() async throws {
        let script: [ScriptedServer.Answer] = [
            .status(302, ["Location": "/new.json"]), .json("[1]"), .json("[2]"),
        ]
        let policy = FeedPolicy(interval: .seconds(60), redirectsMax: 3)
        try await polling(script: script, policy: policy) { polling in
            let targets = await polling.steps.next(4).compactMap { $0.request?.target }
            #expect(targets == ["/feed.json", "/new.json", "/feed.json"])
        }
    }

    // MARK: Bodies that do not arrive as a whole

    private var halfAnswer: String { "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[1," }

    @Test func connectionThatBreaksWithinTheBodyIsAFailure() async throws {
        try await RawServer.run(sending: halfAnswer, closes: true) { url in
            try await polling(url, policy: policy()) { polling in
                let line = try #require(await polling.log.first { _ in true })
                let reason = try #require(line.metadata["reason"])
                #expect(reason.hasPrefix("transfer broke off: "), "\(reason)")
            }
        }
    }

    @Test func bodyThatStallsIsGivenUpAfterTheTimeout() async throws {
        let timeout = Duration.milliseconds(100)
        try await RawServer.run(sending: halfAnswer, closes: false) { url in
            try await polling(url, policy: policy(timeout: timeout)) { polling in
                let line = try #require(await polling.log.first { _ in true })
                let reason = FeedFailure.timedOut(after: timeout).description
                #expect(line.metadata["reason"] == reason)
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
        let health = try #require(board.withLock { $0 }?.all.first?.health)
        #expect(health.lastFailure == nil)
        #expect(health.consecutiveFailures == 0)
    }
}
