import JSONText
import PubSub
import Timekeeping

/// The topic with what a person's friends do, `activity:{personID}`, for the person alone.
package func activityTopic(_ personID: Int) -> Topic {
    Topic(trusted: "activity:\(personID)")
}

/// What the publications of these topics are tagged with, for filters of subscribers and to find what has
/// to leave a history.
package enum ActivityTag {
    /// One of `ActivityType`, or `deleted`.
    package static let type = "type"
    /// The decimal id of whose act it is.
    package static let actor = "actor"
    /// The decimal id of the activity.
    package static let activity = "activity"
}

/// An event of the topics of all who hear of it, with the tags of its publications.
package struct TaggedEvent: Sendable, Equatable {
    package var event: Event
    package var tags: [String: String]
}

/// The event that tells of an act, at the time of the act.
///
/// - Parameter id: unique, such as `uuidVersion7` makes it; so for the event below.
package func activityCreatedEvent(_ entry: ActivityEntry, id: String) -> TaggedEvent {
    TaggedEvent(
        event: Event(
            id: id,
            type: "activity.created",
            source: "/activity",
            subject: String(entry.actor.id),
            time: entry.at,
            data: entry.json()
        ),
        tags: [
            ActivityTag.type: entry.type.rawValue,
            ActivityTag.actor: String(entry.actor.id),
            ActivityTag.activity: String(entry.id),
        ]
    )
}

/// The event that tells that an activity is no more, so that an app which shows it takes it away.
///
/// It is not tagged with the activity: what erases the activity from histories once more must not erase
/// this.
package func activityDeletedEvent(
    activityID: Int,
    actorID: Int,
    id: String,
    time: Timestamp
) -> TaggedEvent {
    var json = JSONWriter()
    json.object { $0.field("activity_id", activityID) }
    return TaggedEvent(
        event: Event(
            id: id,
            type: "activity.deleted",
            source: "/activity",
            subject: String(actorID),
            time: time,
            data: json.bytes
        ),
        tags: [ActivityTag.type: "deleted", ActivityTag.actor: String(actorID)]
    )
}
