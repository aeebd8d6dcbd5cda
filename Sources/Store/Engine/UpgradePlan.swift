/// The steps of the schema that a node runs at its start, while nodes of the release before may run.
struct UpgradePlan {
    /// In the order in which they run.
    private(set) var steps: [Migration] = []
    /// The first step for which no other node may run; nil if they may.
    private(set) var alone: Migration?

    /// All steps, for a hub that has no other nodes.
    init(alone pending: [Migration]) {
        steps = pending
        alone = pending.first
    }

    /// - Parameter pending: the steps that the schema has not had, in order.
    /// - Parameter applied: the names of those that it has had.
    /// - Parameter isKnown: whether every running node has a step.
    init(
        _ pending: [Migration],
        applied: Set<String>,
        isKnown: (Migration) -> Bool
    ) {
        let inUse = Set(applied.map { Migration.domain(of: $0) })
        var postponed: Set<Substring> = []
        for step in pending {
            let domain = Migration.domain(of: step.name)
            if step.phase == .contract, !isKnown(step) {
                postponed.insert(domain)
            } else if postponed.contains(domain)
                // No running node uses the tables of a domain that has had no step.
                || step.phase == .alone && inUse.contains(domain)
            {
                // It expects the steps before it.
                alone = step
                steps = pending
                return
            } else {
                steps.append(step)
            }
        }
    }
}
