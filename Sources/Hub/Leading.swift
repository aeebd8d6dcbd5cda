/// Whether the hub leads, and the parts and the work that it has while it leads.
///
/// The store reports its commits here, from the writer's queue.
final class Leading: Sendable {
    private struct State {
        var leader: LeaderParts?
        var work: Task<Void, Never>?
    }

    /// Beginning and ending to lead, and reloads, run one after the other.
    let turns = SerialExecution()
    private let state: Locked<State>

    init(_ leader: LeaderParts?) { state = Locked(State(leader: leader)) }

    /// Nil while the hub does not lead.
    var leader: LeaderParts? { state.withLock { $0.leader } }

    /// Reports commits to the leader's parts from now on.
    func begin(_ leader: LeaderParts) { state.withLock { $0.leader = leader } }

    /// Runs the leader's work until `endWork`.
    func run(_ work: @escaping @Sendable (LeaderParts) async -> Void) {
        state.withLock { state in
            guard let leader = state.leader else { return }
            state.work = Task { await work(leader) }
        }
    }

    /// Cancels the leader's work, and returns when it has ended. Commits are still reported.
    func endWork() async {
        let work = state.withLock { state in
            defer { state.work = nil }
            return state.work
        }
        work?.cancel()
        await work?.value
    }

    /// Reports commits no longer, and removes the leader's parts.
    func end() { state.withLock { $0.leader = nil } }

    // MARK: Commits

    func note(_ publications: [Publication]) {
        state.withLock { $0.leader?.topicAlerts }?.note(publications)
    }

    func noteErasures() { state.withLock { $0.leader?.topicAlerts }?.noteErasures() }

    func forget(_ topics: [ForgottenTopic]) {
        state.withLock { $0.leader?.topicAlerts }?.forget(topics)
    }
}
