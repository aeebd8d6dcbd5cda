import Glibc
import Hub

/// The hub's process: its loops as they are in production, but for their threads. It can be killed and
/// started again.
/// `@unchecked Sendable`: its closures demand it; a world lives on one thread.
final class HubModel: @unchecked Sendable {
    enum Phase {
        case up
        /// Told to stop; killed for good if it has not gone by then.
        case draining(until: MonotonicInstant)
        case down(until: MonotonicInstant)
    }

    typealias Publish = ([ClientPublication], @escaping Ledger.Completion) -> Void

    /// Where there are several, how a trace calls it, with a space behind.
    let name: String
    /// Takes what clients publish.
    var publish: Publish = { _, completion in completion(ProtocolError.notAvailable) }
    /// Where other hubs commit too.
    var barrier: PositionBarrier?
    /// Counts what has kept the hub from hearing of commits; nil while something does, or where no one
    /// else commits.
    var troubles: Int?
    /// Bytes that may wait for one connection.
    let queueBytesMax: Int
    /// Decides about clients; nil for none.
    var application: ApplicationModel?
    /// Learns who comes and goes; nil for none. It starts with the hub.
    var attendance: AttendanceModel?
    /// Whether histories are read from the store when they are needed.
    var readsHistories = false
    /// Whether those that were read stay in memory.
    var keepsHistories = false
    /// Whether a snapshot of the store has what the loops may have received.
    var canRead: () -> Bool = { true }
    /// Calls a function while the store is as a snapshot has it.
    var withSnapshot: (() -> Void) -> Void = { $0() }
    /// Reads whose snapshot is taken, and that have not ended.
    private var reads: [(read: HistoryRead, found: FoundHistory)] = []
    /// Loops of this world.
    let loopCount: Int
    private(set) var phase = Phase.down(until: MonotonicInstant(nanoseconds: 0))
    /// Counts the processes.
    private(set) var incarnation = 0
    private(set) var epoch = ""
    let log = DisconnectLog()
    private var loops: [Loop] = []
    private var table = HistoryTable.none
    /// By loop: the number of announcements that it was handed.
    private var announced: [Int] = []
    /// By loop and topic: the newest offset that the loop was handed.
    private var tops: [[UInt64]] = []
    /// By loop and topic: the history that it is the newest of; nil before the first.
    private var histories: [[HistoryName?]] = []
    /// By loop and topic: the offsets that were erased before the limits would have evicted them.
    private var holes: [[Set<UInt64>]] = []
    private let time: SimulatedTime
    private let random: Randomness
    private let store: Ledger
    private let trace: Trace

    init(
        name: String = "",
        time: SimulatedTime,
        random: Randomness,
        store: Ledger,
        trace: Trace
    ) {
        self.name = name
        self.time = time
        self.random = random
        self.store = store
        self.trace = trace
        loopCount = 2 + random.below(2)
        queueBytesMax = random.pick([8 << 10, 32 << 10, 256 << 10])
    }

    var isUp: Bool { if case .up = phase { true } else { false } }

    /// A recovery takes at most half of a queue, as in production.
    var recoveryBytesMax: Int { queueBytesMax / 2 }

    /// Whether a loop was handed as much as a position has seen.
    func hasReached(_ position: Position, loop: Int, topic: Int) -> Bool {
        guard let history = store.histories.named(position.epoch, of: topic) else { return false }
        return histories[loop][topic] == history && position.offset <= tops[loop][topic]
    }

    func holes(loop: Int, topic: Int) -> Set<UInt64> { holes[loop][topic] }

    // MARK: Start and end

    func start() {
        precondition(loops.isEmpty)
        incarnation += 1
        epoch = store.durable.epoch
        phase = .up
        let topics = store.load(now: time.wall)
        do {
            table = try restored(topics)
            for index in 0..<loopCount { loops.append(try loop(index)) }
        } catch {
            trace.fail("the hub does not start: \(error)")
        }
        announced = loops.map { _ in 0 }
        tops = loops.map { _ in topics.map(\.topOffset) }
        histories = loops.map { _ in
            topics.indices.map { topics[$0].topOffset > 0 ? store.presentHistory($0) : nil }
        }
        let erased = zip(topics, store.durable.erased).map { topic, erased in
            erased.filter { $0 > topic.evictedOffset }
        }
        holes = loops.map { _ in erased }
        attendance?.start()
        trace.note("\(name)hub \(incarnation) starts with \(epoch)")
    }

    /// `kill -9`: sockets are closed, memory is gone.
    func kill(until instant: MonotonicInstant) {
        loops = []
        reads = []
        application?.forget()
        phase = .down(until: instant)
        trace.note("\(name)hub killed")
    }

