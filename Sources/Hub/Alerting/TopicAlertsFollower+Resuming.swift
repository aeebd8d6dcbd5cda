import Alerts
import PubSub
import Store

// What the previous run has left.

extension TopicAlertsFollower {
    /// Takes publications that the previous run committed and did not evaluate. Call it before the
    /// first commit of this run.
    package func resume(with topics: [StoredTopic]) async {
        let newest = topics.map { $0.publications.last?.cursor ?? $0.evictedCursor }.max() ?? 0
        work.withLock { $0.resumedThrough = newest }
        // Without a row, there was no rule to evaluate.
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
