import Locking
import Postgres
import StoreTesting
import Testing

@testable import Store

/// A node that stops in its transaction.
@Suite("Silence between nodes and PostgreSQL", .timeLimit(.minutes(10)))
struct SilenceTests {
    private var fixture = ClusterFixture()

    init() { fixture.staleAfter = .seconds(1) }

    @Test(arguments: [(1, 500), (2, 500), (4, 1000), (5, 1250), (60, 15_000)])
    func limitOfANodeIsWellBelowTheOneOfTheOthers(seconds: Int, milliseconds: Int) {
        let options = ClusterOptions(node: "a", staleAfter: .seconds(seconds))
        #expect(options.transactionSilenceMax == .milliseconds(milliseconds))
        #expect(options.transactionSilenceMax * 2 <= options.staleAfter)
    }

    @Test func nodeThatFallsSilentInItsTransactionLosesTheLock() async throws {
        let blocker = Blocker()
        let isFirst = Locked(true)
        var fixture = fixture
        fixture.commit = { session in
            if isFirst.withLock({ isFirst in
                defer { isFirst = false }
                return isFirst
            }) {
                blocker.wait()
            }
            try session.commit()
        }
        try await fixture.withNodes(["a", "b"]) { nodes in
            let stopped = Task { try await nodes[0].publish(radar, "lost") }
            while isFirst.withLock({ $0 }) { await Task.yield() }
            try await nodes[1].publish(radar, "1")
            #expect(nodes[1].store.staleness == nil)
            blocker.signal()
            await #expect(throws: StoreError.self) { try await stopped.value }
            #expect(await nodes[0].told() == [.publication(radar, 1, "1")])
        }
    }
}
