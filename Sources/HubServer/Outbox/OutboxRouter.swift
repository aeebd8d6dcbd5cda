import PubSub
import Store
import Timekeeping
import Webhooks

/// Which webhook endpoints get an event.
struct OutboxRouter: Sendable {
    let endpoints: [WebhookEndpoint]
    /// Tells the sender that rows were added.
    let wake: @Sendable () -> Void

    /// The rows to be committed with the event: one for each endpoint whose filter it passes. The
    /// message's id is the event's, the same for all attempts.
    func deliveries(of event: Event, topic: Topic, wall: Timestamp) -> [NewDelivery] {
        endpoints.filter { $0.filter.matches(event, topic: topic) }.map {
            NewDelivery(
                endpoint: $0.name,
                messageID: event.id,
                eventType: event.type,
                subject: event.subject,
                body: event.cloudEvent(),
                createdAt: wall
            )
        }
    }
}

/// Where webhooks go.
package struct WebhookEndpoint: Sendable {
    package let name: String
    package let url: String
    package let secrets: [WebhookSecret]
    package let filter: WebhookFilter
    package let timeout: Duration

    package init(
        name: String,
        url: String,
        secrets: [WebhookSecret],
        filter: WebhookFilter,
        timeout: Duration
    ) {
        precondition(!secrets.isEmpty, "endpoint \(name) has no secret")
        self.name = name
        self.url = url
        self.secrets = secrets
        self.filter = filter
        self.timeout = timeout
    }
}
