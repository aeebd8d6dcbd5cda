import Service

/// Moves publications from SQL into the log, until its task is cancelled.
///
/// It looks when it is woken and when a pause ends, which also retries after a failure. It has no
/// rules: `InboxRules` decides about rows and `InboxPace` about transactions.
package struct InboxMover: Sendable {
    /// The calls of the store.
    struct Inbox: Sendable {
        var hasRows: @Sendable () async throws -> Bool
        /// Takes at most so many rows.
        var take: @Sendable (_ rowsMax: Int) async throws -> InboxBatch
        /// Moves the oldest row to the refused ones.
        var refuseOldest: @Sendable (_ reason: String) async throws -> InboxBatch
    }

    let inbox: Inbox
    /// Rings when an application has published.
    let alarm: Alarm
    /// Returns when the next look is due.
    let pause: @Sendable () async throws -> Void
    let logger: Logger

    private struct Progress {
        var pace = InboxPace()
        /// The last failure, until a look succeeds.
        var failure: String?
    }

    func run() async {
        var progress = Progress()
        while !Task.isCancelled {
            await moveAll(&progress)
            await alarm.wait(orUntil: pause)
        }
    }

    private func moveAll(_ progress: inout Progress) async {
        while !Task.isCancelled {
            do {
                // Without rows, there is no transaction.
                let hasRows = try await inbox.hasRows()
                let batch = hasRows ? try await inbox.take(progress.pace.rowsMax) : InboxBatch()
                progress.pace.noteSuccess()
                progress.failure = nil
                log(batch)
                guard !batch.isEmpty else { return }
            } catch {
                guard await goesOn(after: error, &progress) else { return }
            }
        }
    }

    /// Returns whether rows can be taken again at once.
    private func goesOn(after error: any Error, _ progress: inout Progress) async -> Bool {
        guard !Task.isCancelled else { return false }
        switch progress.pace.noteFailure(error) {
        case .again: return true
        case .later:
            log(error, &progress)
            return false
        case .refuseOldest(let reason):
            do {
                log(try await inbox.refuseOldest(reason))
                return true
            } catch {
                log(error, &progress)
                return false
            }
        }
    }

    // MARK: Log

    /// Logs a failure once, however often it is repeated.
    private func log(_ error: any Error, _ progress: inout Progress) {
        let failure = "\(error)"
        guard progress.failure != failure else { return }
        progress.failure = failure
        logger.warning(
            "publications from SQL not taken",
            metadata: ["err": "\(failure)"],
            source: LogSource.peer
        )
    }

    private func log(_ batch: InboxBatch) {
        for refusal in batch.refusals {
            logger.warning(
                "publication from SQL refused",
                metadata: [
                    "inbox_id": .stringConvertible(refusal.id), "channel": "\(refusal.channel)",
                    "reason": "\(refusal.reason)",
                ],
                source: LogSource.peer
            )
        }
    }
}
