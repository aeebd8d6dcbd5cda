import Activity
import DomainKit

/// The feeds of the film app's people, as alert rules see them.
///
/// An act is published whole: the values that an alert of a rule for a feed quotes are from the
/// feed's last act. So the alert's publications and webhooks have the act's tags, and are erased
/// with it.
package struct ActivityQuotes: QuotedFeeds {

    package init() {}
    private static let activityID = "activity_id"
    private static let actorID = "user_id"

    package func isFeed(_ topic: Topic) -> Bool {
        guard let person = PersonTopic(topic) else { return false }
        return person.kind == .activity && person.topic == topic
    }

    package func fieldNames(of topic: Topic) -> [String] {
        PersonTopic(topic)?.kind == .activity ? [Self.activityID, Self.actorID] : []
    }

    package func tags(of topic: Topic, _ fields: AlertFields) -> [String: String]? {
        guard PersonTopic(topic)?.kind == .activity,
            let activity = id(Self.activityID, fields), let actor = id(Self.actorID, fields)
        else { return nil }
        return [ActivityTag.activity: activity, ActivityTag.actor: actor]
    }

    private func id(_ name: String, _ fields: AlertFields) -> String? {
        guard case .number(let number)? = fields.values[name] else { return nil }
        return Int(exactly: number).map { String($0) }
    }

    /// Only acts are for rules: a notice has other fields, and those of the last act would remain
    /// next to them.
    package func isForRules(_ publication: Publication) -> Bool {
        guard PersonTopic(publication.topic)?.kind == .activity,
            let type = publication.tags[ActivityTag.type]
        else { return true }
        return ActivityType(rawValue: type) != nil
    }

    /// Those of the operator's rules, and those of its person's own. Only that person reads the
    /// feed, so only that person has alerts of it.
    package func alertsTopics(of feed: Topic) -> [Topic] {
        let own = PersonTopic(feed).flatMap { userAlertsTopic(String($0.person)) }
        return [Topic(trusted: feed.name + ":alerts")] + [own].compactMap(\.self)
    }
}
