import CLinux
import Glibc
import Reactor
import Store

/// Two or three nodes that share one log, their clients and the engine, in one thread and from one seed.
///
/// As in `World`, chance decides who goes on and what breaks; then the world is calmed, and all nodes and
/// clients have to converge.
///
/// Source: docs/SIMULATION.md.
package final class ClusterWorld: ModelWorld {
    let engine: EngineModel
    let nodes: [NodeModel]
    private(set) var clients: [ModelClient] = []
    private(set) var sockets: [SocketClient] = []
    private let steps: Int
    /// In some, time passes so fast that nodes count as dead which are not.
    let isLong: Bool
    private static let longSeeds: UInt64 = 5
    /// In one of so many, nodes have memory for the histories of few topics.
    private static let smallSeeds: UInt64 = 3
    /// In some, an application decides about clients; in some, who comes and goes is reported.
    private static let askingSeeds: UInt64 = 9
    private static let attendedSeeds: UInt64 = 7
    let isAsking: Bool
    private let isAttended: Bool

    package convenience init(seed: UInt64, steps: Int = 10_000, keepsTrace: Bool = false) {
        let elements = WorldElements(seed: seed, keepsTrace: keepsTrace)
        let engine = EngineModel(
            time: elements.time,
            random: elements.random,
            trace: elements.trace
        )
        let nodes = (1...2 + elements.random.below(2)).map {
            NodeModel(
                name: "node\($0)",
                keepsHistories: !seed.isMultiple(of: ClusterWorld.smallSeeds),
                isAttended: seed % ClusterWorld.attendedSeeds == 2,
                isAsking: seed % ClusterWorld.askingSeeds == 4,
                engine: engine,
                random: elements.random,
                trace: elements.trace
            )
        }
        self.init(elements, engine, nodes, steps: steps)
        sockets = (0..<4).map { SocketClient(name: "socket\($0)", world: self) }
        clients = sockets + (0..<2).map { StreamClient(name: "stream\($0)", world: self) }
    }

    private init(
        _ elements: WorldElements,
        _ engine: EngineModel,
        _ nodes: [NodeModel],
        steps: Int
    ) {
        self.engine = engine
        self.nodes = nodes
        self.steps = steps
        isLong = elements.seed.isMultiple(of: ClusterWorld.longSeeds)
        isAsking = elements.seed % ClusterWorld.askingSeeds == 4
        isAttended = elements.seed % ClusterWorld.attendedSeeds == 2
        super.init(elements, ledger: engine, hubs: nodes.map(\.hub))
    }

    package func run() -> WorldOutcome {
        signal(SIGPIPE, SIG_IGN)
        varde_name_thread("cluster \(seed)")
        for node in nodes { node.supervise() }
        while trace.step < steps, trace.violation == nil {
            trace.beginStep()
            step()
        }
        if trace.violation == nil { calm() }
        if trace.violation == nil { check() }
        rest(clients, advance)
        let outcome = outcome
        for client in clients { client.cut() }
        for node in nodes { node.forget() }
        clients = []
        sockets = []
        return outcome
    }

    private func check() {
        for client in clients { (client as? StreamClient)?.checkUntold() }
        engine.checkAcknowledged()
    }

    // MARK: The end

    private static let roundsMax = 1200

    private func calm() {
        trace.note("calm")
        isCalm = true
        engine.isCalm = true
        for node in nodes { node.calm() }
        for client in clients { client.calm() }
        guard converge(), isAttended else { return }
        disturb()
        _ = converge()
    }

    /// Returns false if the rounds were not enough.
    private func converge() -> Bool {
        for _ in 0..<ClusterWorld.roundsMax {
            trace.beginStep()
            round()
            guard trace.violation == nil else { return false }
            if missing() == nil { return true }
        }
        trace.fail("not calm after \(ClusterWorld.roundsMax) rounds: \(missing() ?? "")")
        return false
    }

    /// While the logs are true and the leader stays, another node ends, or loses its connection while a report
    /// about a client that has gone is on its way.
    private func disturb() {
        let node = random.pick(nodes.filter { $0.leader?.leads != true })
        guard random.chance(50) else { return node.kill() }
        let there = clients.filter { $0.peer?.hub === node.hub }
        guard !there.isEmpty else { return node.kill() }
        random.pick(there).cut()
        for _ in 0..<200 where node.store?.isCommitting == false {
            for loop in 0..<node.hub.loopCount { node.step(loop: loop) }
            node.stepWork()
            node.stepStore()
            advance(.milliseconds(1))
        }
        trace.note("\(node.name) is cut from the engine with a report")
        node.store?.cut()
    }

    private func round() {
        for client in clients {
            client.connect()
            client.write(bytesMax: .max)
        }
        for node in nodes {
            node.supervise()
            for loop in 0..<node.hub.loopCount { node.step(loop: loop) }
            for _ in 0..<8 { node.stepReads(mayFail: false) }
            node.stepWork()
            while let application = node.hub.application, !application.isIdle {
                application.step(isWilling: true)
            }
        }
        for _ in 0..<6 {
            for node in nodes { node.stepStore() }
            engine.step()
        }
        for client in clients {
            for _ in 0..<4 { client.read(bytesMax: 16 << 10) }
        }
        for socket in sockets { socket.subscribeToAll() }
        advance(.milliseconds(50))
    }

    private func missing() -> String? {
        for node in nodes where !node.isConverged { return "\(node.name) is not where the log is" }
        if isAttended, let text = missingInLogs() { return text }
        guard nodes.contains(where: { $0.leader?.leads == true }) else { return "nobody leads" }
        for client in clients { if let text = client.missing() { return "\(client.name) \(text)" } }
        return nil
    }

    private func missingInLogs() -> String? {
        engine.tables.logs.missing(
            clients: Set(sockets.compactMap(\.clientID)),
            others: clients.count - sockets.count
        )
    }

    /// Time goes on everywhere.
    func advance(_ duration: Duration) {
        time.advance(duration)
        for node in nodes { node.time.advance(duration) }
    }
}
