import Activity
import DomainKit

/// Friendships. The end of a friendship erases each one's acts from the other's history in the same
/// transaction: nothing of them remains readable, or arrives after it.
extension ActivityService {
    package func requestFriend(_ otherID: Int, by personID: Int) async throws -> Friendship {
        guard otherID != personID else { throw ActivityError.aboutOneself(field: "user_id") }
        let now = clock.now
        let limits = friendLimits
        let friendship: Friendship = try await commit { [self] tables in
            switch try tables.requestFriend(otherID, by: personID, at: now, limits: limits) {
            case .sent(let id):
                let asked = Notice.Occasion.friendRequested(requestID: id)
                return (
                    try notify(otherID, from: personID, asked, at: now, tables),
                    Friendship(userID: otherID, status: .pending, requestID: id)
                )
            case .accepted(let id):
                return (
                    try notify(otherID, from: personID, .friendAccepted, at: now, tables)
                        .and(forgetRequest(id, to: personID)),
                    Friendship(userID: otherID, status: .accepted)
                )
            case .alreadySent: throw ActivityError.friendRequestExists(userID: otherID)
            case .alreadyFriends: throw ActivityError.alreadyFriends(userID: otherID)
            case .noSuchPerson: throw ActivityError.userNotFound(otherID)
            case .tooMany: throw ActivityError.tooManyFriends
            }
        }
        if friendship.status == .accepted { await noteFriendship(of: personID, and: otherID) }
        return friendship
    }

    package func accept(request id: Int, by personID: Int) async throws -> Friendship {
        let now = clock.now
        let limits = friendLimits
        let friendship: Friendship = try await commit { [self] tables in
            switch try tables.acceptRequest(id, by: personID, at: now, limits: limits) {
            case .accepted(let friendID):
                return (
                    try notify(friendID, from: personID, .friendAccepted, at: now, tables)
                        .and(forgetRequest(id, to: personID)),
                    Friendship(userID: friendID, status: .accepted)
                )
            case .notFound: throw ActivityError.friendRequestNotFound(id)
            case .tooMany: throw ActivityError.tooManyFriends
            }
        }
        await noteFriendship(of: personID, and: friendship.userID)
        return friendship
    }

    package func decline(request id: Int, by personID: Int) async throws -> Friendship {
        try await commit { [self] tables in
            guard let otherID = try tables.declineRequest(id, by: personID) else {
                throw ActivityError.friendRequestNotFound(id)
            }
            return (
                forgetRequest(id, to: personID), Friendship(userID: otherID, status: nil)
            )
        }
    }

    /// Takes back a request that the person has sent.
    package func withdraw(request id: Int, by personID: Int) async throws -> Friendship {
        let now = clock.now
        return try await commit { [self] tables in
            guard let otherID = try tables.withdrawRequest(id, by: personID) else {
                throw ActivityError.friendRequestNotFound(id, of: .outgoing)
            }
            let withdrawn = Notice.Occasion.requestWithdrawn(requestID: id)
            return (
                try notify(otherID, from: personID, withdrawn, at: now, tables),
                Friendship(userID: otherID, status: nil)
            )
        }
    }

    package func unfriend(_ otherID: Int, by personID: Int) async throws -> Friendship {
        let now = clock.now
        let friendship = try await commit { [self] tables in
            guard try tables.unfriend(personID, otherID) else {
                throw ActivityError.userNotFound(otherID)
            }
            return (
                parting(personID, otherID, wereFriends: true, at: now),
                Friendship(userID: otherID, status: nil)
            )
        }
        await part(personID, otherID)
        return friendship
    }

    package func block(_ otherID: Int, by personID: Int) async throws -> Friendship {
        guard otherID != personID else { throw ActivityError.aboutOneself(field: nil) }
        let now = clock.now
        let friendship = try await commit { [self] tables in
            let wereFriends = try tables.areFriends(personID, otherID)
            guard try tables.block(otherID, by: personID, at: now) else {
                throw ActivityError.userNotFound(otherID)
            }
            return (
                parting(personID, otherID, wereFriends: wereFriends, at: now),
                Friendship(userID: otherID, status: .blocked)
            )
        }
        await part(personID, otherID)
        return friendship
    }

