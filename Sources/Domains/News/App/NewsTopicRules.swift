import Access
import Digests
import News
import PubSub
import Tokens

/// Topics of the news are public, except a user's own, which only that user can read. Alerts about
/// a topic are published on the same name with `:alerts` appended, for the same readers.
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

    package func isOwn(_ topic: Topic, of user: String) -> Bool {
        guard case .user(let owner) = subject(of: topic) else { return false }
        return hasSameBytes(user, owner.text)
    }

    private func subject(of topic: Topic) -> NewsTopic? {
        let alerts = ":alerts"
        guard topic.name.hasSuffix(alerts) else { return NewsTopic(topic) }
        return (try? Topic(String(topic.name.dropLast(alerts.count)))).flatMap { NewsTopic($0) }
    }
}
