import Access
import PubSub
import Radar
import Tokens

/// Whoever may read a radar may read its topics.
struct RadarTopicRules: TopicRules {
    let radars: RadarDirectory

    func exists(_ topic: Topic) -> Bool {
        topic.radarID.map { radars[String($0)] != nil } ?? false
    }

    func mayRead(_ topic: Topic, _ identity: Identity, _ isGranted: Bool) -> Bool? {
        guard let id = topic.radarID, let radar = radars[String(id)] else { return false }
        return radar.isReadable(by: identity, isGranted: isGranted)
    }
}
