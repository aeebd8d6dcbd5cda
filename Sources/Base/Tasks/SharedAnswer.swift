/// One answer for all who ask while it is being made: however many ask, it is made once at a time.
///
/// An answer is never older than the moment at which the making of it began.
package final class SharedAnswer<Value: Sendable>: Sendable {
    private let running = Locked<Task<Value, Never>?>(nil)

    package init() {}

    /// The answer that is being made, or else a new one.
    package func value(_ make: @escaping @Sendable () async -> Value) async -> Value {
        let task = running.withLock { running in
            if let running { return running }
            let task = Task {
                let value = await make()
                self.running.withLock { $0 = nil }
                return value
            }
            running = task
            return task
        }
        return await task.value
    }

    /// As `value`, for a caller that must not wait for long; nil if the answer is not there in time.
    ///
    /// The making of it goes on, and callers that come before its end wait for the same one.
    package func value(
        within limit: Duration,
        _ timer: ProcessTimer = .system,
        _ make: @escaping @Sendable () async -> Value
    ) async -> Value? {
        let task = Task { await value(make) }
        return await task.value { try await timer(limit) }
    }
}
