/// Notifies the sender, if one runs, that rows were added or endpoints changed.
///
/// Every part of the hub that adds rows has it. Senders come and go, one at a time. May be called
/// from any thread.
package final class OutboxWakeUps: Sendable {
    private let sender = Locked<AsyncStream<Void>.Continuation?>(nil)

    package init() {}

    /// Returns the wake-ups of the next sender. Those of the sender before it end.
    package func next() -> AsyncStream<Void> {
        let (wakeUps, continuation) = AsyncStream<Void>.makeStream(
            bufferingPolicy: .bufferingNewest(1)
        )
        let former = sender.withLock { sender in
            defer { sender = continuation }
            return sender
        }
        former?.finish()
        return wakeUps
    }

    package func wake() { _ = sender.withLock { $0 }?.yield() }
}
