import Configuration
import Dispatch
import Locking
import Logging
import Timekeeping

/// How long each step of the shutdown may take. All follow from `drain.timeout`.
package struct StopDeadlines: Sendable, Equatable {
    /// Even with a short `drain.timeout`, a slow disk has time to take what is committed.
    static let stepMin = Duration.seconds(5)
    /// For what `drain.timeout` leaves: closing the connections that are still open.
    static let cut = Duration.seconds(2)
    /// For the log lines that are not written yet.
    package static let log = Duration.seconds(1)

    /// Of the connections, with closing those that did not leave.
    let drain: Duration
    /// Of each later step.
    let step: Duration

    package init(_ drain: Configuration.Drain) {
        self.drain = drain.timeout + StopDeadlines.cut
        step = max(drain.timeout, StopDeadlines.stepMin)
    }

    /// From the signal until the process must have ended.
    package var total: Duration { drain + step * StopSteps.laterSteps + StopDeadlines.log }
}

/// The steps of a shutdown, one after the other. A step that overruns its deadline is logged and left
/// behind, so that the later ones still happen; so is one that fails.
struct StopSteps {
    /// Those after the connections: work under way, upstreams, the store.
    static let laterSteps = 3

    let logger: Logger
    /// Whether every step so far has ended in time and without an error.
    private(set) var areProper = true

    init(_ logger: Logger) {
        self.logger = logger
    }

    mutating func run(
        _ step: String,
        within timeout: Duration,
        _ body: @escaping @Sendable () async throws -> Void
    ) async {
        switch await StopSteps.outcome(of: body, within: timeout) {
        case .success: return
        case .failure(let error):
            logger.error("shutdown: step failed", metadata: ["step": "\(step)", "err": "\(error)"])
        case nil:
            logger.error(
                "shutdown: step did not end in time",
                metadata: ["step": "\(step)", "timeout": "\(timeout)"]
            )
        }
        areProper = false
    }

    /// What came of `body`; nil if it was not done in time. It goes on by itself then.
    private static func outcome(
        of body: @escaping @Sendable () async throws -> Void,
        within timeout: Duration
    ) async -> Result<Void, any Error>? {
        await withCheckedContinuation { continuation in
            let race = Locked<CheckedContinuation<Result<Void, any Error>?, Never>?>(continuation)
            @Sendable func end(_ outcome: Result<Void, any Error>?) {
                let winner = race.withLock { waiting in
                    defer { waiting = nil }
                    return waiting
                }
                winner?.resume(returning: outcome)
            }
            Task {
                do {
                    try await body()
                    end(.success(()))
                } catch {
                    end(.failure(error))
                }
            }
            // Not a task that sleeps: it would need a thread of the pool in which the step may be stuck.
            let milliseconds = Int(clamping: timeout.wholeMilliseconds)
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
                end(nil)
            }
        }
    }
}
