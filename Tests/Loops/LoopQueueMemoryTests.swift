import Expectations
import LoopTesting
import TokenTesting

@testable import Loops

/// What waits for connections that do not read, and who loses it when there is no memory for it.
@Suite("Loop: memory of queues", .timeLimit(.minutes(10)))
struct LoopQueueMemoryTests {
    private let payload = "\"" + String(repeating: "x", count: 60_000) + "\""

    private func subscriber(
        _ hub: LoopFixture,
        _ topic: String,
        token: String? = nil
    ) async throws -> LoopTestClient {
        let client = try hub.connect(receiveBufferSize: 4096)
        if let token {
            _ = try await client.connectSession(token: token)
        } else {
            try await client.connectSession()
        }
        _ = try await client.subscribe(2, topic)
        return client
    }

    /// Publishes more than the buffers of the kernel take, until so many readers have a queue of 300,000 bytes.
    private func fill(_ hub: LoopFixture, _ topic: String, readers: Int) async throws {
        while await hub.loops[0].longQueueCount() < readers {
            hub.publish(topic, payload)
            try await hub.settle()
        }
    }

    @Test func queuesAreCountedAndGivenBack() async throws {
        let budget = MemoryBudget(limit: 1 << 30)
        try await withLoops(
            { $0.connections.queueBytesMax = 64 << 20 },
            shared: HubShared(budget: budget)
        ) { hub in
            let client = try await subscriber(hub, "told:a")
            try await fill(hub, "told:a", readers: 1)
            expect(budget.held(for: .queues) >= 300_000)
            await client.reset()
            while budget.held(for: .queues) > 0 { try await hub.settle() }
            await expectEqual(hub.loops[0].longQueueCount(), 0)
        }
    }

    @Test func anonymousReadersLoseFirst() async throws {
        let budget = MemoryBudget(limit: 64 << 20)
        let tokens = try await TestTokens()
        try await withLoops(
            { $0.connections.queueBytesMax = 64 << 20 },
            verifier: tokens.verifier,
            shared: HubShared(budget: budget)
        ) { hub in
            let user = try await subscriber(hub, "told:a", token: try tokens.connection("42"))
            let anonymous = try await subscriber(hub, "told:b")
            try await fill(hub, "told:a", readers: 1)
            try await fill(hub, "told:b", readers: 2)
            await expectEqual(hub.count(.memory), 0)
            budget.add(budget.limit(for: .anonymous) - budget.held + 100_000, to: .alerts)
            while await hub.count(.memory) == 0 { try await hub.settle() }
            try await hub.settle()
            await expectEqual(hub.count(.memory), 1)
            await expectEqual(hub.loops[0].connectionNames(), ["42"])
            let left = budget.held(for: .queues)
            expect(left >= 300_000)
            _ = (user, anonymous)
        }
    }
}

extension Loop {
    fileprivate func longQueueCount() -> Int {
        connections.backlogs().count { $0.bytes >= 300_000 }
    }

    /// The users of the open client connections.
    fileprivate func connectionNames() -> [String] {
        connections.openConnections().compactMap { session(of: $0).name?.user }
    }
}
