import Alerts
import Outbox
import PubSub
import Store
import Timekeeping

extension OutboxRouter {
    /// As `deliveries(of:topic:wall:)`, but for alerts of users' own rules: they are for the user alone, and an
    /// operator's endpoint would get one for each user who has such a rule.
    ///
    /// - Parameter tags: by which what the event tells may be erased.
    package func deliveries(
        ofPublic event: Event,
        topic: Topic,
        tags: [String: String] = [:],
        wall: Timestamp
    ) -> [NewDelivery] {
        guard topic.namespace != userAlertsNamespace else { return [] }
        return deliveries(of: event, topic: topic, tags: tags, wall: wall)
    }
}
