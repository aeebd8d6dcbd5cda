import Activity
import Digests
import Locking
import Logging
import PubSub
import Store
import Timekeeping

/// The film app: what people do with films, and which friends are told.
///
/// An act is one transaction with its activity, its friends' events and its webhooks; who the friends are is read
/// in it. So a friend is told once whatever crashes, and nobody whom a block or an end of friendship kept out before.
/// Nothing is kept in memory but what recommendations are made of (`TasteKeeper`).
///
/// Read on in `ActivityService+Acts.swift`, `+Friends.swift` and `+Reading.swift`, and in `ActivityChores.swift` for
/// what is done in the background.
final class ActivityService: Sendable {
    let settings: Configuration.Activity
    let store: HubStore
    let clock: HubClock
    let taste: TasteKeeper
    /// What the loops know of friendships.
    let friends: FriendTable
    let logger: Logger
    /// Wakes what is done in the background.
    let alarm = Alarm()
    private let outbox: OutboxRouter
    private let metrics: MetricsBoard
    private let transport = Locked<Transport?>(nil)

    init(
        settings: Configuration.Activity,
        store: HubStore,
        clock: HubClock,
        friends: FriendTable,
        outbox: OutboxRouter,
        metrics: MetricsBoard = MetricsBoard(),
        logger: Logger
    ) {
        self.settings = settings
        self.store = store
        self.clock = clock
        self.friends = friends
        self.outbox = outbox
        self.metrics = metrics
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
    func connect(_ transport: Transport?) {
        self.transport.withLock { $0 = transport }
    }

    var loops: Transport? { transport.withLock { $0 } }

    var friendLimits: FriendLimits { FriendLimits(friendsMax: settings.friendsMax) }

    static func newID() -> String {
        uuidVersion7(wall: HubClock.wall, random: randomBytes(uuidRandomLength))
    }

    // MARK: Telling friends

    /// A topic of nobody: with it, endpoints that hear of all topics hear of acts without friends, too.
    private static let nobodysTopic = activityTopic(0)

    /// Commits what `body` writes, and lets webhooks and the background know what came of it.
    ///
    /// - Parameter body: may run twice.
    func commit<Value: Sendable>(
        _ body: @escaping @Sendable (ActivityTables) throws -> (told: Told, value: Value)
    ) async throws -> Value {
        let (value, told) = try await store.commitActivity { tables in
            let (told, value) = try body(tables)
            return (told.change, (value, told))
        }
        if !told.change.deliveries.isEmpty { outbox.wake() }
        if told.isFarReaching { alarm.ring() }
        metrics.note(told.acts)
        return value
    }

    /// What a transaction tells.
    struct Told: Sendable {
        var change = Change()
        /// Whether friends are left who are told page by page.
        var isFarReaching = false
        /// What friends are told that somebody did, in this transaction or page by page.
        var acts: [ActivityType] = []

        static let nothing = Told()
    }

    /// What tells an actor's friends of an act, in the act's own transaction when they are few.
    func tell(_ entry: ActivityEntry, _ tables: ActivityTables) throws -> Told {
        let tagged = activityCreatedEvent(entry, id: ActivityService.newID())
        var told = try tell(tagged, .created, of: entry.id, by: entry.actor.id, tables) { _ in [] }
        told.acts = [entry.type]
        return told
    }

    /// What tells an actor's friends that activities are no more, and takes them out of their histories.
    func tellDeletion(
        of activityIDs: [Int],
        by actorID: Int,
        at time: Timestamp,
        _ tables: ActivityTables
    ) throws -> Told {
        var told = Told()
        for id in activityIDs {
            let tagged = activityDeletedEvent(
                activityID: id,
                actorID: actorID,
                id: ActivityService.newID(),
                time: time
            )
            let more = try tell(tagged, .deleted, of: id, by: actorID, tables) { topic in
                [.activity(id, in: topic)]
            }
            told.change.events += more.change.events
            told.change.deliveries += more.change.deliveries
            told.change.erasures += more.change.erasures
            told.isFarReaching = told.isFarReaching || more.isFarReaching
        }
        return told
    }

    private func tell(
        _ tagged: TaggedEvent,
        _ kind: FanOutKind,
        of activityID: Int,
        by actorID: Int,
        _ tables: ActivityTables,
        erasing: (Topic) -> [Erasure]
    ) throws -> Told {
        let friendIDs = try tables.friendIDs(of: actorID, limit: settings.fanoutInAct + 1)
        let payload = tagged.event.cloudEvent()
        var told = Told()
        told.change.deliveries = try deliveries(of: tagged.event, by: actorID, friendIDs, tables)
        let isSmall =
            friendIDs.count <= settings.fanoutInAct
            && friendIDs.count * payload.count <= ActivityTables.fanOutBytesMax
        // Behind what waits already: a friend gets one person's acts in their order.
        guard isSmall, try !tables.isFanningOut(actorID) else {
            let time = tagged.event.time
            try tables.startFanOut(kind, of: activityID, by: actorID, payload: payload, at: time)
            told.isFarReaching = true
            return told
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
        return told
    }

    /// One row for each endpoint that hears of any friend's topic, however many friends there are.
    private func deliveries(
        of event: Event,
        by actorID: Int,
        _ first: [Int],
        _ tables: ActivityTables
    ) throws -> [NewDelivery] {
        var found = outbox.deliveries(
            of: event,
            topics: [ActivityService.nobodysTopic],
            wall: HubClock.wall
        )
        var page = first
        while outbox.hasFilters, let last = page.last {
            let known = Set(found.map(\.endpoint))
            found += outbox.deliveries(
                of: event,
                topics: page.map(activityTopic),
                sparing: known,
                wall: HubClock.wall
            )
            page = try tables.friendIDs(of: actorID, after: last, limit: first.count)
        }
        return found
    }
}

extension Erasure {
    /// One activity, out of one friend's history.
    static func activity(_ id: Int, in topic: Topic) -> Erasure {
        Erasure(topic: topic, tag: ActivityTag.activity, value: String(id))
    }

    /// All that somebody did, out of one friend's history.
    static func actor(_ id: Int, in topic: Topic) -> Erasure {
        Erasure(topic: topic, tag: ActivityTag.actor, value: String(id))
    }
}

extension OutboxRouter {
    /// Whether some endpoint hears of some topics alone.
    var hasFilters: Bool { directory.all.contains { !$0.filter.topics.isEmpty } }

    /// As `deliveries(of:topic:wall:)`, for an event of many topics: one row for each endpoint that hears of any.
    ///
    /// - Parameter sparing: endpoints that have a row already.
    func deliveries(
        of event: Event,
        topics: [Topic],
        sparing known: Set<String> = [],
        wall: Timestamp
    ) -> [NewDelivery] {
        directory.all.filter { endpoint in
            endpoint.takesEvents && !known.contains(endpoint.name)
                && topics.contains { endpoint.filter.matches(event, topic: $0) }
        }.map { NewDelivery(event, to: $0.name, wall: wall) }
    }
}
