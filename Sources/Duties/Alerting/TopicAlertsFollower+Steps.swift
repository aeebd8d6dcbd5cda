// The steps of the task.

extension TopicAlertsFollower {
    // MARK: Operators' rules

    /// Evaluates a batch of waiting publications, and the topics affected by changed rules or
    /// passed deadlines.
    ///
    /// - Returns: whether there may be more to do at once.
    package func stepOperators() async -> Bool {
        guard !isPostponed else { return false }
        let (batch, bytes) = waiting.withLock { waiting in
            let former = waiting.bytes
            let batch = waiting.operators.takeBatch(countMax: TopicAlertsFollower.batchMax)
            return (batch, former - waiting.bytes)
        }
        budget.add(-bytes, to: .alerts)
        tell(passedOver: batch.passedOver, .waiting, of: .operator)
        if !batch.publications.isEmpty { await take(batch) }
        guard !isPostponed else { return false }
        let isResumed = batch.through >= work.withLock { $0.resumedThrough }
        if isResumed { await evaluateOperators() }
        return !batch.publications.isEmpty && !isPostponed
    }

    private func take(_ batch: FollowedPublications.Batch) async {
        var next = alerts.withLock { $0 }
        let outcome = take(batch.publications, through: batch.through, of: .operator, &next)
        switch await commit(outcome, next) {
        case .committed: tell(outcome.passedOver, of: .operator)
        case .postponed:
            let bytes = waiting.withLock { waiting in
                let former = waiting.bytes
                waiting.operators.putBack(batch.publications)
                return waiting.bytes - former
            }
            budget.add(bytes, to: .alerts)
        case .refused:
            // Not retried: a batch that can never be committed would block all later ones. Later
            // publications contain the current fields again; only the intermediate values are lost.
            tell(passedOver: batch.publications.count, .store, of: .operator)
        }
    }

    private func evaluateOperators() async {
        let version = book.version(of: .operator)
        let all = work.withLock { $0.versions[.operator] } != version
        var next = alerts.withLock { $0 }
        let now = clock.now
        guard all || next[.operator].deadlineBound.map({ $0 <= now }) ?? false else { return }
        let topics = next.change(.operator) { all ? $0.ids : $0.takeDue(now: now) }
        var outcome = evaluate(topics, of: .operator, now: now, &next)
        if all {
            let before = next.cursor(of: .operator)
            let hasRules = book.hasRules(of: .operator, outside: owned)
            // Publications committed since the last batch still wait: the cursor stays before them.
            let looked = waiting.withLock { $0.operators.lookedThrough }
            let row = next.look(from: hasRules ? looked : nil, of: .operator)
            if next.cursor(of: .operator) != before { outcome.state.append(row) }
        }
        // If the commit fails, the topics are evaluated again.
        if await commit(outcome, next) == .committed, all {
            work.withLock { $0.versions[.operator] = version }
        }
    }

    // MARK: Users' rules

    /// Does one step of bounded cost.
    ///
    /// - Returns: whether there may be more to do at once.
    package func stepUsers() async -> Bool {
        guard !isPostponed else { return false }
        let hasPublications = await takeUsers()
        let isResumed = usersLookedThrough >= work.withLock { $0.resumedThrough }
        guard isResumed, !isPostponed else { return hasPublications }
        let hasEvaluations = await evaluateUsers()
        return hasPublications || hasEvaluations
    }

    /// The cursor up to which no user's rule has anything to evaluate.
    private var usersLookedThrough: UInt64 {
        let arrived = waiting.withLock { $0.arrived.lookedThrough }
        let oldest = work.withLock { $0.users.oldestCursor }
        return oldest.map { min($0 - 1, arrived) } ?? arrived
    }

    /// Distributes new publications to users, and has the users' rules evaluate them in turn.
    ///
    /// - Returns: whether there may be more to do at once.
    private func takeUsers() async -> Bool {
        let turns = takeTurns()
        guard !turns.isEmpty else { return waiting.withLock { $0.arrived.count > 0 } }
        var next = alerts.withLock { $0 }
        var outcome = AlertBoards.Outcome()
        // A user without rules has no state.
        for turn in turns where book.version(of: turn.owner) != 0 {
            let through = turn.publications.last?.cursor ?? 0
            outcome += take(turn.publications, through: through, of: turn.owner, &next)
        }
        let looked = max(next.usersCursor ?? 0, usersLookedThrough)
        outcome.state.append(next.lookAsUsers(from: looked))
        switch await commit(outcome, next) {
        case .committed: tell(outcome.passedOver, of: .user)
        case .postponed:
            putBack(turns)
            return false
        case .refused:
            tell(passedOver: turns.reduce(0) { $0 + $1.publications.count }, .store, of: .user)
        }
        return true
    }

