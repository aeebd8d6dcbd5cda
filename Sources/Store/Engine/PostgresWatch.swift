import Dispatch

/// Asks a server at an interval whether it is there: a hub detects its absence without a write.
///
final class PostgresWatch: Sendable {
    private let timer: QueueTimer

    /// - Parameters:
    ///   - queue: the queue of the session.
    ///   - onFault: called on the queue for each question without an answer.
    init(
        _ session: PostgresSession,
        on queue: DispatchQueue,
        every interval: Duration,
        onFault: @escaping @Sendable (any Error) -> Void
    ) {
        timer = QueueTimer(on: queue, every: interval) {
            do {
                try session.ask()
            } catch {
                onFault(error)
            }
        }
    }

    func stop() { timer.stop() }
}
