import Alerts
import Outbox
import PubSub
import Store
import Timekeeping

extension OutboxRouter {
    /// As `deliveries(of:topic:wall:)`, except for alerts of users' own rules: these are only for
    /// the user, and an operator's endpoint would receive one for each user who has such a rule.
    ///
    /// - Parameter tags: the tags by which the event may be erased.
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
