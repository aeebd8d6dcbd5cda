extension PersonCard {
    /// As a person in a list.
    func write(to json: inout JSONWriter) {
        json.field("user_id", id)
        json.field("name", name)
        json.field("avatar_url", avatarURL)
    }

    /// Writes the person as the actor of the other fields.
    func write(asUser json: inout JSONWriter) {
        json.field("user_id", id)
        json.field("user_name", name)
        json.field("user_avatar", avatarURL)
    }
}

extension Page where Item == FriendView {
    /// The answer of `GET /friends`. The numbers of the page are about the friends.
    package func json(suggestions: [SuggestionView]) -> [UInt8] {
        json("friends") { json, friend in
            friend.write(to: &json)
        } beside: { json in
            json.array("suggestions") { json in
                for suggestion in suggestions { json.object { suggestion.write(to: &$0) } }
            }
        }
    }
}

extension FriendView {
    fileprivate func write(to json: inout JSONWriter) {
        person.write(to: &json)
        json.strings("favorite_genres", favoriteGenres)
        json.field("mutual_friends", mutualFriends)
        json.field("status", status.rawValue)
        json.field("watched_count", watchedCount)
        json.field("last_active", lastActiveAt?.iso8601Seconds)
    }
}

extension SuggestionView {
    /// The contract's fields first, then those that it has for friends. None of its statuses is true of two
    /// people without a request; its sample of a suggestion has no status.
    fileprivate func write(to json: inout JSONWriter) {
        person.write(to: &json)
        json.field("mutual_friends", mutualFriends)
        json.strings("shared_genres", sharedGenres)
        json.field("match_score", matchScore)
        json.strings("favorite_genres", favoriteGenres)
        json.null("status")
        json.field("watched_count", watchedCount)
        json.field("last_active", lastActiveAt?.iso8601Seconds)
    }
}

extension Page where Item == FriendRequestView {
    /// The answer of `GET /friends/requests`.
    package func json() -> [UInt8] {
        json("requests") { json, request in
            json.field("request_id", request.id)
            json.field("direction", request.direction.rawValue)
            request.person.write(to: &json)
            json.field("mutual_friends", request.mutualFriends)
            json.field("status", FriendStatus.pending.rawValue)
            json.field("timestamp", request.at.iso8601Seconds)
        }
    }
}

/// The relation of two people after one of them asked, answered, blocked or left.
package struct Friendship: Sendable, Equatable {
    /// The other one.
    package var userID: Int
    /// Nil for nothing: declined, ended or unblocked.
    package var status: FriendStatus?
    /// Of the request that waits for an answer.
    package var requestID: Int?

    package init(userID: Int, status: FriendStatus?, requestID: Int? = nil) {
        self.userID = userID
        self.status = status
        self.requestID = requestID
    }

    /// The answer of every route that changes it.
    package func json() -> [UInt8] {
        successJSON { json in
            json.field("user_id", userID)
            json.field("status", status?.rawValue)
            json.field("request_id", requestID)
        }
    }
}

extension ProfileView {
    /// The answer of `GET /users/{id}`.
    package func json() -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            write(to: &json)
            json.field("friend_status", friendStatus?.rawValue)
        }
        return json.bytes
    }

    /// The answer of `GET` and `PATCH /users/me`: it includes the fields that others are not shown.
    package func ownJSON() -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            write(to: &json)
            json.field("email", person.email)
            json.field("created_at", person.createdAt.iso8601Seconds)
            json.field("suggest_by_taste", suggestsByTaste)
        }
        return json.bytes
    }

    private func write(to json: inout JSONWriter) {
        json.field("user_id", person.id)
        json.field("name", person.name)
        json.field("avatar_url", person.avatarURL)
        json.field("bio", person.bio)
        json.strings("favorite_genres", favoriteGenres)
        json.field("watched_count", watchedCount)
        json.field("friends_count", friendsCount)
        json.field("ratings_count", ratingsCount)
        json.field("favorites_count", favoritesCount)
        json.object("stats") { json in
            // The app's types of these two have no null.
            json.field("average_rating_given", statistics.averageRatingGiven.map(averageShown) ?? 0)
            json.field("most_watched_genre", statistics.mostWatchedGenre ?? "")
            json.field("total_watch_time", statistics.totalWatchMinutes)
        }
    }
}

extension Person {
    /// The `user` of the answer to a login.
    package func accountJSON() -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.field("user_id", id)
            json.field("name", name)
            json.field("avatar_url", avatarURL)
            // The app's type of it has no null, and providers may hide the address.
            json.field("email", email ?? "")
        }
        return json.bytes
    }
}
