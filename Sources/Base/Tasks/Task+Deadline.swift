extension Task where Failure == Never {
    /// Waits for the value of the task, at most until a timer ends.
    ///
    /// The task continues after the timer, and also if the caller is cancelled. Until it ends, one
    /// small task for each call waits for it: bound the tasks that callers can wait for.
    ///
    /// - Parameter timer: returns at the deadline; it is cancelled if the value comes first.
    /// - Returns: nil if the timer ended first.
    package func value(
        until timer: @escaping @Sendable () async throws -> Void
    ) async -> Success? {
        let (values, value) = AsyncStream<Success>.makeStream()
        Task<Void, Never> {
            value.yield(await self.value)
            value.finish()
        }
        let timing = Task<Void, Never> {
            guard (try? await timer()) != nil else { return }
            value.finish()
        }
        defer { timing.cancel() }
        return await values.first { _ in true }
    }
}

/// Sleeps on the clock of the process, for deadlines of callers: the time of a recording is
/// unrelated to how long a person waits.
package struct ProcessTimer: Sendable {
    private let sleep: @Sendable (Duration) async throws -> Void

    package static let system = ProcessTimer { try await Task.sleep(for: $0) }

    /// - Parameter sleep: throws if its task is cancelled.
    package init(_ sleep: @escaping @Sendable (Duration) async throws -> Void) {
        self.sleep = sleep
    }

    package func callAsFunction(_ duration: Duration) async throws { try await sleep(duration) }
}
