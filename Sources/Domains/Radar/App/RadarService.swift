// RadarApp: the radars in the hub: their polls, their opinions, their routes.

import DomainKit
import Foundation
import Radar

/// Manages the radars: makes and deletes them, adds opinions, derives positions from them, and
/// commits each change with its events.
///
/// Changes of one radar are serial (`KeyedExecution`), from reading its row to the commit. Only a
/// radar's owner, its visibility and its poll times are kept in memory, so memory cannot disagree
/// with the store.
///
/// Read on in `RadarService+Opinions.swift` (the changes by an opinion),
/// `RadarService+Polling.swift` (the sources of opinions), `RadarService+Interpreting.swift`
/// (interpretations of topics) and `RadarScheduler.swift` (when).
package final class RadarService: Sendable {
    package let settings: RadarSection
    package let sources: [AskedSource]
    package let store: HubStore
    package let clock: HubClock
    package let directory: RadarDirectory
    package let logger: Logger
    package let execution = KeyedExecution<String>()
    /// The questions under way, by the key that is equal for equal questions.
    package let questions = KeyedExecution<[UInt8]>()
    package let polls: Locked<RadarPolls>
    package let interpretations = Locked(RadarInterpretations())
    /// The numbers of API keys that have pushed since the start, by digest. Operators make the keys.
    let pushers = Locked<[[UInt8]: Int]>([:])
    /// For the deadlines of users' requests.
    let timer: ProcessTimer
    /// Nil where no rules are.
    package let alerts: DomainAlerts?
    let alertPublisher: AlertPublisher
    package let socketTokens: RadarSocketTokens
    package let metrics: DomainMetrics
    private let outbox: OutboxRouter
    private let transport = Locked<(any TopicControl)?>(nil)
    /// Wakes the scheduler.
    package let alarm = Alarm()

    /// - Throws: `StoreError` when the radars cannot be read.
    package init(
        settings: RadarSection,
        sources: [AskedSource],
        store: HubStore,
        clock: HubClock,
        directory: RadarDirectory,
        outbox: OutboxRouter,
        alerts: DomainAlerts? = nil,
        metrics: DomainMetrics = DomainMetrics(),
        timer: ProcessTimer = .system,
        socketKey: [UInt8] = randomBytes(RadarSocketTokens.keyLengthMin),
        logger: Logger
    ) async throws {
        self.settings = settings
        self.timer = timer
        socketTokens = RadarSocketTokens(key: socketKey, lifetime: settings.socketTokenLifetime)
        self.sources = sources
        self.store = store
        self.clock = clock
        self.directory = directory
        self.outbox = outbox
        self.alerts = alerts
        alertPublisher = AlertPublisher(
            outbox: outbox,
            silences: alerts?.silences ?? AlertSilences(),
            metrics: metrics,
            logger: logger
        )
        self.metrics = metrics
        metrics.addDerivations(of: "radar")
        self.logger = logger
        if let alerts { metrics.addStandingAlerts { alerts.addStandingAlerts(to: &$0) } }
        var schedule = PollSchedule(
            interval: settings.interval,
            watchedInterval: settings.effectiveWatchedInterval
        )
        var entries: [PollSchedule.Entry] = []
        var owners: [String: RadarDirectory.Entry] = [:]
        for row in try await store.readRadars({ try $0.radarDirectory() }) {
            owners[row.id] = .init(owner: row.userID, isPublic: row.isPublic)
            entries.append(
                PollSchedule.Entry(
                    id: row.id,
                    due: row.nextPollAt,
                    lastPoll: row.lastPolledAt,
                    owner: row.userID
                )
            )
        }
        schedule.restore(entries, now: clock.now, random: { .random(in: 0..<1) })
        polls = Locked(RadarPolls(schedule: schedule))
        directory.open(with: owners)
    }

    /// The loops, while they run.
    package func connect(_ transport: (any TopicControl)?) {
        self.transport.withLock { $0 = transport }
    }

    package var loops: (any TopicControl)? { transport.withLock { $0 } }

    // MARK: Radars

    /// - Throws: `RadarError.tooManyRadars`, `StoreError`.
    package func create(_ new: NewRadar, by user: String) async throws -> RadarState {
        let now = clock.now
        let id = uuidVersion7(wall: HubClock.wall, random: randomBytes(uuidRandomLength))
        let interpretation =
            await cachedInterpretation(of: new.topic)
            ?? lexicalInterpretation(of: new.topic, in: new.language)
        let radar = RadarState(
            id: id,
            userID: user,
            topic: new.topic,
            interpretation: interpretation,
            createdAt: now,
            updatedAt: now,
            isPublic: new.isPublic ?? settings.defaultVisibility.isPublic
        )
        // One after the other for each user, or two requests at once would pass the limit together.
        return try await execution.run("user " + user) { [self] in
            guard
                try await store.readRadars({ try $0.radarCount(of: user) }) < settings.radarsPerUser
            else {
                throw RadarError.tooManyRadars(limit: settings.radarsPerUser)
            }
            try await commit(
                [.insert(RadarRow(radar, segments: SegmentTable(), nextPollAt: now))]
            )
            directory.put(.init(owner: user, isPublic: radar.isPublic), id: id)
            // Last: a poll that begins before there is a row takes the radar for one that is gone.
            polls.withLock {
                _ = $0.schedule.add(id, owner: user, now: clock.now, random: .random(in: 0..<1))
            }
            alarm.ring()
            return radar
        }
    }

    package func setPublic(_ isPublic: Bool, of id: String) async throws -> RadarState {
        try await execution.run(id) { [self] in
            var (radar, row) = try await load(id)
            guard radar.isPublic != isPublic else { return radar }
            radar.isPublic = isPublic
            radar.updatedAt = clock.now
            let segments = try row.segments()
            try await commit([
                .update(RadarRow(radar, segments: segments, nextPollAt: row.nextPollAt))
            ])
            directory.put(.init(owner: radar.userID, isPublic: isPublic), id: id)
            alerts?.recheck(id)
            if !isPublic { await loops?.endRadar(id, sparing: radar.userID) }
            return radar
        }
    }

    /// Deletes a radar with its opinions and its topic's history, and ends all subscriptions to it.
    ///
    /// A radar whose row cannot be read is deleted like any other.
    ///
    /// - Parameter erasesDeliveries: whether to delete its webhooks, except those of the deletion.
    package func delete(_ id: String, erasingDeliveries erasesDeliveries: Bool = false) async throws
    {
        try await execution.run(id) { [self] in
            guard try await store.readRadars({ try $0.hasRadar(id) }) else {
                throw RadarError.notFound
            }
            let entry = directory[id]
            // From here on no reader is admitted.
            directory.remove(id)
            do {
                let topics: [Topic] = [.radar(id), .radarAlerts(id)]
                if erasesDeliveries {
                    for topic in topics { try await store.eraseTaggedDeliveries(of: topic) }
                }
                var change = Change(removedHistories: topics)
                let taken = alerts?.end(id, now: clock.now, newID: newID)
                if let taken { add(taken, to: &change) }
                try await store.commitRadars([.delete(radarID: id)], with: change)
                if let taken { keep(taken, change) }
            } catch {
                if let entry { directory.put(entry, id: id) }
                throw error
            }
            polls.withLock { $0.schedule.remove(id) }
            await loops?.endRadar(id)
        }
    }

    // MARK: Reading

    /// - Throws: `RadarError.notFound`.
    package func load(_ id: String) async throws -> (radar: RadarState, row: RadarRow) {
        guard let row = try await store.readRadars({ try $0.radar(id) }) else {
            throw RadarError.notFound
        }
        return (try row.radar(), row)
    }

    /// A radar with the opinions that it carries along.
    package func shown(_ id: String) async throws -> (radar: RadarState, opinions: [Opinion]) {
        let radar = try await load(id).radar
        let rows = try await store.readRadars {
            try $0.opinions(of: id, limit: RadarLimits.opinionsShown)
        }
        return (radar, rows.map(\.opinion))
    }

    /// Returns the rest of the sources' day for a user, as JSON.
    package func budgetJSON(of user: String) -> [UInt8] {
        let day = Duration.seconds(86_400)
        let tomorrow = clock.now.roundedDown(to: day) + day
        let budgets = sources.compactMap { asked in
            asked.budget(of: user).map { (source: asked.source.name, budget: $0) }
        }
        return Radar.budgetJSON(budgets, resetsAt: budgets.first?.budget.resetsAt ?? tomorrow)
    }

    // MARK: Commits

    /// Commits rows with their events, their webhooks, and the messages for the app's sockets.
    package func commit(_ rows: [RadarWrite], telling told: Told? = nil) async throws {
        let now = clock.now
        var change = Change()
        var taken: DomainAlerts.Taken?
        if let told {
            change.events = told.events.map { TopicEvent(topic: told.topic, event: $0) }
            change.events += told.messages.map {
                TopicEvent(topic: told.appTopic, time: now, payload: $0, keepsHistory: false)
            }
            change.deliveries = told.events.flatMap { deliveries(of: $0, topic: told.topic) }
            taken = alerts?.take(told.events, of: told.radarID, now: now, newID: newID)
            if let taken { add(taken, to: &change) }
        }
        try await store.commitRadars(rows, with: change)
        if let taken { return keep(taken, change) }
        if !change.deliveries.isEmpty { wakeOutbox() }
    }

    package func deliveries(of event: Event, topic: Topic) -> [NewDelivery] {
        outbox.deliveries(ofPublic: event, topic: topic, wall: HubClock.wall)
    }

    package func wakeOutbox() { outbox.wake() }

    /// Deletes opinions older than any trend, the opinions of deleted radars, and expired answers.
    package static func trim(_ store: HubStore, now: Timestamp) async throws {
        let day = Duration.seconds(86_400)
        let daysShown = day * (RadarLimits.trendDays.upperBound + 1)
        let today = Int(now.milliseconds / day.wholeMilliseconds)
        var steps = IndependentSteps()
        await steps.run("opinions") { try await store.trimOpinions(before: now - daysShown) }
        await steps.run("answers") { try await store.trimStanceCache(before: now - answersKept) }
        await steps.run("spending") { try await store.trimSpending(beforeDay: today - 30) }
        await steps.run("user_spending") {
            // A request that was sent before midnight is settled with the day before.
            try await store.trimUserSpending(beforeDay: today - 1)
        }
        try steps.end()
    }

    /// Longer than any answer is used again.
    private static let answersKept = Duration.seconds(31 * 86_400)

    package func newID() -> String {
        uuidVersion7(wall: HubClock.wall, random: randomBytes(uuidRandomLength))
    }
}

/// Why something was not done with a radar.
package enum RadarError: Error, Equatable {
    case notFound
    case tooManyRadars(limit: Int)
    /// No source can be asked before.
    case sourcesBusy(until: Timestamp)
    /// The user's share of the sources' budgets is used up until then.
    case shareUsedUp(until: Timestamp)
}
