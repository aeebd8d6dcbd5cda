import Activity
import Configuration
import Service

@testable import ActivityApp

extension NamespaceRules {
    init(_ namespaces: [Configuration.Namespace], friends: FriendDirectory) {
        let rules = ActivityTopicRules(friends: friends)
        self.init(
            namespaces,
            domains: Dictionary(
                uniqueKeysWithValues: PersonTopic.Kind.allCases.map { ($0.rawValue, rules) }
            ),
            reserved: []
        )
    }
}
