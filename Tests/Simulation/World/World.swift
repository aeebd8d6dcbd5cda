import CLinux
import Glibc
import Hub

/// The whole hub, its clients, its upstreams and receivers of webhooks, in one thread and from one seed.
///
/// A run is a number of steps in which chance decides who goes on and what breaks; then the world is
/// calmed: nothing breaks any more, and everybody has to get where they belong. What must hold at any
/// time is checked where it could be broken first; `check` does the rest at the end.
///
/// Source: docs/SIMULATION.md.
package final class World: ModelWorld {
    let store: StoreModel
    let hub: HubModel
    private(set) var feeds: [FeedModel] = []
    private(set) var outbox: OutboxModel!
    private(set) var lifecycle: LifecycleModel?
    private(set) var sockets: [SocketClient] = []
    private(set) var streams: [StreamClient] = []
    private(set) var clients: [ModelClient] = []
    /// In some, publications are erased. By the seed and not by chance: the others go as they went before.
    let erases: Bool
    /// In some others, topics are forgotten, whoever is subscribed.
    let forgets: Bool
    private static let erasingSeeds: UInt64 = 5
    private static let forgettingSeeds: UInt64 = 4
    /// In some, histories are read from the store: of those that erase and forget, and of the others.
    private static let readingSeeds: UInt64 = 3
    /// Of those that read, one of so many also erases. Its reads are slow, so that it erases meanwhile.
    private static let erasingReadingSeeds: UInt64 = 2
    /// In some, commits are not answered. Not in those of named tests.
    private static let unansweredSeeds: UInt64 = 5
    /// In some, an application decides about clients. Not in those of named tests either.
    private static let askingSeeds: UInt64 = 9
    /// In some, who comes and goes is reported.
    private static let attendedSeeds: UInt64 = 7
    /// How often the next step is one of a read.
    let readPercent: Int
    let losesAnswers: Bool
    private let options: WorldOptions

    package init(seed: UInt64, options: WorldOptions = WorldOptions()) {
        // A hub that has gone must not take the simulation with it.
        signal(SIGPIPE, SIG_IGN)
        let elements = WorldElements(seed: seed, keepsTrace: options.keepsTrace)
        self.options = options
        let readsHistories = seed.isMultiple(of: World.readingSeeds)
        let readsSlowly = readsHistories && seed.isMultiple(of: World.erasingReadingSeeds)
        readPercent = readsSlowly ? 2 : 15
        erases = seed.isMultiple(of: World.erasingSeeds) || readsSlowly
        forgets = seed % World.forgettingSeeds == 1 && !erases
        store = StoreModel(random: elements.random, trace: elements.trace)
        store.announcesBeforeCommit = options.announcesBeforeCommit
        losesAnswers = seed % World.unansweredSeeds == 3
        store.unansweredOf = losesAnswers ? 8 : 0
        hub = HubModel(
            time: elements.time,
            random: elements.random,
            store: store,
            trace: elements.trace
        )
        hub.readsHistories = readsHistories
        if seed % World.askingSeeds == 4 {
            hub.application = ApplicationModel(random: elements.random, trace: elements.trace)
        }
        if seed % World.attendedSeeds == 2 {
            let lifecycle = LifecycleModel(time: elements.time, trace: elements.trace)
            hub.attendance = lifecycle.attendance
            self.lifecycle = lifecycle
        }
        super.init(elements, ledger: store, hubs: [hub])
        hub.publish = { [store, time, hub] publications, completion in
            for publication in publications { hub.application?.check(publication) }
            store.publish(publications, at: time.wall, completion: completion)
        }
        outbox = OutboxModel(world: self)
        outbox.isDown = random.chance(30)
        feeds = Topics.feeds.map { FeedModel(topic: $0, world: self) }
        sockets = (0..<5).map { SocketClient(name: "socket\($0)", world: self) }
        streams = (0..<3).map { StreamClient(name: "stream\($0)", world: self) }
        clients = sockets + streams
    }

    package func run() -> WorldOutcome {
        // Where a precondition fails, the backtrace names the thread, and so the seed.
        varde_name_thread("seed \(seed)")
        start()
        while trace.step < options.steps, trace.violation == nil {
            trace.beginStep()
            step()
        }
        if trace.violation == nil { calm() }
        if trace.violation == nil { check() }
        rest(clients) { time.advance($0) }
        let outcome = outcome
        end()
        return outcome
    }

    // MARK: The process

    func start() {
        hub.start()
        lifecycle?.start()
        for feed in feeds { feed.start() }
    }

    /// Ends it as `kill -9` does, or as a loss of power.
    func kill(losingPower: Bool) {
        hub.kill(until: time.now + .milliseconds(random.below(3000)))
        lifecycle?.kill()
        for feed in feeds { feed.stop() }
        outbox.stop()
        store.crash()
        guard losingPower else { return trace.count(.kills) }
        trace.count(.powerLosses)
        store.losePower()
        outbox.losePower()
    }

    /// Whoever waits for a process that is down or going down has it done here.
    func superviseHub() {
        switch hub.phase {
        case .up:
            guard store.needsRestart else { return }
            trace.count(.hubsEndedWithUnknown)
            hub.drain(until: time.now + .seconds(5))
        case .down(let until): if time.now >= until { start() }
        case .draining:
            guard hub.hasDrained else { return }
            store.flush(announce: hub.announce)
            for feed in feeds { feed.stop() }
            outbox.stop()
            hub.kill(until: time.now + .milliseconds(random.below(3000)))
            lifecycle?.kill()
            store.checkAcknowledged()
        }
    }

    private func end() {
        for client in clients { client.cut() }
        hub.kill(until: time.now)
        // They know the world, and it knows them, as do the writes that wait.
        store.crash()
        clients = []
        sockets = []
        streams = []
        feeds = []
        outbox = nil
    }

    // MARK: The end

    private func check() {
        for stream in streams { stream.checkUntold() }
        for feed in feeds { feed.check() }
        outbox.check()
        store.checkAcknowledged()
    }
}

/// How a world is to be.
package struct WorldOptions: Sendable {
    /// Before it is calmed.
    package var steps = 5000
    /// Puts the bug into the store that it tells of publications before they are committed.
    package var announcesBeforeCommit = false
    /// Keeps the whole trace, and not only its end.
    package var keepsTrace = false

    package init() {}
}

/// What became of a world.
package struct WorldOutcome: Sendable {
    package let seed: UInt64
    /// The first invariant that was broken; nil when all held.
    package let violation: String?
    package let step: Int
    /// The last lines of the trace.
    package let lines: [String]
    /// Of the whole trace: the same for the same seed.
    package let hash: UInt64
    package let happened: [Happening: Int]

    /// For whoever has to find the bug.
    package var report: String {
        guard let violation else { return "seed \(seed): all held in \(step) steps" }
        return "seed \(seed), step \(step): \(violation)\n  "
            + lines.suffix(40).joined(separator: "\n  ")
    }
}
