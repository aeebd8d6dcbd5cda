import Activity
import DomainKit

/// The background work of the film app: publishes acts page by page to the friends of people who
/// have very many, and deletes the rows of deleted accounts piece by piece.
///
/// Each piece is one transaction with its publications, so that a hub that was killed continues
/// after the last one. Other writers can write between two pieces. A piece is about as much work as
/// an act with its friends, and the pause between two is longer than one takes, so that other
/// writers are not delayed noticeably.
package struct ActivityChores: Sendable {
    /// Friends of one piece.
    package static let friendsMax = 50
    /// Between two pieces, as often as the one before took.
    package static let rest = 5
    private static let pauseMax = Duration.seconds(60)
    private static let retryPause = Duration.seconds(5)

    package let service: ActivityService

    /// Until cancelled.
    package func run() async {
        while !Task.isCancelled {
            var pause = ActivityChores.pauseMax
            do {
                while try await carryOutNext(), !Task.isCancelled {}
            } catch is CancellationError {
                return
            } catch {
                service.logger.error("activity: background work", metadata: ["err": "\(error)"])
                pause = ActivityChores.retryPause
            }
            let wait = pause
            await service.alarm.wait { try await Task.sleep(for: wait) }
        }
    }

    /// - Returns: whether there was anything.
    private func carryOutNext() async throws -> Bool {
        let start = ContinuousClock.now
        let isTold = try await tellNextPage()
        let isPurged = try await purgeNext()
        guard isTold || isPurged else { return false }
        try await Task.sleep(for: (.now - start) * ActivityChores.rest)
        return true
    }

    /// Publishes an act with very many recipients to the next page of friends.
    package func tellNextPage() async throws -> Bool {
        try await service.commit { tables in
            guard let page = try tables.takeFanOutPage(limit: ActivityChores.friendsMax) else {
                return (.nothing, false)
            }
            var told = ActivityService.Told()
            let tags = try tags(of: page, tables)
            for topic in page.friendIDs.map(activityTopic) {
                if page.kind == .deleted {
                    told.change.erasures.append(.activity(page.activityID, in: topic))
                }
                told.change.events.append(
                    TopicEvent(topic: topic, time: page.at, payload: page.payload, tags: tags)
                )
            }
            return (told, true)
        }
    }

    private func tags(of page: FanOutPage, _ tables: ActivityTables) throws -> [String: String] {
        guard page.kind == .created, let entry = try tables.activity(page.activityID) else {
            return activityDeletedEvent(
                activityID: page.activityID,
                actorID: page.actorID,
                id: "",
                time: page.at
            ).tags
        }
        return activityCreatedEvent(entry, id: "").tags
    }

    /// Deletes the next rows of accounts that were deleted, and takes their acts out of histories.
    package func purgeNext() async throws -> Bool {
        let now = service.clock.now
        let isPurged = try await service.commit { tables in
            guard let purged = try tables.purgeDeletedPeople() else { return (.nothing, false) }
            var told = ActivityService.Told()
            told.change.events = purged.formerFriendIDs.map {
                service.removal(of: purged.personID, from: $0, at: now)
            }
            let topics = Set(purged.formerFriendIDs + purged.notifiedIDs).sorted()
            told.change.erasures = topics.map {
                .actor(purged.personID, in: activityTopic($0))
            }
            return (told, true)
        }
        // A model that was built since the account was deleted may have ratings that are gone only now.
        if isPurged { service.taste.noteChange() }
        return isPurged
    }
}
