import Aurora
import DomainKit

/// Of the aurora domain, only the map and the topics of configured places exist.
package struct AuroraTopicRules: TopicRules {
    private let known: Set<Topic>

    package init(places: [Place]) {
        known = Set(
            [auroraOvalTopic] + places.flatMap { [auroraTopic($0), auroraAlertsTopic($0)] }
        )
    }

    package func exists(_ topic: Topic) -> Bool { known.contains(topic) }
}
