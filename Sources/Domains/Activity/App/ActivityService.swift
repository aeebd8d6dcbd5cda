// ActivityApp: the film app in the hub: logins, acts and friends, recommendations, its routes.

import Access
import Activity
import Alerting
import Configuration
import Digests
import Locking
import Logging
import Outbox
import PubSub
import Store
import Tasks
import Timekeeping
import Tokens

/// The film app: what people do with films, and which friends are told.
///
/// An act is one transaction with its activity, its friends' events and its webhooks; who the friends are is read
/// in it. So a friend is told once whatever crashes, and nobody whom a block or an end of friendship kept out before.
/// Nothing is kept in memory but what recommendations are made of (`TasteKeeper`).
///
/// Read on in `ActivityService+Acts.swift`, `+Friends.swift` and `+Reading.swift`, and in `ActivityChores.swift` for
/// what is done in the background.
package final class ActivityService: Sendable {
    package let settings: ActivitySection
    package let store: HubStore
    package let clock: HubClock
    package let taste: TasteKeeper
    /// What the loops know of friendships.
    package let friends: FriendTable
    package let endedLogins: EndedLogins
    package let logger: Logger
    /// Wakes what is done in the background.
    package let alarm = Alarm()
    let outbox: OutboxRouter
    /// The rules whose alerts may quote what is erased.
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

    /// A topic of nobody: with it, endpoints that hear of all topics hear of acts without friends, too, and
    /// what is no more for anybody is taken from what waits for them.
    package static let nobodysTopic = activityTopic(0)

    /// Commits what `body` writes, and lets webhooks and the background know what came of it.
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
        // What is erased may have been what others waited for.
        if !(told.change.deliveries.isEmpty && told.change.erasures.isEmpty) { outbox.wake() }
        if told.isFarReaching { alarm.ring() }
        metrics.note(told.acts)
        return value
    }

    /// What a transaction tells.
    package struct Told: Sendable {
        package var change = Change()
        /// Whether friends are left who are told page by page.
        package var isFarReaching = false
        /// What friends are told that somebody did, in this transaction or page by page.
        package var acts: [ActivityType] = []

        package static let nothing = Told()
    }

    /// What tells an actor's friends of an act, in the act's own transaction when they are few.
    package func tell(_ entry: ActivityEntry, _ tables: ActivityTables) throws -> Told {
        let tagged = activityCreatedEvent(entry, id: ActivityService.newID())
        var told = Told()
        told.acts = [entry.type]
        try tell(tagged, .created, of: entry.id, by: entry.actor.id, tables, &told) { _ in [] }
        return told
    }

    /// What tells an actor's friends that activities are no more, and takes them out of their histories and
    /// out of what waits for webhooks: in this transaction as many as an act may tell, and the others in the
    /// background.
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

    /// - Parameter told: what the transaction tells already; together it stays within what one act may tell.
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
        // That something is no more has to be told, whatever becomes of its actor.
        var message = tagged
        message.tags = kind == .created ? tagged.tags.filter { $0.key != ActivityTag.type } : [:]
        told.change.deliveries += try deliveries(of: message, by: actorID, tables)
        let eventCount = told.change.events.count + friendIDs.count
        let isSmall =
            eventCount <= settings.fanoutInAct
            && eventCount * payload.count <= ActivityTables.fanOutBytesMax
        // Behind what waits already: a friend gets one person's acts in their order.
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

    /// One row for each endpoint that hears of any friend's topic. Those are the ones that hear of all, and
    /// of the people whom endpoints name, who are fewer than the friends of some.
    ///
    /// An endpoint that hears of some topics has them all in its row: so the row goes when the actor has
    /// parted with all of these friends, and not before.
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

    /// All that somebody did, out of one friend's history.
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
