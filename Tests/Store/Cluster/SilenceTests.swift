import Glibc
import Locking
import Postgres
import PostgresTesting
import PubSub
import StoreTesting
import Testing
import Timekeeping

@testable import Store

/// The other side is there, and says nothing: a server's process, or a node in its transaction.
@Suite("Silence between nodes and PostgreSQL", .timeLimit(.minutes(10)))
struct SilenceTests {
    private var fixture = ClusterFixture()

    init() { fixture.staleAfter = .seconds(1) }

    private func process(_ store: HubStore) async throws -> Int64 {
        let process = try await store.onSession { try $0.integer("SELECT pg_backend_pid()") }
        return Int64(try #require(process))
    }

    @Test func processThatIsStoppedDelaysPublishersForTheLimitOnly() async throws {
        try await fixture.withNodes(["a"]) { nodes in
            try await nodes[0].publish(radar, "1")
            // The server ends a session that stays in its transaction for longer than the limit, which
            // can happen on a busy machine. The store then has another one.
            var process: Int64
            repeat {
                process = try await self.process(nodes[0].store)
            } while try !stopIdle(process)
            defer { kill(pid_t(process), SIGCONT) }
            let error = await #expect(throws: StoreError.self) {
                try await nodes[0].publish(radar, "2")
            }
            #expect(error?.code == .cannotOpen)
            #expect(error?.message.contains("no answer from the server for") == true)
            while (try? await nodes[0].publish(radar, "3")) == nil {}
            let told = await nodes[0].told()
            #expect(told == [.publication(radar, 1, "1"), .publication(radar, 2, "3")])
        }
    }

    /// The connection is lost during the COMMIT, whose outcome is then looked up.
    @Test(.disabled("in one run of five it does not end, which is not explained yet"))
    func outcomeOfACommitThatIsNotAnsweredIsLookedUp() async throws {
        let stopped = Locked<pid_t?>(nil)
        var fixture = fixture
        fixture.commit = { session in
            let process = try session.integer("SELECT pg_backend_pid()").map { pid_t($0) }
            let isFirst = stopped.withLock { stopped in
                defer { stopped = stopped ?? process }
                return stopped == nil
            }
            if isFirst, let process { try stopIdle(Int64(process)) }
            try session.commit()
        }
        defer { if let process = stopped.withLock({ $0 }) { kill(process, SIGCONT) } }
        try await fixture.withNodes(["a"]) { nodes in
            let hasEnded = Locked(false)
            let node = nodes[0]
            let publisher = Task {
                defer { hasEnded.withLock { $0 = true } }
                return try await node.publish(radar, "1")
            }
            // The process has the lock until it goes on, and finds that its client is gone. The
            // publisher may have given up by then.
            while try !hasEnded.withLock({ $0 })
                && fixture.run(
                    "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'advisory'"
                ).integer(0, 0) == 0
            { await Task.yield() }
            if let process = stopped.withLock({ $0 }) { kill(process, SIGCONT) }
            let first = try? await publisher.value
            while (try? await node.publish(radar, "2")) == nil {}
            // Whether the COMMIT has reached the server or not, what is stored is told, once.
            let told = await node.told()
            let stored = try fixture.run("SELECT count(*) FROM publication").integer(0, 0)
            #expect(stored == Int64(told.count))
            #expect(told.contains(.publication(radar, 1, "1")) || first == nil)
            #expect(told.last == .publication(radar, UInt64(told.count), "2"))
        }
    }

    @Test func readerThatIsStoppedIsReplaced() async throws {
        try await fixture.withNodes(["a"]) { nodes in
            try await nodes[0].publish(radar, "1")
            let store = nodes[0].store
            // Both readers.
            var processes: [pid_t] = []
            for _ in 0..<2 {
                let process = try await store.reading { try $0.integer("SELECT pg_backend_pid()") }
                processes.append(pid_t(try #require(process)))
            }
            #expect(Set(processes).count == 2)
            for process in processes { try stopIdle(Int64(process)) }
            defer { for process in processes { kill(process, SIGCONT) } }
            // The other one may be replaced together with the first.
            await #expect(throws: StoreError.self) { try await store.lastClock() }
            while (try? await store.lastClock()) == nil {
                guard (try? await store.listTopics(afterRow: 0, count: 9)) == nil else { break }
            }
        }
    }

    // MARK: A node in its transaction

    @Test(arguments: [(1, 500), (2, 1000), (4, 2000), (5, 2500), (60, 30_000)])
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
