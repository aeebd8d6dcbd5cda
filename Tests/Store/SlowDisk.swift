import Dispatch
import GRDB
import StoreTesting

@testable import Store

/// A disk that holds the commits of a store while it is told to.
final class SlowDisk: Sendable {
    private struct State {
        var holds = false
        var held = 0
        var failure: DatabaseError?
    }

    private let state = Locked(State())
    private let gate = DispatchSemaphore(value: 0)

    /// For `openStore`.
    func commit(_ session: SQLSession) throws {
        let holds = state.withLock { state in
            if state.holds { state.held += 1 }
            return state.holds
        }
        if holds { gate.wait() }
        if let failure = state.withLock({ $0.failure }) { throw failure }
        try session.commit()
    }

    /// Holds the next commit: starts `write`, runs `body` while its transaction has come to its end
    /// and not been committed, and lets it go on.
    ///
    /// - Parameter failure: how the commit ends.
    func holding<Value: Sendable>(
        failure: DatabaseError? = nil,
        _ write: @escaping @Sendable () async throws -> Value,
        while body: () async throws -> Void
    ) async throws -> Result<Value, any Error> {
        state.withLock { state in
            state.holds = true
            state.held = 0
            state.failure = failure
        }
        let task = Task { try await write() }
        while state.withLock({ $0.held }) == 0 { await Task.yield() }
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await body())
        } catch {
            outcome = .failure(error)
        }
        state.withLock { $0.holds = false }
        gate.signal()
        let result = await task.result
        state.withLock { $0.failure = nil }
        try outcome.get()
        return result
    }
}
