import DomainKit
import News

/// Topics of the news are public, except a user's own, which only that user can read. Alerts about
/// a topic are published on the same name with `:alerts` appended, for the same readers.
package struct NewsTopicRules: TopicRules {
    package init() {}

    package func exists(_ topic: Topic) -> Bool { meaning(of: topic) != nil }

    package func mayRead(_ topic: Topic, _ identity: Identity, _ isGranted: Bool) -> Bool? {
        switch meaning(of: topic) {
        case nil: false
        case .global, .ticker, .category: true
        case .user: !identity.isAnonymous && isOwn(topic, of: identity.user)
        }
    }

    package func isOwn(_ topic: Topic, of user: String) -> Bool {
        guard let user = NewsUserID(user) else { return false }
        return subject(of: topic) == .news(user)
    }

    private func meaning(of topic: Topic) -> NewsTopic? {
        subject(of: topic).flatMap { NewsTopic($0) }
    }

    /// The topic itself, or the one that its alerts are about; nil for alerts about none.
    private func subject(of topic: Topic) -> Topic? {
        guard topic.name.hasSuffix(alertsSuffix) else { return topic }
        return try? Topic(String(topic.name.dropLast(alertsSuffix.count)))
    }
}
