import PubSub
import Store
import Timekeeping

/// Rules that look at radars: evaluated with every event, when a rule has changed, and when time alone
/// may change an alert.
extension RadarService {
    /// A look at the clock at least as often: it can be set.
    private static let alertPauseMax = Duration.seconds(60)
    private static let alertPauseMin = Duration.seconds(1)

    /// Evaluates what is due, until cancelled.
    package func watchAlerts() async {
        guard let alerts else { return }
        while !Task.isCancelled {
            let now = clock.now
            let (radars, next) = alerts.due(now: now)
            for id in radars where !Task.isCancelled {
                do { try await evaluateAlerts(of: id) } catch {
                    logger.error(
                        "radar: alerts not committed",
                        metadata: ["radar": "\(id)", "err": "\(error)"]
                    )
                }
            }
            let wait = next.map { $0 - now } ?? RadarService.alertPauseMax
            let pause = min(max(wait, RadarService.alertPauseMin), RadarService.alertPauseMax)
            await alerts.alarm.wait { [clock] in try await clock.sleep(pause) }
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

    package func add(_ taken: RadarAlerts.Taken, to change: inout Change) {
        change.events += taken.events.map { TopicEvent(topic: $0.topic, event: $0.event) }
        change.alerts += taken.alerts
        change.state += taken.state
        change.deliveries += taken.events.flatMap { topic, event in
            deliveries(of: event, topic: topic)
        }
    }

    package func keep(_ taken: RadarAlerts.Taken, _ change: Change) {
        alerts?.keep(taken)
        metrics.note(taken.transitions)
        for (topic, event) in taken.events {
            logger.notice("\(event.type)", metadata: ["topic": "\(topic)"])
        }
        if !change.deliveries.isEmpty { wakeOutbox() }
    }
}
