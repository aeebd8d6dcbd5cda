import Access
import Activity
import ActivityApp
import Aurora
import AuroraApp
import Configuration
import PubSub
import Radar
import RadarApp

extension NamespaceRules {
    /// The configured namespaces, with the rules of the domains that are on.
    ///
    /// - Parameters:
    ///   - places: empty where the domain is off: then a namespace of its name is one like any other.
    ///   - radars: nil where the domain is off.
    ///   - friends: nil where the domain is off.
    package init(
        _ namespaces: [Configuration.Namespace],
        places: [Place],
        radars: RadarDirectory? = nil,
        friends: FriendDirectory? = nil
    ) {
        var domains: [String: any TopicRules] = [:]
        if !places.isEmpty { domains["aurora"] = AuroraTopicRules(places: places) }
        if let radars { domains[Topic.radarNamespace] = RadarTopicRules(radars: radars) }
        if let friends {
            for kind in PersonTopic.Kind.allCases {
                domains[kind.rawValue] = PersonTopicRules(friends: friends)
            }
        }
        self.init(namespaces, domains: domains, reserved: [Topic.radarUpdatesNamespace])
    }
}
