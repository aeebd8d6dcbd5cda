import Activity
import Alerts
import PubSub

/// The act that a feed of the film app told last, as far as the rules that look at the feed know it.
///
/// An act is told whole: whatever an alert of such a rule quotes, this act told. So the alert's publications
/// and webhooks have the act's tags, and go with it when it is erased.
struct QuotedAct {
    let tags: [String: String]

    private static let activityID = "activity_id"
    private static let actorID = "user_id"

    /// The fields that distinguish acts of a feed; none for topics that are not a feed.
    static func fieldNames(feed topic: Topic) -> [String] {
        PersonTopic(topic)?.kind == .activity ? [activityID, actorID] : []
    }

    /// Nil for topics that are nobody's feed, and where no act is known.
    init?(feed topic: Topic, _ fields: AlertFields) {
        guard let feed = PersonTopic(topic), feed.kind == .activity,
            let activity = QuotedAct.id(QuotedAct.activityID, fields),
            let actor = QuotedAct.id(QuotedAct.actorID, fields)
        else { return nil }
        tags = [ActivityTag.activity: activity, ActivityTag.actor: actor]
    }

    private static func id(_ name: String, _ fields: AlertFields) -> String? {
        guard case .number(let number)? = fields.values[name] else { return nil }
        return Int(exactly: number).map { String($0) }
    }
}

extension Publication {
    /// Whether it tells that an act is no more, which says nothing of the act that rules know.
    var tellsOfADeletedAct: Bool {
        PersonTopic(topic)?.kind == .activity && tags[ActivityTag.type] == "deleted"
    }
}