    /// SIGTERM: clients are told to come back.
    func drain(until instant: MonotonicInstant) {
        phase = .draining(until: instant)
        trace.note("\(name)hub drains")
        for loop in loops { loop.beginDraining() }
    }

    /// Whether an orderly end is over: all have gone, or had the time.
    var hasDrained: Bool {
        guard case .draining(let deadline) = phase else { return false }
        return time.now >= deadline || loops.allSatisfy { $0.openConnectionCount() == 0 }
    }

    private func restored(_ topics: [Ledger.LoadedTopic]) throws -> HistoryTable {
        let histories = HistoryTable(
            epoch: store.durable.epoch,
            cursorBase: store.durable.cursorBase,
            newestStoredCursor: store.durable.lastCursor,
            isBacked: readsHistories,
            namespaces: attendance == nil ? Topics.namespaces : Topics.attendedNamespaces,
            forgotten: ForgottenCursors(store.durable.forgotten),
            limits: HubLimits(
                recoveryBytesMax: recoveryBytesMax,
                storedHistoryBytesMax: keepsHistories ? .max : HubModel.storedHistoryBytesMax,
                topicOverhead: HubModel.topicOverhead
            )
        )
        guard !readsHistories else { return histories }
        for topic in topics {
            try histories.restore(
                topic.topic,
                beginning: topic.beginning,
                topOffset: topic.topOffset,
                evictedOffset: topic.evictedOffset,
                evictedCursor: topic.evictedCursor,
                publications: topic.publications
            )
        }
        return histories
    }

    private func loop(_ index: Int) throws -> Loop {
        try Loop(
            index: index,
            settings: settings,
            hub: LoopTopics(sharing: table),
            rules: application == nil ? Topics.rules : Topics.rulesWithHooks,
            shared: HubShared(hooks: application, attendance: attendance),
            logger: Logger(label: "hub") { [log] _ in log },
            publisher: { [unowned self] publications, completion in
                publish(publications) { error in
                    if let error { completion(.failure(error)) } else { completion(.success([:])) }
                }
            },
            barrier: barrier,
            respond: { _ in ServerResponse(status: 404, text: "not simulated") }
        )
    }

    private var settings: LoopSettings {
        var settings = LoopSettings()
        settings.connections = ConnectionLimits(connectionsMax: 64, queueBytesMax: queueBytesMax)
        // Few enough that a fan-out goes on over several turns.
        settings.connections.turnWritesMax = 4
        // They would not be enough for a call either, and a ring interrupts the thread that opened it.
        settings.connections.ringSendsMin = .max
        settings.clock = .simulated { [time] in time.now }
        settings.random = { [random] in random.bytes($0) }
        return settings
    }

    // MARK: Reads

    /// Room for the whole history of a topic, and for those of two topics.
    private static let storedHistoryBytesMax = 2 << 20
    private static let topicOverhead = 700 << 10

    /// The open topic whose snapshot is taken first of those whose read has not ended.
    var topicBeingRead: Topic? {
        reads.first { read, _ in Topics.open.contains(Topics.index(read.topic.name)!) }?.read.topic
    }

    /// Takes a snapshot for reads, or ends one of those whose snapshot is taken.
    ///
    /// - Parameter mayFail: whether some cannot be read.
    func stepReads(mayFail: Bool) {
        guard !loops.isEmpty else { return }
        if reads.isEmpty || random.chance(30) { withSnapshot { beginReads() } }
        guard !reads.isEmpty else { return }
        let (read, found) = reads.remove(at: random.below(reads.count))
        if mayFail, random.chance(10) {
            trace.note("\(name)hub cannot read \(read.topic)")
            return endRead(table.fail(read.topic))
        }
        do {
            guard let end = try table.finish(read, found) else { return }
            trace.count(.historiesRead)
            trace.note("\(name)hub has read \(read.topic)")
            endRead(end)
        } catch {
            trace.fail("history of \(read.topic) not taken: \(error)")
        }
    }

    private func beginReads() {
        let topics = store.load(now: time.wall)
        for read in table.takeReads(countMax: 1 + random.below(3)) {
            guard canRead() else {
                trace.count(.snapshotsRefused)
                trace.note("\(name)hub has no snapshot for \(read.topic)")
                endRead(table.fail(read.topic))
                continue
            }
            let index = Topics.index(read.topic.name)!
            trace.note("\(name)hub reads \(read.topic)")
            reads.append((read, found(topics[index], limit: read.limit)))
        }
    }

    private func endRead(_ end: HistoryReadEnd) {
        for reader in end.readers {
            let isTaken = loops[reader].mailbox.post(.historyRead(end.topic, end.outcome))
            trace.expect(isTaken, "loop \(reader) does not take the end of a read")
        }
    }

