import Dispatch

/// Runs `body` on a thread outside the cooperative pool, and waits for it without blocking one.
///
/// The cooperative pool has one thread per core. A call that blocks one of them, such as opening or
/// closing a file, can wait for work that needs that thread. A serial queue has a separate thread,
/// however many others are blocked.
func onOwnThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue(label: "store.blocking").async {
            continuation.resume(with: Result { try body() })
        }
    }
}
