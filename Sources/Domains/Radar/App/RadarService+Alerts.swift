import DomainKit

/// Alert rules on radars: evaluated with every event, when a rule has changed, and when an alert
/// may change by the passing of time.
extension RadarService {
    /// Evaluates due rules, until cancelled.
    package func watchAlerts() async {
        await alerts?.run(clock) { [self] id in
            do { try await evaluateAlerts(of: id) } catch {
                logger.error(
                    "radar: alerts not committed",
                    metadata: ["radar": "\(id)", "err": "\(error)"]
                )
            }
        }
    }

    private func evaluateAlerts(of id: String) async throws {
        try await execution.run(id) { [self] in
            let taken =
                directory[id] == nil
                ? alerts?.end(id, now: clock.now, newID: newID)
                : alerts?.take([], of: id, now: clock.now, newID: newID)
            guard let taken else { return }
            var change = Change()
            add(taken, to: &change)
            if change != Change() { _ = try await store.commit(change) }
            keep(taken, change)
        }
    }

    package func add(_ taken: DomainAlerts.Taken, to change: inout Change) {
        alertPublisher.add(taken.outcome, to: &change)
    }

    package func keep(_ taken: DomainAlerts.Taken, _ change: Change) {
        alerts?.keep(taken)
        alertPublisher.report(taken.outcome, committedWith: change)
    }
}
