import Dispatch
import Postgres

/// Asks a server at an interval whether it is there: a hub detects its absence without a write.
///
/// `@unchecked Sendable`: the session is only used on the queue, and the timer is only used by
/// `init` and `stop`.
final class PostgresWatch: @unchecked Sendable {
    private let timer: any DispatchSourceTimer

    /// - Parameters:
    ///   - queue: the queue of the session.
    ///   - onFault: called on the queue for each question without an answer.
    init(
        _ session: PostgresSession,
        on queue: DispatchQueue,
        every interval: Duration,
        onFault: @escaping @Sendable (any Error) -> Void
    ) {
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + interval.inSeconds, repeating: interval.inSeconds)
        let session = Session(session: session)
        timer.setEventHandler {
            do {
                try session.session.ask()
            } catch {
                onFault(error)
            }
        }
        timer.resume()
    }

    /// `@unchecked Sendable`: only used on the queue.
    private struct Session: @unchecked Sendable {
        let session: PostgresSession
    }

    deinit { stop() }

    func stop() { timer.cancel() }
}
