import GRDB
import Locking
import Testing

@testable import Store

/// Ends the transactions of a store, and lets some of them fail.
package final class FailingCommits: Sendable {
    package enum Failure: Sendable {
        case code(StoreError.Code)
        /// The store does not know whether it has the change.
        case unknownFate(isStored: Bool)
    }

    private struct State {
        var failure: Failure?
        /// How many more transactions fail.
        var left = 0
        var failed = 0
    }

    private let state = Locked(State())
    private let (failures, hasFailed) = AsyncStream<Void>.makeStream()

    package init() {}

    /// How many transactions have failed.
    package var failed: Int { state.withLock { $0.failed } }

    /// Lets the next transactions fail; nil ends that.
    package func fail(_ failure: Failure?, times: Int = .max) {
        state.withLock { ($0.failure, $0.left) = (failure, times) }
    }

    /// Returns when another transaction has failed. For one task.
    package func untilFailed() async {
        _ = await failures.first { _ in true }
    }

    fileprivate func commit(_ session: SQLSession) throws {
        let failure = state.withLock { state -> Failure? in
            guard let failure = state.failure, state.left > 0 else { return nil }
            state.left -= 1
            state.failed += 1
            return failure
        }
        guard let failure else { return try session.commit() }
        hasFailed.yield()
        switch failure {
        case .code(let code): throw StoreError(code, code.rawValue, path: "test")
        case .unknownFate(let isStored):
            if isStored { try session.commit() }
            throw try #require(CommitFailure(DatabaseError(resultCode: .SQLITE_IOERR_FSYNC)))
        }
    }
}

extension StoreOptions {
    package mutating func end(with commits: FailingCommits) {
        commit = { try commits.commit($0) }
    }
}
