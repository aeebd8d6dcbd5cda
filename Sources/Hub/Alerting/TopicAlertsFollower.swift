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

/// Has the rules evaluated for everything that is committed on topics whose rules no domain evaluates.
///
/// It follows the commits and is not part of them: an alert comes a moment after the publication that raised it, and
/// a backend that publishes waits for no rule. Why: docs/DECISIONS/022.
///
/// **Guarantee.** Each publication with a durable history is evaluated once, in commit order, or counted. One
/// transaction has the alerts, the states of the rules and the cursor up to which they have evaluated; a hub that was
/// killed resumes behind the cursor. The cases that are counted are `AlertCounts.PassedOver`: by the owner of the
/// rules, and with an entry in the log.
///
/// **Operators first.** Operators' rules have a queue, places for topics and turns of their own. After each batch of
/// theirs, and whenever there is none, comes one step of users' rules: bounded work, in which users take turns
/// (`UserPublications`). So an operator's alert waits for one such step at most, whatever users' rules cost.
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
    /// After an orderly end: all that may wait for operators' rules, and about half a second of users'.
    private static let lastStepsMax = 100
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

    /// Takes what the last run committed and did not evaluate. Call it before the first commit of this run.
    package func resume(with topics: [StoredTopic]) async {
        let newest = topics.map { $0.publications.last?.cursor ?? $0.evictedCursor }.max() ?? 0
        work.withLock { $0.resumedThrough = newest }
        // Without a row there was no rule to evaluate.
        let (operators, users) = alerts.withLock { ($0.cursor(of: .operator), $0.usersCursor) }
        let oldest = [operators, users].compactMap(\.self).min() ?? .max
        let missed = topics.flatMap(\.publications).filter { $0.cursor > oldest }
        follow(missed.sorted { $0.cursor < $1.cursor }, through: newest) { cursor, kind in
            cursor > (kind == .operator ? operators : users) ?? .max
        }
        let indexes = book.indexes
        tellOfTrimmed(topics, behind: operators, of: .operator, indexes.operators)
        tellOfTrimmed(topics, behind: users, of: .user, indexes.users)
        await begin(at: newest)
    }

    /// Stores where rules begin that were not there in the last run: a crash before their first evaluation must not
    /// lose what is published from here on.
    private func begin(at newest: UInt64) async {
        var next = alerts.withLock { $0 }
        var outcome = AlertBoards.Outcome()
        if next.cursor(of: .operator) == nil, book.hasRules(of: .operator, outside: owned) {
            outcome.state.append(next.look(from: newest, of: .operator))
        }
        if next.usersCursor == nil, book.hasRules(of: .user, outside: owned) {
            outcome.state.append(next.lookAsUsers(from: newest))
        }
        if !outcome.isEmpty { _ = await commit(outcome, next) }
    }

    /// The row to be committed with a rule that is the first of its kind of owner: it evaluates what is published from
    /// here on, also when the hub is killed before it has evaluated anything.
    package func rows(ofFirst rule: AlertRule) -> [StateRow] {
        let kind = AlertOwner(rule.owner).kind
        guard !owned.contains(String(rule.topics.prefix { $0 != ":" })),
            !book.hasRules(of: kind, outside: owned)
        else { return [] }
        let newest = waiting.withLock { $0.operators.newest }
        // A copy: the cursor in memory follows when the rule is first evaluated.
        var holdings = AlertHoldings()
        switch kind {
        case .operator: return [holdings.look(from: newest, of: .operator)]
        case .user: return [holdings.lookAsUsers(from: newest)]
        }
    }

    /// Counts topics whose histories do not reach back to what rules have evaluated.
    ///
    /// - Parameter cursor: of the newest publication that these rules have evaluated.
    private func tellOfTrimmed(
        _ topics: [StoredTopic],
        behind cursor: UInt64?,
        of owner: AlertOwner.Kind,
        _ rules: AlertRuleIndex
    ) {
        guard let cursor else { return }
        let short = topics.filter {
            $0.evictedCursor > cursor && isFollowed($0.topic) && rules.hasRules(for: $0.topic)
        }
        let damaged = short.count { $0.damagedOffset != nil }
        // Of more than one publication in a topic nothing is known any more.
        tell([.trimmed: short.count - damaged, .unreadable: damaged], of: owner)
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

    /// Evaluates what comes and what is due, until cancelled; then what still waits, as far as a stop has time for it.
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
        // Publications of topics in memory are lost afterwards. A task of its own, which is not cancelled.
        await Task { await finish() }.value
    }

    /// Does all that can be done at this moment: operators' work first, and then a step of users', in turn.
    package func catchUp() async {
        await deleteStale()
        while !Task.isCancelled, await step() { await Task.yield() }
    }

    private func finish() async {
        var stepsLeft = TopicAlertsFollower.lastStepsMax
        while stepsLeft > 0, await step() { stepsLeft -= 1 }
        await storeCursors()
    }

    /// - Returns: whether there may be more to do at once.
    private func step() async -> Bool {
        // First of all: nothing that is erased is to be evaluated once more.
        await eraseAll()
        await endForgotten()
        await noteRules()
        let (operators, users) = (await stepOperators(), await stepUsers())
        return operators || users
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
