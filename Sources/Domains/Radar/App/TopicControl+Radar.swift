import DomainKit
import Radar

extension TopicControl {
    /// Ends the subscriptions to a radar: to one that is deleted, or to one that is not public any more, whose owner's
    /// go on.
    package func endRadar(
        _ id: String,
        _ code: UnsubscribeCode = .topicRemoved,
        sparing owner: String? = nil
    ) async {
        await end(Topic.all(ofRadar: id), code, sparing: owner)
    }

    /// The radars with subscribers. It reads all topics, so call it only every few seconds.
    package func watchedRadars() async -> Set<String> {
        let topics = await subscribedTopics(
            inNamespaces: [Topic.radarNamespace, Topic.radarUpdatesNamespace]
        )
        return Set(topics.keys.compactMap { $0.radarID.map(String.init) })
    }
}
