import Activity
import DomainKit

/// The film app: watching and rating of films, friendships, and recommendations.
package struct ActivityDomain: Domain {
    package static let manifest = DomainManifest(
        name: ActivitySection.key,
        namespaces: [.activity, .watching],
        migrations: ActivityTables.migrations,
        alertFields: [PersonTopic.Kind.activity.rawValue: ActivityAlertFields.names],
        eventTypes: [
            "activity.created", "activity.deleted", "activity.friend.accepted",
            "activity.friend.removed", "activity.friend.requested", "activity.friend.withdrawn",
            "activity.review.liked", "activity.review.unliked",
        ],
        topics: [
            TopicDescription(
                "activity:{userId}",
                "The activities of the user's friends.",
                "activity-event",
                readers: "Only the user may."
            ),
            TopicDescription(
                "watching:{userId}",
                "Whether the user watches a film: joins and leaves, no publications.",
                nil,
                readers: "Only the user and friends may."
            ),
        ],
        quotedFeeds: ActivityQuotes(),
        prefixes: [ActivityRoutes.prefixes]
    )

    let settings: ActivitySection
    /// Closed until the store has been read.
    let friends = FriendTable(isOpen: false)

    package init(
        _ settings: ActivitySection,
        environment: [String: String],
        report: (_ path: String, _ message: String) -> Void
    ) {
        self.settings = settings
    }

    package var users: (any AccountDirectory)? { PersonAccounts() }

    package func checkFiles() throws {
        if let file = settings.catalogue { try checkIsReadable(file) }
    }

    package var topicRules: [String: any TopicRules] {
        let rules = ActivityTopicRules(friends: friends.directory)
        return Dictionary(
            uniqueKeysWithValues: PersonTopic.Kind.allCases.map { ($0.rawValue, rules) }
        )
    }

    package func open(_ hub: HubContext) async throws -> any DomainService {
        try RunningActivity(self, hub)
    }

    package func close() { friends.close() }
}
