// ActivityApp: the film app in the hub: logins, acts and friends, recommendations, its routes.

import Activity
import DomainKit

/// The film app: the acts of people with films, and the notifications of friends.
///
/// An act is one transaction with its activity, its friends' events and its webhooks; the list of
/// friends is read in it. So a friend is notified once whatever crashes, and never after a block or
/// an end of the friendship. Only the inputs of recommendations are kept in memory (`TasteKeeper`).
///
/// Read on in `ActivityService+Acts.swift`, `+Friends.swift` and `+Reading.swift`, and in
/// `ActivityChores.swift` for the background work.
package final class ActivityService: Sendable {
    package let settings: ActivitySection
    package let store: HubStore
    package let clock: HubClock
    package let taste: TasteKeeper
    /// The friendships as used by the loops.
    package let friends: FriendTable
    package let endedLogins: EndedLogins
    package let logger: Logger
    /// Wakes the background work.
    package let alarm = Alarm()
    let outbox: OutboxRouter
    /// The rules whose alerts may quote erased acts.
    private let alerts: AlertBook
    private let metrics: ActivityMetrics
    private let transport = Locked<(any TopicControl)?>(nil)

    package init(
        settings: ActivitySection,
        store: HubStore,
        clock: HubClock,
        friends: FriendTable,
        endedLogins: EndedLogins = EndedLogins(),
        outbox: OutboxRouter,
        alerts: AlertBook = AlertBook(configured: [], namespaces: NamespaceRules([])),
        metrics: DomainMetrics = DomainMetrics(),
        logger: Logger
    ) {
        self.settings = settings
        self.store = store
        self.clock = clock
        self.friends = friends
        self.endedLogins = endedLogins
        self.outbox = outbox
        self.alerts = alerts
        self.metrics = ActivityMetrics(metrics.registry, store: store, clock: clock)
        self.logger = logger
        taste = TasteKeeper(
            store: store,
            clock: clock,
            recommendationsMax: settings.recommendations,
            metrics: metrics,
            logger: logger
        )
    }

    /// The loops, while they run.
    package func connect(_ transport: (any TopicControl)?) {
        self.transport.withLock { $0 = transport }
    }

    package var loops: (any TopicControl)? { transport.withLock { $0 } }

    package var friendLimits: FriendLimits { FriendLimits(friendsMax: settings.friendsMax) }

    package static func newID() -> String {
        uuidVersion7(wall: HubClock.wall, random: randomBytes(uuidRandomLength))
    }

    // MARK: Telling friends

    /// A topic without a person: with it, endpoints that receive all topics also receive acts
    /// without friends, and deleted acts are removed from their waiting messages.
    package static let nobodysTopic = activityTopic(0)

    /// Commits the writes of `body`, and wakes webhooks and the background work if needed.
    ///
    /// - Parameter body: may run twice.
    package func commit<Value: Sendable>(
        _ body: @escaping @Sendable (ActivityTables) throws -> (told: Told, value: Value)
    ) async throws -> Value {
        let (value, told) = try await store.commitActivity { [alerts] tables in
            let (told, value) = try body(tables)
            var change = told.change
            change.eraseQuotes(of: ActivityQuotes(), isFollowed: !alerts.isEmpty)
            return (change, (value, told))
        }
        // Erased messages may have been those that others waited for.
        if !(told.change.deliveries.isEmpty && told.change.erasures.isEmpty) { outbox.wake() }
        if told.isFarReaching { alarm.ring() }
        metrics.note(told.acts)
        return value
    }

    /// The publications of a transaction.
    package struct Told: Sendable {
        package var change = Change()
        /// Whether friends are left who are notified page by page.
        package var isFarReaching = false
        /// The types of acts that friends are notified of, in this transaction or page by page.
        package var acts: [ActivityType] = []

        package static let nothing = Told()
    }

    /// Returns the publications of an act for the actor's friends, in the act's own transaction if
    /// they are few.
    package func tell(_ entry: ActivityEntry, _ tables: ActivityTables) throws -> Told {
        let tagged = activityCreatedEvent(entry, id: ActivityService.newID())
        var told = Told()
        told.acts = [entry.type]
        try tell(tagged, .created, of: entry.id, by: entry.actor.id, tables, &told) { _ in [] }
        return told
    }

    /// Returns the publications that notify an actor's friends of deleted activities, and the
    /// erasures from their histories and from the waiting webhooks: as many in this transaction as
    /// an act may notify, and the others in the background.
    package func tellDeletion(
        of activityIDs: [Int],
        by actorID: Int,
        at time: Timestamp,
        _ tables: ActivityTables
    ) throws -> Told {
        var told = Told()
        told.change.erasures = activityIDs.map { .activity($0, in: ActivityService.nobodysTopic) }
        for id in activityIDs {
            let tagged = activityDeletedEvent(
                activityID: id,
                actorID: actorID,
                id: ActivityService.newID(),
                time: time
            )
            try tell(tagged, .deleted, of: id, by: actorID, tables, &told) { topic in
                [.activity(id, in: topic)]
            }
        }
        return told
    }

    /// - Parameter told: the publications so far of the transaction; together they stay within the
    ///   limit of one act.
    private func tell(
        _ tagged: TaggedEvent,
        _ kind: FanOutKind,
        of activityID: Int,
        by actorID: Int,
        _ tables: ActivityTables,
        _ told: inout Told,
        erasing: (Topic) -> [Erasure]
    ) throws {
        let friendIDs = try tables.friendIDs(of: actorID, limit: settings.fanoutInAct + 1)
        let payload = tagged.event.cloudEvent()
        // A deletion must be published, even if its actor is deleted meanwhile.
        var message = tagged
        message.tags = kind == .created ? tagged.tags.filter { $0.key != ActivityTag.type } : [:]
        told.change.deliveries += try deliveries(of: message, by: actorID, tables)
        let eventCount = told.change.events.count + friendIDs.count
        let isSmall =
            eventCount <= settings.fanoutInAct
            && eventCount * payload.count <= ActivityTables.fanOutBytesMax
        // After the publications that are already waiting: a friend receives one person's acts in
        // their order.
        guard isSmall, try !tables.isFanningOut(actorID) else {
            let time = tagged.event.time
            try tables.startFanOut(kind, of: activityID, by: actorID, payload: payload, at: time)
            told.isFarReaching = true
            return
        }
        for topic in friendIDs.map(activityTopic) {
            told.change.erasures += erasing(topic)
            told.change.events.append(
                TopicEvent(
                    topic: topic,
                    time: tagged.event.time,
                    payload: payload,
                    tags: tagged.tags
                )
            )
        }
    }

    /// One row for each endpoint that receives any friend's topic. Those are the endpoints of all
    /// topics, and those that name a friend: the people whom endpoints name are fewer than the
    /// friends of some.
    ///
    /// The row of an endpoint with several of these topics has them all: so the row is erased only
    /// when the actor's friendships with all of these friends have ended.
    private func deliveries(
        of tagged: TaggedEvent,
        by actorID: Int,
        _ tables: ActivityTables
    ) throws -> [NewDelivery] {
        let friends = try outbox.namedFeeds.sorted().filter { try tables.areFriends(actorID, $0) }
        let wall = HubClock.wall
        let all = outbox.deliveries(
            of: tagged.event,
            topics: [ActivityService.nobodysTopic],
            tags: tagged.tags,
            wall: wall
        )
        return all
            + outbox.deliveries(
                of: tagged.event,
                topics: friends.map(activityTopic),
                tags: tagged.tags,
                sparing: Set(all.map(\.endpoint)),
                wall: wall
            )
    }
}

extension Erasure {
    /// One activity, out of one friend's history.
    package static func activity(_ id: Int, in topic: Topic) -> Erasure {
        Erasure(topic: topic, tag: ActivityTag.activity, value: String(id))
    }

    /// All acts of a person, erased from one friend's history.
    package static func actor(_ id: Int, in topic: Topic) -> Erasure {
        Erasure(topic: topic, tag: ActivityTag.actor, value: String(id))
    }
}

extension OutboxRouter {
    /// The people whose feeds endpoints have in their lists of topics by name.
    fileprivate var namedFeeds: Set<Int> {
        var people: Set<Int> = []
        for name in directory.all.flatMap(\.filter.topics) {
            guard let topic = (try? Topic(name)).flatMap({ PersonTopic($0) }),
                topic.kind == .activity
            else { continue }
            people.insert(topic.person)
        }
        return people
    }
}
