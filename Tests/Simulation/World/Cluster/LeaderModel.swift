import Reactor
import Store

/// What a node does as the leader: publishes the versions of something that only the leader counts, from
/// what is stored when its term begins.
final class LeaderModel {
    private enum Stage {
        case off
        /// Its first transaction is under way, behind the last one of the former leader.
        case passing
        case working(version: Int)
        case storing
        /// Its term is over, and what it had begun has not ended.
        case ending
    }

    static let topic = Topics.feeds[0]

    private let node: NodeModel
    private let store: NodeStore
    private let keeper: KeeperModel
    private var stage = Stage.off

    init(node: NodeModel, store: NodeStore, keeper: KeeperModel) {
        self.node = node
        self.store = store
        self.keeper = keeper
    }

    var leads: Bool { store.term != nil }

    /// Whether its term has begun, behind the last transaction of the former leader.
    var isWorking: Bool {
        switch stage {
        case .working, .storing: store.term != nil
        case .off, .passing, .ending: false
        }
    }

    /// Nothing of it is under way.
    var isSettled: Bool {
        switch stage {
        case .off, .working: true
        case .passing, .storing, .ending: false
        }
    }

    func step() {
        switch stage {
        case .off: begin()
        case .passing, .storing: break
        case .ending:
            guard node.lifecycle?.isCommitting != true else { return }
            stage = .off
            store.term = nil
        case .working(let version):
            guard keeper.lease.term == store.term else { return stop() }
            if !node.engine.isCalm, node.engine.random.chance(50) { work(version) }
        }
    }

    private func begin() {
        guard let term = keeper.lease.term else { return }
        store.term = term
        stage = .passing
        store.submit(
            NodeStore.Write(events: [], awaitsOutcome: true) { [self] result in
                guard case .success = result else { return stop() }
                stage = .working(version: node.engine.tables.lastVersion)
            }
        )
    }

    /// The commits that are under way are those of its term.
    private func stop() { stage = .ending }

    /// Asks the upstream, and stores what it says.
    private func work(_ version: Int) {
        guard let term = store.term else { return }
        let engine = node.engine
        engine.trace.expect(
            engine.tables.lease?.process == store.process || engine.hasLostLease(of: term),
            "\(node.name) works in term \(term), and \(engine.tables.lease?.process ?? "") leads"
        )
        let payload = Array("{\"version\":\(version + 1),\"term\":\(term)}".utf8)
        let event = TopicEvent(
            topic: Topics.all[LeaderModel.topic],
            time: node.time.wall,
            payload: payload
        )
        stage = .storing
        store.submit(
            NodeStore.Write(events: [event], term: term, awaitsOutcome: true) { [self] result in
                switch result {
                case .success:
                    engine.trace.count(.workCommitted)
                    stage = .working(version: version + 1)
                // Nothing of it is stored, so what is in memory holds.
                case .failure(let error) where error.code == .ioFailed || error.code == .cannotOpen:
                    stage = .working(version: version)
                case .failure: stop()
                }
            }
        )
    }
}
