import Activity
import DomainKit

/// The notices to a person of acts that involve them: on their own topic, in the transaction of the
/// act.
///
/// A topic has at most one event for each request and each like, also if a person likes and unlikes
/// repeatedly: each event erases the one before it from the history.
extension ActivityService {
    func notify(
        _ recipientID: Int,
        from actorID: Int,
        _ occasion: Notice.Occasion,
        at time: Timestamp,
        _ tables: ActivityTables
    ) throws -> Told {
        guard let actor = try tables.card(actorID) else { return .nothing }
        let notice = Notice(to: recipientID, from: actor, occasion, at: time)
        let topic = activityTopic(recipientID)
        let tagged = notice.event(id: ActivityService.newID())
        var told = Told()
        if let name = notice.name {
            let former = notice.isWithdrawal ? ActivityTag.notice : ActivityTag.withdrawn
            told.change.erasures = [Erasure(topic: topic, tag: former, value: name)]
        }
        told.change.events = [
            TopicEvent(
                topic: topic,
                time: time,
                payload: tagged.event.cloudEvent(),
                tags: tagged.tags
            )
        ]
        told.change.deliveries = outbox.deliveries(
            of: tagged.event,
            topic: topic,
            // That something was taken back is sent, whatever becomes of its actor.
            tags: notice.isWithdrawal
                ? [:] : tagged.tags.filter { $0.key != ActivityTag.type },
            wall: HubClock.wall
        )
        return told
    }

    /// Removes the notice of a request that was answered.
    func forgetRequest(_ id: Int, to recipientID: Int) -> Told {
        var told = Told()
        told.change.erasures = [
            Erasure(
                topic: activityTopic(recipientID),
                tag: ActivityTag.notice,
                value: Notice.name(ofRequest: id)
            )
        ]
        return told
    }

    /// Removes the notices of the likes of a deleted review.
    func forgetLikes(ofReview id: Int, by authorID: Int) -> [Erasure] {
        [Erasure(topic: activityTopic(authorID), tag: ActivityTag.review, value: String(id))]
    }

    package func unread(of personID: Int, since cursor: UnreadCursor) async throws -> [UInt8] {
        try await store.readActivity { tables in
            try tables.unread(of: personID, since: cursor).json()
        }
    }
}

extension ActivityService.Told {
    /// Both, this one's first.
    func and(_ other: ActivityService.Told) -> ActivityService.Told {
        var both = self
        both.change.events += other.change.events
        both.change.deliveries += other.change.deliveries
        both.change.erasures += other.change.erasures
        return both
    }
}
