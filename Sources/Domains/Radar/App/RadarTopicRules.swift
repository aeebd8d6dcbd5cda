import DomainKit
import Radar

/// The topics of a radar are readable for everyone who may read the radar.
package struct RadarTopicRules: TopicRules {
    package let radars: RadarDirectory

    package init(radars: RadarDirectory) {
        self.radars = radars
    }

    package func exists(_ topic: Topic) -> Bool {
        topic.radarID.map { radars[String($0)] != nil } ?? false
    }

    package func canDecide(about topic: Topic, _ identity: Identity) -> Bool { radars.isOpen }

    package func mayRead(_ topic: Topic, _ identity: Identity, _ isGranted: Bool) -> Bool? {
        guard let id = topic.radarID, let radar = radars[String(id)] else { return false }
        return radar.isReadable(by: identity, isGranted: isGranted)
    }

    /// A public radar is for everyone who has received its id.
    package func isListed(_ topic: Topic, for identity: Identity) -> Bool {
        topic.radarID.flatMap { radars[String($0)] }?.isOwned(by: identity) ?? false
    }
}
