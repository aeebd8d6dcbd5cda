/// Runs asynchronous operations one after another that are about the same thing, in the order in which
/// they came; those about different things do not wait for each other.
package actor KeyedExecution<Key: Hashable & Sendable> {
    private struct Last {
        var number: UInt64
        var task: Task<Void, Never>
    }

    private var last: [Key: Last] = [:]
    private var number: UInt64 = 0

    /// Keys with operations that run or wait.
    package var keyCount: Int { last.count }

    package init() {}

    /// - Parameter isCancellable: whether the operation is cancelled with its caller. Otherwise it
    ///   is carried out, and the caller waits for it: a commit that has begun must not be
    ///   interrupted.
    package func run<Value: Sendable>(
        _ key: Key,
        isCancellable: Bool = false,
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let previous = last[key]?.task
        let task = Task {
            await previous?.value
            return try await operation()
        }
        number += 1
        let own = number
        last[key] = Last(number: own, task: Task { _ = try? await task.value })
        defer { if last[key]?.number == own { last[key] = nil } }
        guard isCancellable else { return try await task.value }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
