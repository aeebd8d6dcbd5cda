import Dispatch

/// Carries out writes of memory topics while the writer waits for the disk.
///
/// `open` and `close` are called by the writer, in turn. Between the two the lane has exclusive use
/// of the writer's state: the counters of topics, and the right to announce publications. So there
/// is one order of cursors, of announcements and of each topic's offsets, without a lock around any
/// of them.
final class MemoryLane: Sendable {
    /// Carries out writes, on the lane's queue.
    struct Handler: Sendable {
        let carryOut: @Sendable ([WaitingWrite]) -> Void
    }

    private let queue: Locked<WriteQueue>
    private let handler = Locked(Handler { _ in })
    private let thread = DispatchQueue(label: "store.memory")

    init(_ queue: Locked<WriteQueue>) {
        self.queue = queue
    }

    /// Set it once, before the first write.
    func setHandler(_ carryOut: @escaping @Sendable ([WaitingWrite]) -> Void) {
        handler.withLock { $0 = Handler(carryOut: carryOut) }
    }

    /// Whether memory topics are in use.
    var isInUse: Bool { queue.withLock { $0.usesLane } }

    func open(cursors: Int, published: Set<Topic>) {
        if queue.withLock({ $0.openLane(cursors: cursors, published: published) }) { wake() }
    }

    /// Returns when the lane is idle.
    func close() {
        if queue.withLock({ $0.closeLane() }) { thread.sync {} }
    }

    func wake() {
        thread.async { [self] in
            let handler = handler.withLock { $0 }
            while true {
                let batch = queue.withLock { $0.takeBeside() }
                guard !batch.isEmpty else { return }
                handler.carryOut(batch)
            }
        }
    }
}
