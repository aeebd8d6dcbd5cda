import Reactor
import Store

/// A node's place in its cluster: its row and the lease, as `NodeKeeper` keeps them. `Lease` is the
/// product's.
final class KeeperModel {
    private enum Question {
        case none
        /// The answer is on its way.
        case asked(ContinuousClock.Instant, term: Int64?)
    }

    /// What instants of a node's clock are counted from.
    private static let origin = ContinuousClock.now
    static let leaseLength = Duration.seconds(3)

    private(set) var lease = Lease(length: KeeperModel.leaseLength)
    private let node: NodeModel
    private let store: NodeStore
    private var question = Question.none
    private var asksAt = MonotonicInstant(nanoseconds: 0)

    init(node: NodeModel, store: NodeStore) {
        self.node = node
        self.store = store
    }

    private var now: ContinuousClock.Instant {
        KeeperModel.origin + (node.time.now - MonotonicInstant(nanoseconds: 0))
    }

    func step() {
        let engine = node.engine
        switch question {
        case .none:
            guard node.time.now >= asksAt else { break }
            asksAt = node.time.now + lease.pause
            guard !engine.isDown, engine.time.now >= node.partitionedUntil else { break }
            let asked = now
            engine.note(store.process, applied: store.place.number)
            let term = engine.takeLease(store.process, length: lease.length, by: node.time)
            if term != nil { engine.trim() }
            question = .asked(asked, term: term)
        case .asked(let asked, let term):
            question = .none
            lease.note(term: term, asked: asked)
        }
        lease.noteSilence(now: now)
    }
}