    private func putBack(_ turns: [UserPublications.Turn]) {
        let rules = book.indexes.users
        let bytes = work.withLock { work in
            let former = work.users.bytes
            work.users.putBack(turns) { rules.rules(for: $0) }
            return work.users.bytes - former
        }
        budget.add(bytes, to: .alerts)
    }

    private func takeTurns() -> [UserPublications.Turn] {
        let (batch, bytes) = waiting.withLock { waiting in
            let former = waiting.bytes
            let batch = waiting.arrived.takeBatch(countMax: TopicAlertsFollower.batchMax)
            return (batch, former - waiting.bytes)
        }
        let rules = book.indexes.users
        let (turns, gained, passedOver) = work.withLock { work in
            let former = work.users.bytes
            for publication in batch.publications {
                work.users.append(publication, for: rules.rules(for: publication.topic))
            }
            let turns = work.users.takeStep()
            return (turns, work.users.bytes - former, work.users.takePassedOver())
        }
        budget.add(gained - bytes, to: .alerts)
        tell(passedOver: batch.passedOver + passedOver, .waiting, of: .user)
        return turns
    }

    /// Evaluates some topics of users whose rules have changed, and some whose deadlines have
    /// passed.
    private func evaluateUsers() async -> Bool {
        let now = clock.now
        var next = alerts.withLock { $0 }
        let recheck = work.withLock { $0.takeRecheck() }
        let due = next.owners.filter { owner in
            owner != .operator && owner != recheck?.owner
                && next[owner].deadlineBound.map { $0 <= now } ?? false
        }
        let turns = work.withLock { $0.takeTurns(due) }
        guard recheck != nil || !turns.isEmpty else { return false }
        var outcome = AlertBoards.Outcome()
        if let recheck { outcome += evaluate(recheck.topics, of: recheck.owner, now: now, &next) }
        for owner in turns {
            let topics = next.change(owner) {
                $0.takeDue(now: now, countMax: AlertWork.dueTopicsMax)
            }
            outcome += evaluate(topics, of: owner, now: now, &next)
        }
        if let recheck, book.version(of: recheck.owner) == 0 {
            if let row = next.removeIfEmpty(recheck.owner) { outcome.state.append(row) }
        }
        if await commit(outcome, next) == .committed { return true }
        // Retried in the next step.
        if let recheck { work.withLock { $0.putBack(recheck) } }
        return false
    }

    /// Handles changed rules: the topics with boards are evaluated again.
    package func noteRules() async {
        let version = book.version
        guard work.withLock({ $0.version }) != version else { return }
        let holdings = alerts.withLock { $0 }
        for owner in Set(book.owners).union(holdings.owners) where owner != .operator {
            let version = book.version(of: owner)
            guard work.withLock({ $0.versions[owner] ?? 0 }) != version || version == 0 else {
                continue
            }
            work.withLock { $0.recheck(holdings[owner].ids, of: owner, version: version) }
        }
        var next = holdings
        let hasRules = book.hasRules(of: .user, outside: owned)
        guard hasRules != (next.usersCursor != nil) else {
            work.withLock { $0.version = version }
            return
        }
        var outcome = AlertBoards.Outcome()
        outcome.state = [next.lookAsUsers(from: hasRules ? usersLookedThrough : nil)]
        if await commit(outcome, next) == .committed { work.withLock { $0.version = version } }
    }

    /// Stores the cursors up to which rules have evaluated commits, even if there was nothing to
    /// evaluate: a rule that is new at the next start must not evaluate older publications.
    package func storeCursors() async {
        var next = alerts.withLock { $0 }
        var outcome = AlertBoards.Outcome()
        let operators = waiting.withLock { $0.operators.lookedThrough }
        if let cursor = next.cursor(of: .operator), cursor < operators {
            outcome.state.append(next.look(from: operators, of: .operator))
        }
        let users = usersLookedThrough
        if let cursor = next.usersCursor, cursor < users {
            outcome.state.append(next.lookAsUsers(from: users))
        }
        if !outcome.isEmpty { _ = await commit(outcome, next) }
    }

    // MARK: Pieces

