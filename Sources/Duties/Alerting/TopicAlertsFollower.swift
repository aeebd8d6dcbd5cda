import Logging

/// Evaluates the rules for all publications on topics without a domain that evaluates rules.
///
/// It follows the commits and is not part of them: an alert is published shortly after the
/// publication that raised it, and backends do not wait for rules when they publish. For the
/// reasons, see docs/DECISIONS/022.
///
/// **Guarantee.** Each publication with a durable history is evaluated once, in commit order, or
/// counted. One transaction has the alerts, the states of the rules and the cursor up to which they
/// have evaluated; a hub that was killed resumes after the cursor. Publications whose results the
/// store does not take for a while keep their place (`TopicAlertsFollower+Committing.swift`). The
/// counted cases are those of `AlertCounts.PassedOver`, by the owner of the rules; they are also
/// logged.
///
/// **Operators first.** Operators' rules have a queue, places for topics and turns of their own.
/// After each of their batches, and whenever there is none, one step of users' rules follows:
/// bounded work, in which users take turns (`UserPublications`). An operator's alert therefore
/// waits for at most one such step, whatever the cost of users' rules.
package final class TopicAlertsFollower: Sendable {
    /// The limits of waiting publications.
    package struct Limits: Sendable {
        /// The maximum number of publications that may wait for operators' rules, and also for
        /// users'.
        package var waitingMax = 1 << 16
        /// The bytes that those for operators' rules may take up.
        package var waitingBytes = 16 << 20
        package var userWaitingBytes = 16 << 20
        /// The pause before the store is given again what it has not taken.
        package var retryPause = Duration.seconds(1)
    }

    /// The maximum number of operators' publications in one commit, and of users' publications that
    /// are distributed at once.
    package static let batchMax = 1000
    /// The maximum number of erasures in one commit.
    package static let erasedMax = 200
    /// The maximum number of steps after an orderly stop: enough for all publications that wait for
    /// operators' rules, and about half a second of users'.
    private static let lastStepsMax = 100
    /// The divisor for the share of users' waiting bytes and publications that may wait for
    /// distribution.
    private static let arrivedPart = 4
    /// The maximum pause between two checks of the clock, since the clock can be set.
    private static let pauseMax = Duration.seconds(60)
    private static let pauseMin = Duration.seconds(1)

    /// The input from the writer's queue.
    package struct Waiting {
        package var operators: FollowedPublications
        /// Publications that some user's rule may look at.
        package var arrived: FollowedPublications
        /// Publications of commits since `collect`; nil when none are collected.
        package var collected: FollowedPublications?
        /// The cursor up to which `resume` has taken stored publications.
        package var resumedThrough: UInt64 = 0
        /// Removed topics that still have boards.
        package var forgotten: [Topic] = []

        package var bytes: Int { operators.bytes + arrived.bytes + (collected?.bytes ?? 0) }
    }

    package let book: AlertBook
    /// Namespaces whose domains have their own boards.
    package let owned: Set<String>
    package let store: HubStore
    package let clock: HubClock
    package let budget: MemoryBudget
    package let limits: Limits
    /// Whether publications to a topic are stored.
    let isDurable: @Sendable (Topic) -> Bool
    let publisher: AlertPublisher
    private let metrics: DomainMetrics
    package let logger: Logger
    private let alarm = Alarm()
    package let waiting: Locked<Waiting>
    /// Changed only by the task, when the change is committed.
    package let alerts: Locked<AlertHoldings>
    /// Used only by the task.
    package let work: Locked<AlertWork>
    private let passedOverLog = Locked(PassedOverLog())

    /// - Parameters:
    ///   - stale: obsolete rows, to delete.
    ///   - isDurable: whether publications to a topic are stored. It takes no lock.
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
        isDurable: @escaping @Sendable (Topic) -> Bool = { _ in true },
        logger: Logger
    ) {
        self.book = book
        self.owned = owned
        self.store = store
        self.clock = clock
        publisher = AlertPublisher(
            outbox: outbox,
            silences: book.silences,
            metrics: metrics,
            logger: logger
        )
        self.metrics = metrics
        self.budget = budget
        self.limits = limits
        self.isDurable = isDurable
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

    // MARK: Commits

    /// Takes the publications of a commit. Called on the writer's queue, so it is fast, and almost
    /// free without rules.
    package func note(_ publications: [Publication]) {
        guard let newest = publications.last?.cursor else { return }
        let indexes = book.indexes
        let hasMore = waiting.withLock { waiting in
            if waiting.collected != nil {
                collect(publications, through: newest, indexes, in: &waiting)
                return false
            }
            // A commit may be noted after `resume` has read it from the store.
            let through = waiting.resumedThrough
            let fresh =
                publications[0].cursor > through
                ? publications : publications.filter { !isStored($0, through: through) }
            return follow(fresh, through: newest, indexes, in: &waiting) { _, _ in true }
        }
        if hasMore { alarm.ring() }
    }

    /// - Parameter isNew: whether such rules have not evaluated a publication of this cursor yet.
    /// - Returns: whether there is anything to evaluate.
    @discardableResult
    func follow(
        _ publications: [Publication],
        through newest: UInt64,
        _ indexes: AlertBook.Indexes,
        in waiting: inout Waiting,
        if isNew: (UInt64, AlertOwner.Kind) -> Bool
    ) -> Bool {
        waiting.operators.note(commit: newest)
        waiting.arrived.note(commit: newest)
        let former = waiting.bytes
        var hasMore = false
        let (operators, users) = (indexes.operators, indexes.users)
        if operators.isEmpty, users.isEmpty { return false }
        for publication in publications {
            let (topic, cursor) = (publication.topic, publication.cursor)
            let (ofOperators, ofUsers) = (
                operators.hasRules(for: topic), users.hasRules(for: topic)
            )
            guard ofOperators || ofUsers, isFollowed(topic) else { continue }
            if ofOperators, isNew(cursor, .operator) {
                waiting.operators.append(publication)
                hasMore = true
            }
            if ofUsers, isNew(cursor, .user) {
                // When memory is short, publications only for users' rules are the first to be
                // passed over.
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

    /// Called on the writer's queue after publications were erased.
    package func noteErasures() {
        if !book.isEmpty { alarm.ring() }
    }

    /// Called on the writer's queue for all topics that are removed.
    package func forget(_ topics: [ForgottenTopic]) {
        let known = alerts.withLock { alerts in topics.map(\.topic).filter { alerts.knows($0) } }
        guard !known.isEmpty else { return }
        waiting.withLock { $0.forgotten += known }
        alarm.ring()
    }

    /// Whether some rule evaluates the publications of a topic.
    package func evaluates(_ topic: Topic) -> Bool {
        let indexes = book.indexes
        return isFollowed(topic)
            && (indexes.operators.hasRules(for: topic) || indexes.users.hasRules(for: topic))
    }

    func isFollowed(_ topic: Topic) -> Bool {
        !owned.contains(String(topic.namespace)) && !topic.isForAlerts
    }

    // MARK: The task

    /// Evaluates publications and due topics until cancelled, then the remaining publications as
    /// far as the time for a stop allows.
    package func run() async {
        while !Task.isCancelled {
            await catchUp()
            if work.withLock(\.isPostponed) {
                // New publications must not shorten it. Ends early when the task is cancelled.
                try? await Task.sleep(for: limits.retryPause)
                continue
            }
            let wait = alerts.withLock { $0.deadlineBound }.map { $0 - clock.now }
            let pause = min(
                max(wait ?? TopicAlertsFollower.pauseMax, TopicAlertsFollower.pauseMin),
                TopicAlertsFollower.pauseMax
            )
            await alarm.wait { [clock] in try await clock.sleep(pause) }
        }
        // Publications of topics in memory are lost afterwards. A separate task, which is not
        // cancelled.
        await Task { await finish() }.value
    }

    /// Does all pending work: a step for operators and a step for users, in turn.
    package func catchUp() async {
        takeUpAgain()
        await deleteStale()
        while !Task.isCancelled, await step() { await Task.yield() }
        work.withLock { if !$0.isPostponed { $0.failure = nil } }
    }

    /// Ends with the first step that the store does not take: the next start continues from the
    /// stored cursors.
    private func finish() async {
        takeUpAgain()
        var stepsLeft = TopicAlertsFollower.lastStepsMax
        while stepsLeft > 0, await step() { stepsLeft -= 1 }
        await storeCursors()
    }

    /// - Returns: whether there may be more to do at once.
    private func step() async -> Bool {
        // First, so that no erased publication is evaluated again.
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
                "count": .stringConvertible(untold), "reason": "\(reason)", "owner": "\(owner)",
            ]
        )
    }

    package static func newID() -> String {
        uuidVersion7(wall: HubClock.wall, random: randomBytes(uuidRandomLength))
    }
}
