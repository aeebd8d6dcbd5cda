import Alerts
import Digests
import Locking
import Logging
import PubSub
import Store
import Timekeeping

/// Looks at everything that is committed, and has the rules evaluated that look at its topic.
///
/// It follows the commits and is no part of them: an alert comes a moment after the publication that raised it, and
/// a backend that publishes waits for no rule. A row says how far it has looked, in one transaction with what came
/// of it, so a hub that was killed goes on where it stopped: nothing is alerted of twice, and nothing is
/// left out that the history still has.
///
/// A hub that runs leaves out what it cannot keep up with, what is of too many topics, and what a failing store did
/// not take; each is counted (`AlertCounts.PassedOver`) and stands in the log.
final class TopicAlertsFollower: Sendable {
    /// Publications that may wait (`FollowedPublications`).
    static let waitingMax = 1 << 16
    /// Publications of one commit.
    static let batchMax = 1000
    /// Erasures of one commit.
    static let erasedMax = 200
    /// A look at the clock at least as often: it can be set.
    private static let pauseMax = Duration.seconds(60)
    private static let pauseMin = Duration.seconds(1)

    private struct Waiting {
        var publications: FollowedPublications
        /// Topics that are no more, of which something is remembered.
        var forgotten: [Topic] = []
        /// Of the book when `rules` were taken.
        var version = 0
        var rules: [AlertRule] = []
    }

    private let book: AlertBook
    /// Namespaces whose domains have their own boards.
    private let owned: Set<String>
    private let store: HubStore
    private let clock: HubClock
    private let outbox: OutboxRouter
    private let metrics: MetricsBoard
    private let logger: Logger
    private let alarm = Alarm()
    private let waiting: Locked<Waiting>
    private let alerts: Locked<TopicAlerts>
    private let passedOverLog = Locked(PassedOverLog())

    /// - Parameter waitingMax: how many publications may wait to be looked at.
    init(
        book: AlertBook,
        owned: Set<String>,
        restored: TopicAlerts,
        store: HubStore,
        clock: HubClock,
        outbox: OutboxRouter,
        metrics: MetricsBoard = MetricsBoard(),
        waitingMax: Int = TopicAlertsFollower.waitingMax,
        logger: Logger
    ) {
        self.book = book
        self.owned = owned
        self.store = store
        self.clock = clock
        self.outbox = outbox
        self.metrics = metrics
        self.logger = logger
        waiting = Locked(Waiting(publications: FollowedPublications(countMax: waitingMax)))
        let alerts = Locked(restored)
        self.alerts = alerts
        book.connect(alarm)
        metrics.addStandingAlerts { standing in
            alerts.withLock { $0 }.addStandingAlerts(to: &standing)
        }
    }

    // MARK: What is committed

    /// Takes what the last run committed and did not look at any more. Call it before the first commit.
    func resume(with topics: [StoredTopic]) {
        let newest = topics.map { $0.publications.last?.cursor ?? $0.evictedCursor }.max() ?? 0
        waiting.withLock { $0.publications.note(commit: newest) }
        // Without a row no rule was there to look.
        guard let cursor = alerts.withLock({ $0.cursor }) else { return }
        let missed = topics.flatMap(\.publications).filter { $0.cursor > cursor }
        note(missed.sorted { $0.cursor < $1.cursor })
    }

    /// Called for every commit, on the writer's queue: quick, and nothing at all without rules.
    func note(_ publications: [Publication]) {
        guard let newest = publications.last?.cursor else { return }
        let version = book.version
        // Asked for before the lock is taken: the book has one of its own.
        let rules = waiting.withLock({ $0.version }) == version ? nil : followedRules
        let hasMore = waiting.withLock { waiting in
            waiting.publications.note(commit: newest)
            if let rules {
                waiting.version = version
                waiting.rules = rules
            }
            guard !waiting.rules.isEmpty else { return false }
            var hasMore = false
            for publication in publications where isFollowed(publication.topic, waiting.rules) {
                waiting.publications.append(publication)
                hasMore = true
            }
            return hasMore
        }
        if hasMore { alarm.ring() }
    }

    /// Called when something was erased, on the writer's queue.
    func noteErasures() {
        if !book.rules.isEmpty { alarm.ring() }
    }

    /// Called for all topics that are forgotten, on the writer's queue.
    func forget(_ topics: [ForgottenTopic]) {
        let known = alerts.withLock { alerts in topics.map(\.topic).filter { alerts.knows($0) } }
        guard !known.isEmpty else { return }
        waiting.withLock { $0.forgotten += known }
        alarm.ring()
    }

    /// Those that look at other topics than the domains' own.
    private var followedRules: [AlertRule] { book.rules.filter { !owned.contains($0.namespace) } }

    private func isFollowed(_ topic: Topic, _ rules: [AlertRule]) -> Bool {
        guard !owned.contains(String(topic.namespace)), !TopicAlerts.tellsAlerts(topic) else {
            return false
        }
        return rules.contains { $0.applies(to: topic) }
    }

    // MARK: The task

    /// Evaluates what comes and what is due, until cancelled.
    func run() async {
        var version = 0
        while !Task.isCancelled {
            // First of all: nothing that is erased is to be evaluated once more.
            await eraseAll()
            let current = book.version
            // What the store did not take is evaluated again.
            if await evaluate(all: current != version) { version = current }
            await catchUp()
            let wait = alerts.withLock { $0.nextDeadline }.map { $0 - clock.now }
            let pause = min(
                max(wait ?? TopicAlertsFollower.pauseMax, TopicAlertsFollower.pauseMin),
                TopicAlertsFollower.pauseMax
            )
            await alarm.wait { [clock] in try await clock.sleep(pause) }
        }
    }

