import Access
import Digests
import News
import PubSub
import Tokens

/// Topics of the news are public but for a user's own, which are for that user alone. What alert rules tell of a topic
/// is on the topic with `:alerts` behind it, for the same readers.
package struct NewsTopicRules: TopicRules {
    package init() {}

    package func exists(_ topic: Topic) -> Bool { subject(of: topic) != nil }

    package func mayRead(_ topic: Topic, _ identity: Identity, _ isGranted: Bool) -> Bool? {
        switch subject(of: topic) {
        case nil: false
        case .global, .ticker, .category: true
        case .user(let user): !identity.isAnonymous && hasSameBytes(identity.user, user.text)
        }
    }

    private func subject(of topic: Topic) -> NewsTopic? {
        let alerts = ":alerts"
        guard topic.name.hasSuffix(alerts) else { return NewsTopic(topic) }
        return (try? Topic(String(topic.name.dropLast(alerts.count)))).flatMap { NewsTopic($0) }
    }
}
