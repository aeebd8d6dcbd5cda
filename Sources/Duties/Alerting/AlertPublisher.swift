import Service

/// The output of alerts: events and webhooks in a change, then metrics and log entries after its
/// commit.
package struct AlertPublisher: Sendable {
    private let outbox: OutboxRouter
    private let silences: AlertSilences
    private let metrics: DomainMetrics
    private let logger: Logger

    package init(
        outbox: OutboxRouter,
        silences: AlertSilences,
        metrics: DomainMetrics,
        logger: Logger
    ) {
        self.outbox = outbox
        self.silences = silences
        self.metrics = metrics
        self.logger = logger
    }

    /// Adds alerts, their rows and their webhooks to the change that they are committed with.
    package func add(_ outcome: AlertBoards.Outcome, to change: inout Change) {
        change.events += outcome.events.map {
            TopicEvent(topic: $0.topic, event: $0.event, tags: $0.tags)
        }
        change.alerts += outcome.alerts
        change.state += outcome.state
        let wall = HubClock.wall
        for told in outcome.events {
            outbox.add(
                told.event,
                topic: told.topic,
                tags: told.tags,
                alert: told.record,
                silences,
                wall: wall,
                to: &change
            )
        }
    }

    /// Logs and counts alerts, and wakes the outbox, after the change with them is committed.
    package func report(_ outcome: AlertBoards.Outcome, committedWith change: Change) {
        metrics.note(outcome.transitions)
        for told in outcome.events {
            // Alerts of users' own rules must not fill the log.
            let level: Logger.Level = told.topic.namespace == userAlertsNamespace ? .debug : .notice
            logger.log(
                level: level,
                "alert published",
                metadata: [
                    "event": "\(told.event.type)", "topic": "\(told.topic)",
                    "time": "\(told.event.time.iso8601Seconds)",
                ],
                // Clients that publish values can raise and clear an alert as often as they like.
                source: LogSource.peer
            )
        }
        // Other deliveries may have waited for erased deliveries.
        if !(change.deliveries.isEmpty && change.erasures.isEmpty) { outbox.wake() }
    }

    /// Wakes the outbox, for deliveries of a change whose outcome was unknown.
}
