extension ActivityTag {
    /// Names one notice, so that it can be taken back: `request:7`, `like:5:2`.
    package static let notice = "notice"
    /// The same name in the tags of the event for the withdrawal of the notice.
    package static let withdrawn = "withdrawn"
    /// The decimal id of the review that was liked.
    package static let review = "review"
}

extension Notice.Occasion {
    /// The type of its CloudEvent.
    var eventType: String {
        switch self {
        case .friendRequested: "activity.friend.requested"
        case .requestWithdrawn: "activity.friend.withdrawn"
        case .friendAccepted: "activity.friend.accepted"
        case .reviewLiked: "activity.review.liked"
        case .likeWithdrawn: "activity.review.unliked"
        }
    }

    /// The tag `type`. Those of acts are the names of `ActivityType`, and `deleted`.
    var tag: String {
        switch self {
        case .friendRequested: "friend_requested"
        case .friendAccepted: "friend_accepted"
        case .reviewLiked: "review_liked"
        case .requestWithdrawn, .likeWithdrawn: "withdrawn"
        }
    }
}

extension Notice {
    /// The name by which it can be taken back; nil for an acceptance, which goes with the friendship.
    package var name: String? {
        switch occasion {
        case .friendRequested(let id), .requestWithdrawn(let id): Notice.name(ofRequest: id)
        case .reviewLiked(let review): Notice.name(ofLike: review.id, by: actor.id)
        case .likeWithdrawn(let id, _): Notice.name(ofLike: id, by: actor.id)
        case .friendAccepted: nil
        }
    }

    package static func name(ofRequest id: Int) -> String { "request:\(id)" }

    private static func name(ofLike reviewID: Int, by actorID: Int) -> String {
        "like:\(reviewID):\(actorID)"
    }

    package var isWithdrawal: Bool {
        switch occasion {
        case .requestWithdrawn, .likeWithdrawn: true
        case .friendRequested, .friendAccepted, .reviewLiked: false
        }
    }

    /// The event of the recipient's topic.
    ///
    /// - Parameter id: unique, such as `uuidVersion7` makes it.
    package func event(id: String) -> TaggedEvent {
        var tags = [ActivityTag.type: occasion.tag, ActivityTag.actor: String(actor.id)]
        if let name { tags[isWithdrawal ? ActivityTag.withdrawn : ActivityTag.notice] = name }
        if case .reviewLiked(let review) = occasion { tags[ActivityTag.review] = String(review.id) }
        return TaggedEvent(
            event: Event(
                id: id,
                type: occasion.eventType,
                source: "/activity",
                subject: String(actor.id),
                time: at,
                data: data()
            ),
            tags: tags
        )
    }

    private func data() -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            switch occasion {
            case .friendRequested(let id):
                json.field("request_id", id)
                actor.write(asUser: &json)
            case .friendAccepted: actor.write(asUser: &json)
            case .reviewLiked(let review):
                json.field("review_id", review.id)
                actor.write(asUser: &json)
                json.field("movie_id", review.filmID)
                json.field("movie_title", review.filmTitle)
                json.field("movie_poster", review.filmPosterURL.map { Poster($0).w500 })
                json.field("likes", review.likes)
            case .requestWithdrawn(let id):
                json.field("request_id", id)
                json.field("user_id", actor.id)
            case .likeWithdrawn(let id, let filmID):
                json.field("review_id", id)
                json.field("user_id", actor.id)
                json.field("movie_id", filmID)
            }
            json.field("timestamp", at.iso8601Seconds)
        }
        return json.bytes
    }
}

extension UnreadCounts {
    /// The answer of `GET /feed/unread`.
    package func json() -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.field("unread_count", activities + friendRequests + likes)
            json.field("activities", activities)
            json.field("friend_requests", friendRequests)
            json.field("likes", likes)
            json.field("cursor", cursor.text)
        }
        return json.bytes
    }
}