    package func unblock(_ otherID: Int, by personID: Int) async throws -> Friendship {
        try await commit { tables in
            guard try tables.unblock(otherID, by: personID) else {
                throw ActivityError.userNotFound(otherID)
            }
            return (.nothing, Friendship(userID: otherID, status: nil))
        }
    }

    private func parting(
        _ one: Int,
        _ other: Int,
        wereFriends: Bool,
        at time: Timestamp
    ) -> Told {
        var told = Told()
        if wereFriends {
            told.change.events = [
                removal(of: other, from: one, at: time), removal(of: one, from: other, at: time),
            ]
        }
        told.change.erasures = [
            .actor(other, in: activityTopic(one)), .actor(one, in: activityTopic(other)),
        ]
        return told
    }

    /// The event that a former friend's entries have left a person's feed. No history keeps it: it
    /// may name a person whose account is deleted. `removals` of the feed has the same for readers
    /// that are not connected.
    func removal(of formerID: Int, from personID: Int, at time: Timestamp) -> TopicEvent {
        let tagged = friendRemovedEvent(
            formerID: formerID,
            id: ActivityService.newID(),
            time: time
        )
        return TopicEvent(
            topic: activityTopic(personID),
            time: time,
            payload: tagged.event.cloudEvent(),
            tags: tagged.tags,
            keepsHistory: false
        )
    }

    /// Updates the loops: from here on neither sees the other watch.
    private func part(_ one: Int, _ other: Int) async {
        await noteFriendship(of: one, and: other)
        await loops?.endWatching(between: one, and: other)
    }

    /// Updates the friendship of two people on the loops.
    ///
    /// Two changes may come here in another order than they were committed in: an acceptance after
    /// the block that ended it. So it is not the change that is noted, but the state of the store
    /// after it.
    package func noteFriendship(of one: Int, and other: Int) async {
        // The change is committed: it is noted even if the caller is cancelled.
        await Task { await noteWhatIsStored(of: one, and: other) }.value
    }

    private func noteWhatIsStored(of one: Int, and other: Int) async {
        while true {
            let version = friends.version
            var areFriends = false
            do {
                areFriends = try await store.readActivity { tables in
                    // Rows of people who have left remain for a while.
                    try tables.areFriends(one, other) && tables.card(one) != nil
                        && tables.card(other) != nil
                }
            } catch {
                // No person is admitted without a confirmation by the store.
                logger.error(
                    "activity: friendship not known",
                    metadata: ["err": "\(error)"],
                    source: LogSource.peer
                )
            }
            if friends.set(one, other, areFriends: areFriends, asOf: version) { return }
        }
    }

    // MARK: Oneself

    package func change(_ patch: ProfilePatch, of personID: Int) async throws {
        try await commit { tables in
            guard var person = try tables.person(personID) else {
                throw ActivityError.authenticationRequired(.invalid)
            }
            person.name = patch.name ?? person.name
            person.bio = patch.biography.applied(to: person.bio)
            person.avatarURL = patch.avatarURL.applied(to: person.avatarURL)
            try tables.update(person)
            if let isOn = patch.suggestsByTaste {
                try tables.setSuggestsByTaste(isOn, of: personID)
            }
            return (.nothing, ())
        }
    }

    /// Deletes an account. The person and all their data are hidden from then on; rows and the
    /// histories of friends follow in the background, and the data of other parts of the hub
    /// (`DeletedAccount`).
    package func deleteAccount(_ personID: Int) async throws {
        let now = HubClock.wall
        let logins = try await commit { tables in
            guard let logins = try tables.deletePerson(personID, at: now) else {
                throw ActivityError.authenticationRequired(.invalid)
            }
            var told = Told()
            let deleted = DeletedAccount(user: String(personID), at: now)
            told.change.state = [deleted.row]
            told.change.removedHistories = [activityTopic(personID)]
            // Of endpoints that receive all topics; of the others when the friends' histories
            // follow.
            told.change.erasures = [.actor(personID, in: ActivityService.nobodysTopic)]
            told.isFarReaching = true
            return (told, logins)
        }
        endedLogins.add(logins, at: now)
        friends.remove(personID)
        taste.noteChange()
        await loops?.end([.watching(of: personID)])
        await loops?.disconnect(user: String(personID))
        // The other nodes of a cluster refuse the access tokens from here on.
        await loops?.disconnect(user: String(personID), logins: logins)
    }
}