    private func take(
        _ publications: [Publication],
        through newest: UInt64,
        of owner: AlertOwner,
        _ next: inout AlertHoldings
    ) -> AlertBoards.Outcome {
        let placesMax = next.placesMax(
            of: owner,
            users: book.userCount,
            hasRoom: budget.hasRoom(for: AlertBoards.placeBytes, as: .user)
        )
        return next.take(
            publications,
            through: newest,
            of: owner,
            rules: { [book] in book.rules(for: $0, of: owner) },
            placesMax: placesMax,
            now: clock.now,
            newID: TopicAlertsFollower.newID
        )
    }

    private func evaluate(
        _ topics: [String],
        of owner: AlertOwner,
        now: Timestamp,
        _ next: inout AlertHoldings
    ) -> AlertBoards.Outcome {
        next.change(owner) { [book] boards in
            boards.evaluate(
                topics,
                rules: { book.rules(for: $0, of: owner) },
                now: now,
                newID: TopicAlertsFollower.newID
            )
        }
    }

    // MARK: Removed topics and publications

    /// Deletes rows of the previous run that no rule looks at.
    package func deleteStale() async {
        let stale = work.withLock { $0.stale }
        guard !stale.isEmpty else { return }
        let result = await commit(AlertBoards.Outcome(state: stale), alerts.withLock { $0 })
        if result == .committed { work.withLock { $0.stale = [] } }
    }

    /// Handles publications that were erased from feeds: see `ErasedQuotes`. If a commit fails,
    /// they are handled in the next step.
    package func eraseAll() async {
        while await eraseNext(), !Task.isCancelled {}
    }

    /// - Returns: whether there were notes, and the results were committed.
    private func eraseNext() async -> Bool {
        let erased: [ErasedQuotes]
        do {
            let domain = ErasedQuotes.domain
            erased = try await store.state(domain: domain, limit: TopicAlertsFollower.erasedMax)
                .compactMap { [feeds = alerts.withLock(\.feeds)] in ErasedQuotes($0, feeds) }
        } catch {
            if noteFailure(error) {
                logger.error("erased publications not read", metadata: ["err": "\(error)"])
            }
            return false
        }
        guard !erased.isEmpty else { return false }
        var next = alerts.withLock { $0 }
        var outcome = AlertBoards.Outcome()
        for owner in Set(erased.flatMap { next.owners(knowing: $0.feed) }).sorted() {
            outcome += next.change(owner) { [book, clock] boards in
                boards.erase(
                    erased,
                    rules: { book.rules(for: $0, of: owner) },
                    now: clock.now,
                    newID: TopicAlertsFollower.newID
                )
            }
        }
        outcome.state += erased.map {
            StateRow(domain: $0.row.domain, key: $0.row.key, value: nil)
        }
        let result = await commit(outcome, next, erasing: erased)
        // After the commit, all publications from before the erasures are in these queues, and no
        // others follow. Also after one that failed: if its outcome is unknown, the notes may be
        // gone from the store.
        removeWaiting { publication in erased.contains { $0.covers(publication) } }
        return result == .committed
    }

    private func removeWaiting(where isErased: (Publication) -> Bool) {
        let waitingBytes = waiting.withLock { waiting in
            let former = waiting.bytes
            waiting.operators.remove(where: isErased)
            waiting.arrived.remove(where: isErased)
            return former - waiting.bytes
        }
        let userBytes = work.withLock { work in
            let former = work.users.bytes
            work.users.remove(where: isErased)
            return former - work.users.bytes
        }
        budget.add(-waitingBytes - userBytes, to: .alerts)
    }

    /// Removes the boards of topics that were removed. If a topic exists again, its publications
    /// are waiting and are evaluated afterwards.
    package func endForgotten() async {
        let forgotten = waiting.withLock { waiting in
            defer { waiting.forgotten = [] }
            return waiting.forgotten
        }
        guard !forgotten.isEmpty else { return }
        var next = alerts.withLock { $0 }
        var outcome = AlertBoards.Outcome()
        for owner in Set(forgotten.flatMap { next.owners(knowing: $0) }).sorted() {
            let topics = forgotten.map(\.name)
            outcome += next.change(owner) { [clock] boards in
                boards.forget(topics, now: clock.now, newID: TopicAlertsFollower.newID)
            }
        }
        // Retried in the next step.
        guard await commit(outcome, next) != .committed else { return }
        waiting.withLock { $0.forgotten += forgotten }
    }
}
