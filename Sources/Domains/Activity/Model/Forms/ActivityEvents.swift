/// The topic of the acts of a person's friends, `activity:{personID}`, only for that person.
package func activityTopic(_ personID: Int) -> Topic {
    Topic(trusted: "activity:\(personID)")
}

/// The tags of the publications of these topics, for filters of subscribers and for erasures from
/// histories.
package enum ActivityTag {
    /// One of `ActivityType`, or `deleted`.
    package static let type = "type"
    /// The decimal id of whose act it is.
    package static let actor = "actor"
    /// The decimal id of the activity.
    package static let activity = "activity"
}

/// An event for the topics of all its recipients, with the tags of its publications.
package struct TaggedEvent: Sendable, Equatable {
    package var event: Event
    package var tags: [String: String]
}

/// The event for an act, at the time of the act.
///
/// - Parameter id: unique, such as from `uuidVersion7`; also for the event below.
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

/// The event for a person whose former friend's entries have left the feed, whatever ended the
/// friendship: its end, a block of either or a deleted account.
///
/// It is not tagged with the former friend, whose publications are erased with it.
package func friendRemovedEvent(formerID: Int, id: String, time: Timestamp) -> TaggedEvent {
    var json = JSONWriter()
    json.object { $0.field("user_id", formerID) }
    return TaggedEvent(
        event: Event(
            id: id,
            type: "activity.friend.removed",
            source: "/activity",
            subject: String(formerID),
            time: time,
            data: json.bytes
        ),
        tags: [ActivityTag.type: "friend_removed"]
    )
}

/// The event for the deletion of an activity, so that an app that shows it removes it.
///
/// It is not tagged with the activity: a repeated erasure of the activity from histories must not
/// erase this.
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
