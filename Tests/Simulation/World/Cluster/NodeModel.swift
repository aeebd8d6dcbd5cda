import Reactor
import Store

/// One node of a cluster: a hub with its loops, the store's connection, its place in the cluster and what
/// it does as the leader. It has clocks of its own.
///
/// `@unchecked Sendable`: closures of its hub demand it; a world lives on one thread.
final class NodeModel: @unchecked Sendable {
    let name: String
    let time = SimulatedTime()
    private(set) var hub: HubModel
    /// Nil while there is no process.
    private(set) var store: NodeStore?
    private(set) var keeper: KeeperModel?
    private(set) var leader: LeaderModel?
    /// Nil where nobody's comings and goings are reported.
    private(set) var lifecycle: NodeLifecycle?
    /// By the world's clock: it cannot reach the engine, or does nothing at all.
    var partitionedUntil = MonotonicInstant(nanoseconds: 0)
    var suspendedUntil = MonotonicInstant(nanoseconds: 0)
    let engine: EngineModel
    private var processes = 0

    /// - Parameters:
    ///   - keepsHistories: whether histories that were read stay in memory.
    ///   - isAttended: whether it reports who comes and goes.
    ///   - isAsking: whether an application decides about its clients.
    init(
        name: String,
        keepsHistories: Bool,
        isAttended: Bool,
        isAsking: Bool,
        engine: EngineModel,
        random: Randomness,
        trace: Trace
    ) {
        self.name = name
        self.engine = engine
        hub = HubModel(name: "\(name) ", time: time, random: random, store: engine, trace: trace)
        if isAttended { hub.attendance = AttendanceModel(time: time, trace: trace) }
        if isAsking { hub.application = ApplicationModel(random: random, trace: trace) }
        hub.publish = { [unowned self] publications, completion in
            for publication in publications { hub.application?.check(publication) }
            store!.publish(publications, completion: completion)
        }
        hub.barrier = { [unowned self] completion in store?.catchUp(completion) }
        hub.readsHistories = true
        hub.keepsHistories = keepsHistories
        hub.withSnapshot = { [unowned self] body in
            engine.withSnapshot(ofStandby: self.random.chance(10), body)
        }
        hub.canRead = { [unowned self] in
            engine.time.now >= partitionedUntil && store?.hasSnapshot == true
        }
    }

    var isSuspended: Bool { engine.time.now < suspendedUntil }
    private var random: Randomness { engine.random }

    /// How the process stands with the engine.
    var isConverged: Bool {
        guard hub.isUp, let store, let leader else { return false }
        return store.isIdle && store.isInTouch && store.place == engine.tables.newest
            && leader.isSettled && lifecycle?.isSettled != false
    }

    // MARK: The process

    private func start() {
        guard !engine.isDown, engine.time.now >= partitionedUntil else { return }
        processes += 1
        if let store { engine.forget(store.process) }
        let store = NodeStore(process: "\(name)/\(processes)", node: self, engine: engine)
        self.store = store
        let keeper = KeeperModel(node: self, store: store)
        self.keeper = keeper
        let leader = LeaderModel(node: self, store: store, keeper: keeper)
        self.leader = leader
        hub.start()
        lifecycle = hub.attendance.map {
            NodeLifecycle(node: self, store: store, leader: leader, attendance: $0)
        }
    }

    /// Ends it as `kill -9` does.
    func kill() {
        guard hub.isUp else { return }
        engine.trace.count(.kills)
        end()
    }

    private func end() {
        store?.cut()
        if let store { engine.forget(store.process) }
        store = nil
        keeper = nil
        leader = nil
        lifecycle = nil
        hub.troubles = nil
        hub.kill(until: time.now + .milliseconds(random.below(3000)))
    }

    func supervise() {
        guard !isSuspended else { return }
        if let store, store.isGone {
            engine.trace.count(.nodesStartedAnew)
            end()
        }
        if case .down(let until) = hub.phase, time.now >= until { start() }
    }

    /// The world is at its end.
    func forget() { if hub.isUp { end() } }

    // MARK: Steps

    func step(loop: Int) {
        guard !isSuspended else { return }
        hub.step(loop: loop)
    }

    func stepStore() {
        guard !isSuspended else { return }
        store?.step { [hub] loop, publications in
            hub.announce(loop, [.publications(publications)])
        }
    }

    func stepReads(mayFail: Bool) {
        guard !isSuspended else { return }
        hub.stepReads(mayFail: mayFail)
    }

    func stepWork() {
        guard !isSuspended else { return }
        keeper?.step()
        leader?.step()
        lifecycle?.step()
    }

    // MARK: Faults

    func suspend(for duration: Duration) {
        store?.noteTrouble()
        suspendedUntil = engine.time.now + duration
    }

    func partition(for duration: Duration) {
        store?.cut()
        partitionedUntil = engine.time.now + duration
    }

    func jump(by duration: Duration) {
        store?.noteTrouble()
        time.advance(duration)
    }

    func calm() {
        partitionedUntil = MonotonicInstant(nanoseconds: 0)
        suspendedUntil = partitionedUntil
        store?.looksAt = partitionedUntil
    }
}
