@testable import Store

/// Ends the transactions of a store, and lets some of them fail.
package final class FailingCommits: Sendable {
    package enum Failure: Sendable {
        case code(StoreError.Code)
        /// The commit is not answered, and neither is the first question for its outcome.
        case unknownFate(isStored: Bool)
        /// The same, and the outcome is never known.
        case lostFate(isStored: Bool)
    }

    private struct State {
        var failure: Failure?
        /// How many more transactions succeed before, and how many fail then.
        var passed = 0
        var left = 0
        var failed = 0
        var count = 0
        /// The outcome of the last commit that was not answered.
        var fate = CommitFate.open
        var isSilent = false
        /// How often the store has asked for it.
        var asked = 0
    }

    private let state = Locked(State())
    private let (failures, hasFailed) = AsyncStream<Void>.makeStream()

    package init() {}

    /// How many transactions have failed.
    package var failed: Int { state.withLock { $0.failed } }

    /// Whether questions for an outcome have no answer, also after the first.
    package func setSilent(_ isSilent: Bool) { state.withLock { $0.isSilent = isSilent } }

    /// How many transactions there were since `resetCount`.
    package var count: Int { state.withLock { $0.count } }

    package func resetCount() { state.withLock { $0.count = 0 } }

    /// Lets the next transactions fail; nil ends that.
    ///
    /// - Parameter passed: how many transactions succeed before.
    package func fail(_ failure: Failure?, times: Int = .max, after passed: Int = 0) {
        state.withLock { ($0.failure, $0.left, $0.passed) = (failure, times, passed) }
    }

    /// Returns when another transaction has failed. For one task.
    package func untilFailed() async {
        _ = await failures.first { _ in true }
    }

    fileprivate func commit(_ session: SQLSession) throws {
        let failure = state.withLock { state -> Failure? in
            state.count += 1
            guard let failure = state.failure, state.left > 0 else { return nil }
            guard state.passed == 0 else {
                state.passed -= 1
                return nil
            }
            state.left -= 1
            state.failed += 1
            return failure
        }
        guard let failure else { return try session.commit() }
        hasFailed.yield()
        switch failure {
        case .code(let code): throw StoreError(code, code.rawValue, path: "test")
        case .unknownFate(let isStored):
            try loseAnswer(session, isStored, isStored ? .committed : .lost)
        case .lostFate(let isStored):
            try loseAnswer(session, isStored, .never("the outcome is lost"))
        }
    }

    private func loseAnswer(
        _ session: SQLSession,
        _ isStored: Bool,
        _ fate: CommitFate
    ) throws {
        state.withLock { ($0.fate, $0.asked) = (fate, 0) }
        if isStored { try session.commit() } else { try session.rollback() }
        throw PostgresError(.noConnection, "no answer")
    }

    fileprivate func answer() -> CommitFate {
        state.withLock { state in
            state.asked += 1
            return state.asked == 1 || state.isSilent ? .open : state.fate
        }
    }
}

extension StoreOptions {
    package mutating func end(with commits: FailingCommits) {
        commit = { try commits.commit($0) }
        fate = { _, _, _ in commits.answer() }
        watchInterval = .milliseconds(10)
    }
}
