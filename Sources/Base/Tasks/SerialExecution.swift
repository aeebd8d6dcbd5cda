/// Runs asynchronous operations one after another, in the order in which they came.
///
/// An actor by itself does not: it lets another call in at every suspension, here at every commit.
package actor SerialExecution {
    private var last: Task<Void, Never>?

    package init() {}

    package func run<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let previous = last
        let task = Task {
            await previous?.value
            return try await operation()
        }
        last = Task { _ = try? await task.value }
        return try await task.value
    }
}
