// The begin and the end: the work of the previous run, and the memory of this one.

extension TopicAlertsFollower {
    /// Keeps the publications of commits from now on, until `resume` evaluates them with those that
    /// the store has. For a hub that commits while it begins to evaluate rules.
    package func collect() {
        let empty = FollowedPublications(
            countMax: limits.waitingMax,
            bytesMax: limits.waitingBytes
        )
        waiting.withLock { $0.collected = empty }
    }

    func collect(
        _ publications: [Publication],
        through newest: UInt64,
        _ indexes: AlertBook.Indexes,
        in waiting: inout Waiting
    ) {
        let former = waiting.bytes
        waiting.collected?.note(commit: newest)
        if indexes.operators.isEmpty, indexes.users.isEmpty { return }
        for publication in publications where isFollowed(publication.topic) {
            let topic = publication.topic
            guard indexes.operators.hasRules(for: topic) || indexes.users.hasRules(for: topic)
            else { continue }
            waiting.collected?.append(publication)
        }
        budget.add(waiting.bytes - former, to: .alerts)
    }

    /// Whether a snapshot of the store with the commits up to a cursor has the publication. The
    /// store has no publications to topics in memory, and none outside of a history.
    func isStored(_ publication: Publication, through cursor: UInt64) -> Bool {
        publication.cursor <= cursor && publication.offset > 0 && isDurable(publication.topic)
    }

    /// The cursor after which the previous run has not evaluated all publications; nil if there was no rule
    /// to evaluate.
    package var resumeCursor: UInt64? {
        let cursors = alerts.withLock { [$0.cursor(of: .operator), $0.usersCursor] }
        return cursors.compactMap(\.self).min()
    }

    /// Takes publications that the previous run committed and did not evaluate, and those collected
    /// since. Call it before the first commit of this run is noted, or after `collect`: no
    /// publication is then missed, and none is evaluated twice, in whatever order the store commits
    /// it, `topics` are read, and the commit is noted.
    ///
    /// - Parameters:
    ///   - topics: those with publications after `resumeCursor`.
    ///   - cursor: that of the store's newest publication.
    package func resume(with topics: [StoredTopic], through cursor: UInt64 = 0) async {
        let newest = topics.reduce(cursor) {
            max($0, $1.publications.last?.cursor ?? $1.evictedCursor)
        }
        work.withLock { $0.resumedThrough = newest }
        // Without a row, there was no rule to evaluate.
        let (operators, users) = alerts.withLock { ($0.cursor(of: .operator), $0.usersCursor) }
        let oldest = resumeCursor ?? .max
        let missed = topics.flatMap(\.publications).filter { $0.cursor > oldest }
        let indexes = book.indexes
        let passedOver = waiting.withLock { waiting in
            let former = waiting.bytes
            var collected = waiting.collected
            waiting.collected = nil
            budget.add(waiting.bytes - former, to: .alerts)
            waiting.resumedThrough = newest
            let later = collected?.takeBatch(countMax: .max)
            let all = missed + (later?.publications ?? []).filter { !isStored($0, through: newest) }
            follow(
                all.sorted { $0.cursor < $1.cursor },
                through: max(newest, collected?.newest ?? 0),
                indexes,
                in: &waiting
            ) { cursor, kind in
                cursor > (kind == .operator ? operators : users) ?? newest
            }
            return later?.passedOver ?? 0
        }
        for kind in AlertOwner.Kind.allCases { tell(passedOver: passedOver, .waiting, of: kind) }
        tellOfTrimmed(topics, behind: operators, of: .operator, indexes.operators)
        tellOfTrimmed(topics, behind: users, of: .user, indexes.users)
        await begin(at: newest)
    }

    /// Returns the memory to the budget. Call it when `run` has returned and no commit is noted any
    /// longer.
    package func release() {
        let bytes =
            alerts.withLock(\.bytes) + waiting.withLock(\.bytes) + work.withLock { $0.users.bytes }
        budget.add(-bytes, to: .alerts)
    }

    /// Stores the starting cursor for rules that the previous run did not have: a crash before
    /// their first evaluation must not lose publications from here on.
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

    /// Returns the row to commit with a rule that is the first for its kind of owner. The rule then
    /// evaluates all later publications, even if the hub is killed before the first evaluation.
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

    /// Counts topics whose histories no longer contain all publications that the rules have not
    /// evaluated.
    ///
    /// - Parameter cursor: the cursor of the newest publication that these rules have evaluated.
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
        // Each topic counts as one publication: the actual number is unknown.
        tell([.trimmed: short.count - damaged, .unreadable: damaged], of: owner)
    }
}
