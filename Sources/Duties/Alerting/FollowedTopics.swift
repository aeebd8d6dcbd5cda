/// All topics without a domain that evaluates rules, as the subjects of one owner's rules: friends'
/// activities, and publications of backends and clients.
package struct FollowedTopics: AlertSubjects {
    /// The domain of the rows with the newest values of a topic, for operators' rules; the key is
    /// the topic's name.
    package static let domain = "topic_alerts"
    /// The same for users' rules; the key is the topic's name and the user, separated by a space.
    package static let userDomain = "user_topic_alerts"
    /// The domain of the rows with the cursors up to which rules have evaluated publications; no
    /// topic has this domain.
    package static let cursorDomain = "topic_alerts_cursor"
    /// The row of operators' rules. See `AlertHoldings` for that of all users.
    package static let cursorKey = "cursor"

    package let owner: AlertOwner
    package let quotedFeeds: any QuotedFeeds

    package init(owner: AlertOwner = .operator, quotedFeeds: any QuotedFeeds = NoQuotedFeeds()) {
        self.owner = owner
        self.quotedFeeds = quotedFeeds
    }

    package let rowPrefix = "topic:"

    package var fieldsDomain: String? {
        owner == .operator ? FollowedTopics.domain : FollowedTopics.userDomain
    }

    package func subject(_ id: String) -> AlertSubject? {
        guard let topic = try? Topic(id), let alerts = topic.alerts else { return nil }
        return AlertSubject(
            topic: topic,
            alertsTopic: alerts,
            domain: String(topic.namespace),
            id: topic.name
        )
    }

    package func fieldsKey(of id: String) -> String { owner.user.map { "\(id) \($0)" } ?? id }

    /// Returns the fields that the rules name, and those that distinguish the publications of a
    /// feed.
    package func fieldNames(of rules: [AlertRule], _ topic: Topic) -> AlertFieldNames? {
        AlertFieldNames(rules.flatMap(\.fieldNames) + quotedFeeds.fieldNames(of: topic))
    }

    // MARK: Names

    /// Returns the topic and the owner of a row with values; nil for rows that were not written by
    /// any version of the hub.
    package static func subject(of row: StateRow) -> (topic: String, owner: AlertOwner)? {
        guard row.domain == userDomain else {
            return (try? Topic(row.key)).map { ($0.name, .operator) }
        }
        let parts = row.key.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let topic = try? Topic(String(parts[0])) else { return nil }
        return (topic.name, .user(String(parts[1])))
    }

    /// Returns the key of an owner's row. Each owner has one, so that a user whose rules are ahead
    /// of others' does not evaluate a publication twice.
    package static func cursorKey(of owner: AlertOwner) -> String {
        owner.user.map { "\(cursorKey) \($0)" } ?? cursorKey
    }
}
