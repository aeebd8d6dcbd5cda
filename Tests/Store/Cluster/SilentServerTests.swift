import Expectations
import StoreTesting

@testable import Store

/// The answer to a COMMIT is lost, and then the server is away. Its answer later is that of PostgreSQL.
@Suite("PostgreSQL: outcomes that are known late", .timeLimit(.minutes(10)))
struct SilentServerTests {
    /// Loses the answer of a commit, and the answers to questions for its outcome.
    private final class Server: Sendable {
        private struct State {
            var losesNext = false
            var isStored = false
            var isSilent = false
        }

        private let state = Locked(State())

        func loseNext(isStored: Bool) {
            state.withLock { $0 = State(losesNext: true, isStored: isStored, isSilent: true) }
        }

        func answer() { state.withLock { $0.isSilent = false } }

        func fixture() -> ClusterFixture {
            var fixture = ClusterFixture()
            fixture.commit = { [self] session in
                let state = state.withLock { state in
                    defer { state.losesNext = false }
                    return state
                }
                guard state.losesNext else { return try session.commit() }
                if state.isStored { try session.commit() }
                throw PostgresError(.noConnection, "lost")
            }
            fixture.fate = { [self] session, question, patience in
                state.withLock(\.isSilent) ? .open : session.fate(of: question, within: patience)
            }
            return fixture
        }
    }

    /// Repeats a call while the outcome of the lost commit is unknown: the server takes a moment to end
    /// the transaction of a lost connection.
    private func whenKnown<Value>(_ call: () async throws -> Value) async throws -> Value {
        while true {
            do {
                return try await call()
            } catch let error as StoreError where error.code == .cannotOpen {
                continue
            }
        }
    }

    /// How a change proves that it is committed.
    enum Evidence: CaseIterable {
        /// By the row of a publication.
        case publication
        /// By the number of its transaction.
        case none
    }

    @Test(arguments: [true, false], Evidence.allCases)
    func onlyHubSettlesACommitByItsEvidence(isStored: Bool, evidence: Evidence) async throws {
        let server = Server()
        let fixture = server.fixture()
        let store = try fixture.open(nil)
        let announced = Locked<[String]>([])
        store.observe(\.committed) { more in announced.withLock { $0 += more.map(text) } }
        _ = try await store.publish(event(radar, "1"))
        server.loseNext(isStored: isStored)
        let state = StateRow(domain: "d", key: "k", value: [1])
        let events = evidence == .publication ? [event(radar, "2")] : []
        let change = Change(events: events, state: [state])
        let unknown = await #expect(throws: StoreError.self) {
            try await store.commit(change, awaitsOutcome: false)
        }
        expectEqual(unknown?.code, .fateUnknown)
        let refused = await #expect(throws: StoreError.self) {
            try await store.publish(event(radar, "3"))
        }
        expectEqual(refused?.code, .cannotOpen)
        server.answer()
        _ = try await whenKnown { try await store.publish(event(radar, "4")) }
        let all = isStored && evidence == .publication ? ["1", "2", "4"] : ["1", "4"]
        expectEqual(announced.withLock { $0 }, all)
        try await expectEqual(store.loadAll()[0].publications.map(text), all)
        try await expectEqual(store.state(domain: "d"), (isStored ? [state] : []))
        try await store.close()
    }

    @Test(arguments: [true, false])
    func nodeSettlesACommitBeforeItReadsTheLog(isStored: Bool) async throws {
        let server = Server()
        try await server.fixture().withNodes(["a", "b"]) { nodes in
            let (a, b) = (nodes[0], nodes[1])
            try await a.publish(radar, "1")
            server.loseNext(isStored: isStored)
            let unknown = await #expect(throws: StoreError.self) {
                try await a.store.commit(Change(events: [event(radar, "2")]), awaitsOutcome: false)
            }
            expectEqual(unknown?.code, .fateUnknown)
            try await b.publish(radar, "3")
            let refused = await #expect(throws: StoreError.self) { try await a.publish(radar, "4") }
            expectEqual(refused?.code, .cannotOpen)
            server.answer()
            try await whenKnown { try await a.publish(radar, "5") }
            let texts = isStored ? ["1", "2", "3", "5"] : ["1", "3", "5"]
            let told = await a.told()
            expectEqual(
                told,
                texts.enumerated().map {
                    .publication(radar, UInt64($0.offset + 1), $0.element)
                }
            )
            await expectEqual(b.told(), told)
        }
    }

    /// A node that counts as dead for so long has to start again.
    @Test func nodeEndsIfTheBatchOfItsCommitWasDeleted() async throws {
        let server = Server()
        let fixture = server.fixture()
        try await fixture.withNodes(["a", "b"]) { nodes in
            let (a, b) = (nodes[0], nodes[1])
            try await a.publish(radar, "1")
            server.loseNext(isStored: true)
            let unknown = await #expect(throws: StoreError.self) {
                try await a.store.commit(Change(events: [event(radar, "2")]), awaitsOutcome: false)
            }
            expectEqual(unknown?.code, .fateUnknown)
            try await b.publish(radar, "3")
            try fixture.run("DELETE FROM batch WHERE number < (SELECT max(number) FROM batch)")
            server.answer()
            let gone = await #expect(throws: StoreError.self) {
                try await whenKnown { try await a.publish(radar, "4") }
            }
            expectEqual(gone?.code, .gone)
            let reason = try require(a.store.restartReason)
            expectEqual(reason, "the evidence of a commit whose outcome is unknown was deleted")
            await expectEqual(a.told(), [.publication(radar, 1, "1")])
            await expectEqual(b.told().count, 3)
        }
    }
}
