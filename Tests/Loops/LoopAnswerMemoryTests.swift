import Expectations
import LoopTesting
import Service
import Wire

@testable import Loops

/// Long responses that peers do not take, and who loses them when there is no memory for them.
@Suite("Loop: memory of responses", .timeLimit(.minutes(10)))
struct LoopAnswerMemoryTests {
    private static let length = 16 << 20

    private func withLongAnswers(
        _ budget: MemoryBudget,
        _ body: (LoopFixture) async throws -> Void
    ) async throws {
        let responder: Responder = { request in
            guard request.head.path == "/long" else { return await answerWithRequest(request) }
            return ServerResponse(
                head: HTTPResponseHead(status: 200),
                body: [UInt8](repeating: 0x78, count: Self.length)
            )
        }
        try await withLoops(shared: HubShared(budget: budget), respond: responder, body)
    }

    /// A client that has asked and reads nothing.
    private func reader(
        _ hub: LoopFixture,
        _ budget: MemoryBudget,
        headers: String = ""
    ) async throws -> LoopTestClient {
        let before = budget.held(for: .answers)
        let client = try hub.connect(receiveBufferSize: 4096)
        try await client.send(Array("GET /long HTTP/1.1\r\nHost: a\r\n\(headers)\r\n".utf8))
        while budget.held(for: .answers) < before + Self.length { try await hub.settle() }
        return client
    }

    @Test func responsesAreCountedUntilTheConnectionEnds() async throws {
        let budget = MemoryBudget(limit: 1 << 30)
        try await withLongAnswers(budget) { hub in
            let clients = [try await reader(hub, budget), try await reader(hub, budget)]
            let held = budget.held(for: .answers)
            expect(held >= 2 * Self.length && held < 2 * Self.length + 2000)
            await clients[0].reset()
            while budget.held(for: .answers) > held / 2 { try await hub.settle() }
            await clients[1].reset()
            while budget.held(for: .answers) > 0 { try await hub.settle() }
        }
    }

    @Test func responsesThatAreTakenAreGivenBack() async throws {
        let budget = MemoryBudget(limit: 1 << 30)
        try await withLongAnswers(budget) { hub in
            let client = try hub.connect()
            for _ in 0..<2 {
                let response = try await client.get("/long")
                expectEqual(response.body.utf8.count, Self.length)
                try await hub.settle()
                expectEqual(budget.held(for: .answers), 0)
            }
        }
    }

    @Test func anonymousPeersLoseTheirsFirst() async throws {
        let budget = MemoryBudget(limit: 128 << 20)
        try await withLongAnswers(budget) { hub in
            let headers = "Authorization: Bearer a\r\n"
            let user = try await reader(hub, budget, headers: headers)
            let anonymous = try await reader(hub, budget)
            await expectEqual(hub.count(.memory), 0)
            budget.add(budget.limit(for: .anonymous) - budget.held + 1, to: .alerts)
            while await hub.count(.memory) == 0 { try await hub.settle() }
            while budget.held(for: .answers) > Self.length + 1000 { try await hub.settle() }
            await expectEqual(hub.count(.memory), 1)
            expect(budget.held(for: .answers) >= Self.length)
            budget.add(budget.limit(for: .user) - budget.held + 1, to: .alerts)
            while budget.held(for: .answers) > 0 { try await hub.settle() }
            await expectEqual(hub.count(.memory), 2)
            _ = (user, anonymous)
        }
    }

    /// What is held for messages or queues is more: those lose first.
    @Test func responsesStayWhileAnotherPurposeHoldsMore() async throws {
        let budget = MemoryBudget(limit: 128 << 20)
        try await withLongAnswers(budget) { hub in
            let client = try await reader(hub, budget)
            budget.add(Self.length * 2, to: .queues)
            budget.add(budget.limit, to: .alerts)
            for _ in 0..<5 { try await hub.settle() }
            await expectEqual(hub.count(.memory), 0)
            budget.add(-Self.length * 2, to: .queues)
            while await hub.count(.memory) == 0 { try await hub.settle() }
            _ = client
        }
    }
}
