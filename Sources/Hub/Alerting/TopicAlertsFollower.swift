import Alerts
import Bounds
import Digests
import Locking
import Logging
import Outbox
import PubSub
import Store
import Tasks
import Timekeeping

/// Looks at everything that is committed, and has the rules evaluated that look at its topic.
///
/// It follows the commits and is no part of them: an alert comes a moment after the publication that raised it, and
/// a backend that publishes waits for no rule. Rows say how far it has looked, in one transaction with what came
/// of it, so a hub that was killed goes on where it stopped: nothing is alerted of twice, and nothing is
/// left out that the history still has.
///
/// **Operators first.** Operators' rules have a queue, places for topics and turns of their own. After each batch of
/// theirs, and whenever there is none, comes one step of users' rules: bounded work, in which users take turns
/// (`UserPublications`). So an operator's alert waits for one such step at most, whatever users' rules cost.
///
/// A hub that runs leaves out what it cannot keep up with, what is of too many topics, and what a failing store did
/// not take; each is counted (`AlertCounts.PassedOver`), by the owner of the rules, and logged.
package final class TopicAlertsFollower: Sendable {
    /// What may wait.
    package struct Limits: Sendable {
        /// Publications that may wait for operators' rules, and as many for users'.
        package var waitingMax = 1 << 16
        /// The bytes that they may take up.
        package var waitingBytes = 16 << 20
        package var userWaitingBytes = 16 << 20
    }

    /// Operators' publications of one commit, and users' that are shared out at once.
    package static let batchMax = 1000
    /// Erasures of one commit.
    package static let erasedMax = 200
    /// The part of users' waiting bytes and publications that may wait to be shared out: one of so many.
    private static let arrivedPart = 4
    /// A look at the clock at least as often: it can be set.
    private static let pauseMax = Duration.seconds(60)
    private static let pauseMin = Duration.seconds(1)

    /// What the writer's queue hands over.
    package struct Waiting {
        package var operators: FollowedPublications
        /// What some user's rule may look at.
        package var arrived: FollowedPublications
        /// Topics that are no more, of which something is remembered.
        package var forgotten: [Topic] = []

        package var bytes: Int { operators.bytes + arrived.bytes }
    }

    package let book: AlertBook
    /// Namespaces whose domains have their own boards.
    package let owned: Set<String>
    package let store: HubStore
    package let clock: HubClock
    package let budget: MemoryBudget
    private let publisher: AlertPublisher
    private let metrics: DomainMetrics
    package let logger: Logger
    private let alarm = Alarm()
    package let waiting: Locked<Waiting>
    /// Changed only by the task, when the change is committed.
    package let alerts: Locked<AlertHoldings>
    /// Used only by the task.
    package let work: Locked<AlertWork>
    private let passedOverLog = Locked(PassedOverLog())

    /// - Parameter stale: rows that nothing needs any more, to be deleted.
    package init(
        book: AlertBook,
        owned: Set<String>,
        restored: AlertHoldings,
        stale: [StateRow] = [],
        store: HubStore,
        clock: HubClock,
        outbox: OutboxRouter,
        metrics: DomainMetrics = DomainMetrics(),
        budget: MemoryBudget = MemoryBudget(),
        limits: Limits = Limits(),
        logger: Logger
    ) {
        self.book = book
        self.owned = owned
        self.store = store
        self.clock = clock
        publisher = AlertPublisher(outbox: outbox, metrics: metrics, logger: logger)
        self.metrics = metrics
        self.budget = budget
        self.logger = logger
        let part = TopicAlertsFollower.arrivedPart
        waiting = Locked(
            Waiting(
                operators: FollowedPublications(
                    countMax: limits.waitingMax,
                    bytesMax: limits.waitingBytes
                ),
                arrived: FollowedPublications(
                    countMax: max(1, limits.waitingMax / part),
                    bytesMax: max(1, limits.userWaitingBytes / part)
                )
            )
        )
        let users = UserPublications(
            countMax: max(1, limits.waitingMax - limits.waitingMax / part),
            bytesMax: max(1, limits.userWaitingBytes - limits.userWaitingBytes / part)
        )
        work = Locked(AlertWork(users: users, stale: stale))
        let alerts = Locked(restored)
        self.alerts = alerts
        budget.add(restored.bytes, to: .alerts)
        book.connect(alarm)
        metrics.addStandingAlerts { standing in
            alerts.withLock { $0 }.addStandingAlerts(to: &standing)
        }
    }

    // MARK: What is committed

    /// Takes what the last run committed and did not look at any more. Call it before the first commit.
    package func resume(with topics: [StoredTopic]) {
        let newest = topics.map { $0.publications.last?.cursor ?? $0.evictedCursor }.max() ?? 0
        work.withLock { $0.resumedThrough = newest }
        // Without a row no rule was there to look.
        let (operators, users) = alerts.withLock { ($0.cursor(of: .operator), $0.usersCursor) }
        let oldest = [operators, users].compactMap(\.self).min() ?? .max
        let missed = topics.flatMap(\.publications).filter { $0.cursor > oldest }
        follow(missed.sorted { $0.cursor < $1.cursor }, through: newest) { cursor, kind in
            cursor > (kind == .operator ? operators : users) ?? .max
        }
    }

    /// Called for every commit, on the writer's queue: quick, and next to nothing without rules.
    package func note(_ publications: [Publication]) {
        guard let newest = publications.last?.cursor else { return }
        if follow(publications, through: newest, if: { _, _ in true }) { alarm.ring() }
    }

    /// - Parameter isNew: whether such rules have not looked at a publication of this cursor yet.
    /// - Returns: whether there is anything to look at.
    @discardableResult
    private func follow(
        _ publications: [Publication],
        through newest: UInt64,
        if isNew: (UInt64, AlertOwner.Kind) -> Bool
    ) -> Bool {
        let indexes = book.indexes
        return waiting.withLock { waiting in
            waiting.operators.note(commit: newest)
            waiting.arrived.note(commit: newest)
            let former = waiting.bytes
            var hasMore = false
            let (operators, users) = (indexes.operators, indexes.users)
            if operators.isEmpty, users.isEmpty { return false }
            for publication in publications where isFollowed(publication.topic) {
                let cursor = publication.cursor
                if operators.hasRules(for: publication.topic), isNew(cursor, .operator) {
                    waiting.operators.append(publication)
                    hasMore = true
                }
                if users.hasRules(for: publication.topic), isNew(cursor, .user) {
                    // Where memory is short, what only users' rules look at is the first to go.
                    if budget.hasRoom(for: publication.waitingBytes, as: .user) {
                        waiting.arrived.append(publication)
                    } else {
                        waiting.arrived.passOver()
                    }
                    hasMore = true
                }
            }
            budget.add(waiting.bytes - former, to: .alerts)
            return hasMore
        }
    }

    /// Called when something was erased, on the writer's queue.
    package func noteErasures() {
        if !book.isEmpty { alarm.ring() }
    }

    /// Called for all topics that are forgotten, on the writer's queue.
    package func forget(_ topics: [ForgottenTopic]) {
        let known = alerts.withLock { alerts in topics.map(\.topic).filter { alerts.knows($0) } }
        guard !known.isEmpty else { return }
        waiting.withLock { $0.forgotten += known }
        alarm.ring()
    }

    private func isFollowed(_ topic: Topic) -> Bool {
        !owned.contains(String(topic.namespace)) && !FollowedTopics.tellsAlerts(topic)
    }

    // MARK: The task

    /// Evaluates what comes and what is due, until cancelled.
    package func run() async {
        while !Task.isCancelled {
            await catchUp()
            let wait = alerts.withLock { $0.deadlineBound }.map { $0 - clock.now }
            let pause = min(
                max(wait ?? TopicAlertsFollower.pauseMax, TopicAlertsFollower.pauseMin),
                TopicAlertsFollower.pauseMax
            )
            await alarm.wait { [clock] in try await clock.sleep(pause) }
        }
    }

    /// Does all that can be done at this moment: operators' work first, and then a step of users', in turn.
    package func catchUp() async {
        await deleteStale()
        var hasMore = true
        while hasMore, !Task.isCancelled {
            // First of all: nothing that is erased is to be evaluated once more.
            await eraseAll()
            await endForgotten()
            await noteRules()
            let (operators, users) = (await stepOperators(), await stepUsers())
            hasMore = operators || users
            await Task.yield()
        }
    }

    package func tell(
        _ passedOver: [AlertCounts.PassedOver: Int],
        of owner: AlertOwner.Kind
    ) {
        for (reason, count) in passedOver { tell(passedOver: count, reason, of: owner) }
    }

    package func tell(
        passedOver count: Int,
        _ reason: AlertCounts.PassedOver,
        of owner: AlertOwner.Kind
    ) {
        guard count > 0 else { return }
        metrics.notePassedOver(count, reason, of: owner)
        let untold = passedOverLog.withLock { $0.take(count, reason, of: owner, now: .now) }
        guard let untold else { return }
        logger.warning(
            "publications not looked at by alert rules",
            metadata: [
                "count": "\(untold)", "reason": "\(reason)", "owner": "\(owner)",
            ]
        )
    }

    /// - Returns: whether the store has taken it.
    package func commit(
        _ outcome: AlertBoards.Outcome,
        _ next: AlertHoldings,
        erasing erased: [ErasedQuotes] = []
    ) async -> Bool {
        var change = Change()
        publisher.add(outcome, to: &change)
        for quote in erased { quote.erase(in: &change) }
        do {
            if change != Change() { _ = try await store.commit(change) }
        } catch {
            logger.error("alerts not committed", metadata: ["err": "\(error)"])
            return false
        }
        let former = alerts.withLock { alerts in
            defer { alerts = next }
            return alerts.bytes
        }
        budget.add(next.bytes - former, to: .alerts)
        publisher.report(outcome, committedWith: change)
        return true
    }

    package static func newID() -> String {
        uuidVersion7(wall: HubClock.wall, random: randomBytes(uuidRandomLength))
    }
}