    /// Looks at all that waits, with what was erased first.
    func catchUp() async {
        repeat { await eraseAll() } while await takeNext() && !Task.isCancelled
    }

    /// - Returns: whether there was anything.
    private func takeNext() async -> Bool {
        let (forgotten, batch) = waiting.withLock { waiting in
            defer { waiting.forgotten = [] }
            return (
                waiting.forgotten,
                waiting.publications.takeBatch(countMax: TopicAlertsFollower.batchMax)
            )
        }
        // A topic that has come back since is in the batch.
        if !forgotten.isEmpty { await end(forgotten) }
        tell(passedOver: batch.passedOver, .waiting)
        guard !batch.publications.isEmpty else { return false }
        var next = alerts.withLock { $0 }
        let outcome = next.take(
            batch.publications,
            through: batch.through,
            rules: book.rules(for:),
            now: clock.now,
            newID: TopicAlertsFollower.newID
        )
        if await commit(outcome, next) {
            tell(passedOver: outcome.passedOver, .topics)
        } else {
            // Not tried again: a batch that can never be committed would be the last one. The fields of
            // later publications say all again but what lay between.
            tell(passedOver: batch.publications.count, .store)
        }
        return true
    }

    /// Takes care of what was erased from feeds: see `ErasedQuotes`. What the store did not take is there
    /// the next time.
    private func eraseAll() async {
        while await eraseNext(), !Task.isCancelled {}
    }

    /// - Returns: whether there was anything, and the store has taken what came of it.
    private func eraseNext() async -> Bool {
        let erased: [ErasedQuotes]
        do {
            let domain = ErasedQuotes.domain
            erased = try await store.state(domain: domain, limit: TopicAlertsFollower.erasedMax)
                .compactMap { ErasedQuotes($0) }
        } catch {
            logger.error("erased acts not read", metadata: ["err": "\(error)"])
            return false
        }
        guard !erased.isEmpty else { return false }
        var next = alerts.withLock { $0 }
        let outcome = next.erase(
            erased,
            rules: book.rules(for:),
            now: clock.now,
            newID: TopicAlertsFollower.newID
        )
        guard await commit(outcome, next, erasing: erased) else { return false }
        // Behind the commit, whatever was told before the erasures waits here and comes no more.
        waiting.withLock { waiting in
            waiting.publications.remove { publication in
                erased.contains { $0.covers(publication) }
            }
        }
        return true
    }

    private func end(_ forgotten: [Topic]) async {
        var next = alerts.withLock { $0 }
        let outcome = next.forget(forgotten, now: clock.now, newID: TopicAlertsFollower.newID)
        // Tried again at the next look.
        if await !commit(outcome, next) { waiting.withLock { $0.forgotten += forgotten } }
    }

    private func tell(passedOver count: Int, _ reason: AlertCounts.PassedOver) {
        guard count > 0 else { return }
        metrics.notePassedOver(count, reason)
        let untold = passedOverLog.withLock { $0.take(count, reason, now: .now) }
        guard let untold else { return }
        logger.warning(
            "publications not looked at by alert rules",
            metadata: ["count": "\(untold)", "reason": "\(reason)"]
        )
    }

    /// - Parameter all: because the rules may have changed; they look at what comes from now on.
    /// - Returns: whether the store has taken it.
    private func evaluate(all: Bool) async -> Bool {
        if all { while await takeNext() {} }
        var next = alerts.withLock { $0 }
        let before = next.cursor
        var outcome = next.evaluate(
            all: all,
            rules: book.rules(for:),
            now: clock.now,
            newID: TopicAlertsFollower.newID
        )
        if all {
            let hasRules = !followedRules.isEmpty
            // What was committed since the last batch still waits: the cursor stays before it.
            let looked = waiting.withLock { $0.publications.lookedThrough }
            let row = next.look(from: hasRules ? looked : nil)
            if next.cursor != before { outcome.state.append(row) }
        }
        return await commit(outcome, next)
    }

    /// - Returns: whether the store has taken it.
    private func commit(
        _ outcome: TopicAlerts.Outcome,
        _ next: TopicAlerts,
        erasing erased: [ErasedQuotes] = []
    ) async -> Bool {
        var change = Change(
            events: outcome.events.map {
                TopicEvent(topic: $0.topic, event: $0.event, tags: $0.tags)
            },
            state: outcome.state,
            alerts: outcome.alerts
        )
        change.deliveries = outcome.events.flatMap {
            outbox.deliveries(
                ofPublic: $0.event,
                topic: $0.topic,
                tags: $0.tags,
                wall: HubClock.wall
            )
        }
        for quote in erased { quote.erase(in: &change) }
        do {
            if change != Change() { _ = try await store.commit(change) }
        } catch {
            logger.error("alerts not committed", metadata: ["err": "\(error)"])
            return false
        }
        alerts.withLock { $0 = next }
        metrics.note(outcome.transitions)
        for told in outcome.events {
            logger.notice("\(told.event.type)", metadata: ["topic": "\(told.topic)"])
        }
        // What is erased may have been what others waited for.
        if !(change.deliveries.isEmpty && change.erasures.isEmpty) { outbox.wake() }
        return true
    }

    private static func newID() -> String {
        uuidVersion7(wall: HubClock.wall, random: randomBytes(uuidRandomLength))
    }
}

extension AlertRule {
    /// Of the topics that it looks at.
    fileprivate var namespace: String { String(topics.prefix { $0 != ":" }) }
}
