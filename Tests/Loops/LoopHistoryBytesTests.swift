import Expectations
import HubTesting
import LoopTesting
import TokenTesting

@testable import Loops

/// What histories hold is counted and bounded, and clients publish within their part of the budget.
@Suite("Loop: bytes of histories", .timeLimit(.minutes(10)))
struct LoopHistoryBytesTests {
    private let payload = "\"" + String(repeating: "x", count: 9_000) + "\""

    @Test(.disabled(if: historiesAreStored, "about histories in memory"))
    func historiesAreCountedOnceForAllLoops() async throws {
        let budget = MemoryBudget(limit: 64 << 20)
        try await withLoops(loops: 2, shared: HubShared(budget: budget)) { hub in
            for _ in 0..<10 { hub.publish("news:a", payload) }
            while budget.held(for: .histories) < 90_000 { try await hub.settle() }
            try await hub.settle()
            expect(budget.held(for: .histories) < 100_000)
            // Two are kept, once both loops have received them.
            for _ in 0..<10 { hub.publish("brief:a", payload) }
            while budget.held(for: .histories) < 108_000
                || budget.held(for: .histories) > 120_000
            {
                try await hub.settle()
            }
        }
    }

    @Test(.disabled(if: historiesAreStored, "about histories in memory"))
    func oldestOfTheLargestAreEvictedAndTheLossHasAName() async throws {
        let budget = MemoryBudget(limit: 64 << 20)
        let log = RecordedLog()
        try await withLoops(
            shared: HubShared(budget: budget),
            hubLimits: HubLimits(historyBytesMax: 50_000),
            logger: log.logger
        ) { hub in
            hub.publish("news:small", "1")
            for _ in 0..<10 { hub.publish("news:large", payload) }
            let client = try hub.connect()
            try await client.connectSession()
            let position = #","recover":true,"epoch":"\#(LoopFixture.epoch)","offset":0"#
            let small = try await client.subscribe(2, "news:small", position)
            expect(small.contains(#""recovered":true"#))
            let large = try await client.subscribe(3, "news:large", position)
            expect(!large.contains(#""recovered":true"#))
            expectEqual(offsets(in: large), [6, 7, 8, 9, 10])
            await expectEqual(hub.count(.memory), 5)
            expect(budget.held(for: .histories) <= 50_000)
            let lines = log.lines.withLock { $0 }.filter { $0.message.contains("memory limit") }
            expectEqual(lines.count, 1)
        }
    }

    @Test func clientWithoutRoomIsRefusedAndTheServerIsNot() async throws {
        let budget = MemoryBudget(limit: 64 << 20)
        let tokens = try await TestTokens()
        try await withLoops(
            verifier: tokens.verifier,
            shared: HubShared(budget: budget)
        ) { hub in
            let (anonymous, user) = (try hub.connect(), try hub.connect())
            try await anonymous.connectSession()
            _ = try await user.connectSession(token: try tokens.connection("42"))
            let publish = #"{"id":2,"publish":{"channel":"news:a","data":1}}"#
            try await expectEqual(anonymous.errorCode(publish), 0)

            budget.add(budget.limit(for: .anonymous), to: .alerts)
            try await expectEqual(anonymous.errorCode(publish), 106)
            try await expectEqual(user.errorCode(publish), 0)
            await expectEqual(hub.count(.memory), 1)

            budget.add(budget.limit, to: .alerts)
            try await expectEqual(user.errorCode(publish), 106)
            hub.publish("news:a", "2")
            let reply = try await user.subscribe(3, "news:a")
            expectEqual(number("offset", in: reply), 3)
        }
    }
}
