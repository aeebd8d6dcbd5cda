import Expectations
import Glibc
import PostgresTesting
import StoreTesting

@testable import Store

/// The other side is there, and says nothing: a server's process, or a node in its transaction.
@Suite("Silence between nodes and PostgreSQL", .timeLimit(.minutes(10)))
struct SilenceTests {
    private var fixture = ClusterFixture()

    init() { fixture.staleAfter = .seconds(1) }

    /// Stops the server's process of the writer's session, between two statements of it.
    private func stopWriter(_ store: HubStore) async throws -> pid_t {
        let process = try await store.onSession { session -> Int? in
            let process = try session.integer("SELECT pg_backend_pid()")
            return try process.map { try stopIdle(Int64($0)) } == true ? process : nil
        }
        return pid_t(try require(process))
    }

    @Test func processThatIsStoppedDelaysPublishersForTheLimitOnly() async throws {
        try await fixture.withNodes(["a"]) { nodes in
            try await nodes[0].publish(radar, "1")
            let process = try await stopWriter(nodes[0].store)
            defer { kill(process, SIGCONT) }
            var expected = [Node.Told.publication(radar, 1, "1")]
            do {
                // The node looks for commits of others on the same connection. If this meets the stopped
                // process first, the publisher waits for the limit and gets the next connection.
                try await nodes[0].publish(radar, "2")
                expected.append(.publication(radar, 2, "2"))
            } catch let error as StoreError {
                expectEqual(error.code, .cannotOpen)
                expect(error.message.contains("no answer from the server for"))
            }
            while (try? await nodes[0].publish(radar, "3")) == nil {}
            expected.append(.publication(radar, UInt64(expected.count + 1), "3"))
            await expectEqual(nodes[0].told(), expected)
        }
    }

    /// The connection is lost during the COMMIT, whose outcome is then looked up.
    @Test func outcomeOfACommitThatIsNotAnsweredIsLookedUp() async throws {
        let isFirst = Locked(true)
        let stopped = Locked<pid_t?>(nil)
        let patience = Locked<Duration?>(nil)
        var fixture = fixture
        fixture.fate = { session, question, time in
            patience.withLock { $0 = $0 ?? time }
            return session.fate(of: question, within: time)
        }
        fixture.commit = { session in
            let isStopped = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if isStopped, let process = try session.integer("SELECT pg_backend_pid()"),
                try stopIdle(Int64(process))
            {
                stopped.withLock { $0 = pid_t(process) }
            }
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
            // publisher may have given up by then. Other tests wait for locks of their own.
            let waiting = """
                SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'advisory'
                    AND objid = current_schema()::regnamespace::oid
                """
            while try !hasEnded.withLock({ $0 }) && fixture.run(waiting).integer(0, 0) == 0 {
                await Task.yield()
            }
            if let process = stopped.withLock({ $0 }) { kill(process, SIGCONT) }
            let first = try? await publisher.value
            while (try? await node.publish(radar, "2")) == nil {}
            // Whether the COMMIT has reached the server or not, what is stored is told, once.
            let told = await node.told()
            let stored = try fixture.run("SELECT count(*) FROM publication").integer(0, 0)
            expectEqual(stored, Int64(told.count))
            expect(told.contains(.publication(radar, 1, "1")) || first == nil)
            expectEqual(told.last, .publication(radar, UInt64(told.count), "2"))
            // The publisher has waited for the limit of a silent server, and not for its return.
            expect(stopped.withLock { $0 } == nil || patience.withLock { $0 } == .zero)
        }
    }

    @Test func readerThatIsStoppedIsReplaced() async throws {
        try await fixture.withNodes(["a"]) { nodes in
            try await nodes[0].publish(radar, "1")
            let store = nodes[0].store
            // Both readers. Nothing uses them in the background.
            var processes: [pid_t] = []
            for _ in 0..<2 {
                let process = try await store.reading { try $0.integer("SELECT pg_backend_pid()") }
                processes.append(pid_t(try require(process)))
            }
            expectEqual(Set(processes).count, 2)
            defer { for process in processes { kill(process, SIGCONT) } }
            for process in processes { try expect(stopIdle(Int64(process))) }
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
        expectEqual(options.transactionSilenceMax, .milliseconds(milliseconds))
        expect(options.transactionSilenceMax * 2 <= options.staleAfter)
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
            expectNil(nodes[1].store.staleness)
            blocker.signal()
            await #expect(throws: StoreError.self) { try await stopped.value }
            await expectEqual(nodes[0].told(), [.publication(radar, 1, "1")])
        }
    }
}
