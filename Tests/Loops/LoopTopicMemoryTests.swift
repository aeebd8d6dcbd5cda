import ConfigurationTesting
import Expectations
import LoopTesting
import TokenTesting

@testable import Loops

/// What the tables of topics and subscriptions hold is counted and bounded.
@Suite("Loop: bytes of tables", .timeLimit(.minutes(10)))
struct LoopTopicMemoryTests {
    @Test(.disabled(if: historiesAreStored, "about histories in memory"))
    func topicsAreCountedOnceAndSubscriptionsOnEachLoop() async throws {
        let budget = MemoryBudget(limit: 64 << 20)
        try await withLoops(loops: 2, shared: HubShared(budget: budget)) { hub in
            try await hub.settle()
            let start = budget.held(for: .topics)
            for number in 0..<10 { hub.publish("news:\(number)", "1") }
            while budget.held(for: .topics) < start + 10 * MemoryLedger.topicBytes {
                try await hub.settle()
            }
            try await hub.settle()
            expectEqual(budget.held(for: .topics), start + 10 * MemoryLedger.topicBytes)
            let client = try hub.connect()
            try await client.connectSession()
            for number in 0..<3 { _ = try await client.subscribe(number + 2, "news:\(number)") }
            try await hub.settle()
            expectEqual(
                budget.held(for: .topics),
                start + 10 * MemoryLedger.topicBytes + 3
                    * (MemoryLedger.subscriptionBytes + MemoryLedger.subscribedTopicBytes)
            )
            await client.close()
            while budget.held(for: .topics) > start + 10 * MemoryLedger.topicBytes {
                try await hub.settle()
            }
        }
    }

    @Test func subscriptionWithoutRoomIsRefusedToTheAnonymousFirst() async throws {
        let budget = MemoryBudget(limit: 64 << 20)
        let tokens = try await TestTokens()
        try await withLoops(
            verifier: tokens.verifier,
            shared: HubShared(budget: budget)
        ) { hub in
            let (anonymous, user) = (try hub.connect(), try hub.connect())
            try await anonymous.connectSession()
            _ = try await user.connectSession(token: try tokens.connection("42"))
            try await hub.settle()
            func subscribe(_ id: Int, _ topic: String) -> String {
                #"{"id":\#(id),"subscribe":{"channel":"news:\#(topic)"}}"#
            }
            let room = budget.limit(for: .anonymous) / 2 - budget.held(for: .topics)
            budget.add(room - MemoryLedger.subscriptionBytes, to: .topics)
            try await expectEqual(anonymous.errorCode(subscribe(2, "a")), 0)
            budget.add(1, to: .topics)
            try await expectEqual(anonymous.errorCode(subscribe(3, "b")), 111)
            await expectEqual(hub.count(.memory), 1)
            try await expectEqual(user.errorCode(subscribe(2, "b")), 0)
            budget.add(budget.limit(for: .user) / 2, to: .topics)
            try await expectEqual(user.errorCode(subscribe(3, "c")), 111)
        }
    }
}
