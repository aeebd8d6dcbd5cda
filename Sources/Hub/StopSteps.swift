import Dispatch

/// The time limits of the steps of the shutdown. All are derived from `drain.timeout`.
package struct StopDeadlines: Sendable, Equatable {
    /// Even with a short `drain.timeout`, a slow disk has this time to store committed data.
    static let stepMin = Duration.seconds(5)
    /// The time to close the connections that are still open after `drain.timeout`.
    static let cut = Duration.seconds(2)
    /// The time to write the remaining log lines.
    package static let log = Duration.seconds(1)

    /// The limit of closing the connections, including those that did not leave by themselves.
    let drain: Duration
    /// The limit of each later step.
    let step: Duration

    package init(_ drain: Configuration.Drain) {
        self.drain = drain.timeout + StopDeadlines.cut
        step = max(drain.timeout, StopDeadlines.stepMin)
    }

    /// From the signal until the process must have ended.
    package var total: Duration { drain + step * StopSteps.laterSteps + StopDeadlines.log }
}

/// Runs the steps of a shutdown, one after the other. A step that exceeds its deadline or fails is
/// logged, and the next one begins.
struct StopSteps {
    /// The steps after the connections: work in progress, upstreams, the store.
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

    /// Returns the result of `body`; nil if it did not end in time, in which case it continues to
    /// run.
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
            // Not a sleeping task, which would need a thread of the pool in which the step may be
            // stuck.
            let milliseconds = Int(clamping: timeout.wholeMilliseconds)
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
                end(nil)
            }
        }
    }
}