    private func found(_ topic: Ledger.LoadedTopic, limit: HistoryLimit) -> FoundHistory {
        guard topic.topOffset > 0 else {
            let namespace = String(topic.topic.namespace)
            return .nothing(forgottenThrough: store.durable.forgotten[namespace] ?? 0)
        }
        let bytes = topic.publications.reduce(0) { $0 + $1.wireLength }
        trace.expect(bytes <= limit.bytes, "\(topic.topic): \(bytes) bytes are more than are read")
        return .history(
            StoredHistory(
                beginning: topic.beginning,
                topOffset: topic.topOffset,
                evictedOffset: topic.evictedOffset,
                evictedCursor: topic.evictedCursor,
                throughCursor: store.topCursor(Topics.index(topic.topic.name)!),
                publications: topic.publications,
                isCut: false
            )
        )
    }

    // MARK: Steps

    func step(loop: Int) {
        guard loop < loops.count else { return }
        let loop = loops[loop]
        loop.step()
        let queued = loop.queuedBytesMax()
        trace.expect(
            queued <= queueBytesMax,
            "loop \(loop): \(queued) bytes wait for one connection, over \(queueBytesMax)"
        )
        guard let attendance else { return }
        for topic in Topics.all {
            let subscribers = loops.reduce(0) { $0 + $1.subscriberCount(of: topic) }
            attendance.check(topic, subscribers: subscribers)
        }
    }

    /// The turns in which a loop has to carry out all work that is due.
    private static let turnsToRestMax = 5000

    /// Takes turns of a loop until it would sleep. Time does not pass meanwhile, so a loop that has to
    /// take another turn again and again has a deadline that is over and that no turn clears.
    func rest(loop: Int) {
        guard loop < loops.count else { return }
        for _ in 0..<HubModel.turnsToRestMax {
            guard let next = loops[loop].step(), next <= time.now else { return }
        }
        trace.fail("\(name)loop \(loop) does not sleep")
    }

    /// Tells one loop of a commit; false when there is no such loop.
    func announce(_ loop: Int, _ announcements: [Ledger.Announcement]) -> Bool {
        guard loop < loops.count else { return false }
        for announcement in announcements {
            // The histories have it before the first loop.
            if announced.allSatisfy({ $0 <= announced[loop] }) { add(announcement) }
            announced[loop] += 1
            let isTaken: Bool
            switch announcement {
            case .publications(let publications):
                isTaken = announce(loop, publications)
            case .removal(let removal):
                isTaken = loops[loop].mailbox.post(
                    .historyRemoved(removal.topic, through: removal.throughOffset)
                )
            case .erasures(let erasures):
                isTaken = announce(loop, erasures)
            case .forgotten(let topics):
                for topic in topics {
                    let index = Topics.index(topic.topic.name)!
                    tops[loop][index] = 0
                    histories[loop][index] = nil
                }
                isTaken = loops[loop].mailbox.post(.forgotten(topics))
            }
            trace.expect(isTaken, "loop \(loop) does not take what was committed")
        }
        return true
    }

    private func add(_ announcement: Ledger.Announcement) {
        switch announcement {
        case .publications(let publications): table.publish(publications)
        case .removal(let removal):
            table.removeHistory(of: removal.topic, through: removal.throughOffset)
        case .erasures(let erasures): for erasure in erasures { table.erase(erasure) }
        case .forgotten(let topics): for topic in topics { table.forget(topic) }
        }
    }

    private func announce(_ loop: Int, _ publications: [Publication]) -> Bool {
        for publication in publications {
            let topic = Topics.index(publication.topic.name)!
            guard publication.offset > 0 else { continue }
            tops[loop][topic] = publication.offset
            histories[loop][topic] = store.history(of: publication)
        }
        return loops[loop].mailbox.post(.publications(publications, committed: time.now))
    }

    private func announce(_ loop: Int, _ erasures: [Erasure]) -> Bool {
        for erasure in erasures {
            let topic = Topics.index(erasure.topic.name)!
            let top = tops[loop][topic]
            let span = UInt64(Topics.limit(topic).count)
            for publication in store.durable.topics[topic].prefix(Int(top)).suffix(Int(span))
            where erasure.covers(publication.tags) {
                holes[loop][topic].insert(publication.offset)
            }
        }
        return loops[loop].mailbox.post(.erased(erasures))
    }

    /// A connection to one loop; nil when nobody listens.
    ///
    /// - Parameter sendBufferBytes: of the hub's end; nil leaves it to the kernel.
    func connect(loop: Int, sendBufferBytes: Int32?) -> Int32? {
        guard isUp else { return nil }
        var pair: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &pair) == 0 else {
            trace.fail("no socket: errno \(errno)")
            return nil
        }
        if var bytes = sendBufferBytes {
            setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
        }
        loops[loop].adopt(pair[0])
        return pair[1]
    }
}
