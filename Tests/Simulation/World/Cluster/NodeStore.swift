import Core
import Hub

/// The store of one node, from its start to its end: commits what its hub and the server API write behind
/// what the others have committed, and tells the loops of both in the order of the log. `LogPlace`,
/// `LogEntry` and `CommitGate` are the product's; the connection is a model.
///
/// `@unchecked Sendable`: the hub's closures demand it; a world lives on one thread.
final class NodeStore: @unchecked Sendable {
    typealias Completion = (Result<[Publication], StoreError>) -> Void

    struct Write {
        var events: [TopicEvent]
        /// The idempotency key of its only event; empty for none.
        var key = ""
        /// The leader's work.
        var term: Int64?
        /// To the other nodes.
        var messages: [AttendanceMessage] = []
        /// Of the logs of arrivals and departures.
        var changes: [LifecycleChange] = []
        /// Whether it completes only when the outcome of its commit is known.
        var awaitsOutcome = false
        var completion: Completion
    }

    /// A copy of what the engine has.
    struct Counters {
        var tops: [UInt64]
        var lastCursor: UInt64
    }

    /// A transaction whose COMMIT is sent.
    struct Commit {
        var writes: [Write]
        var results: [[Publication]]
        var batch: EngineModel.Batch
        var counters: Counters
        var publications: [Publication]
    }

    enum Stage {
        case idle
        case entering([Write])
        case inside([Write])
        case committing(Commit)
        case unknown(Commit, since: MonotonicInstant)
        indirect case announcing([Publication], nextLoop: Int, then: Stage)
        case completing([() -> Void])
    }

    let process: String
    let epoch: String
    let node: NodeModel
    let engine: EngineModel
    private(set) var place: LogPlace
    var counters: Counters
    var stage = Stage.idle
    /// The term of this node's lease while it leads.
    var term: Int64?
    var session: EngineModel.Session?
    /// Another node has begun an epoch, or the log goes on without this node: the hub has to start anew.
    private(set) var isGone = false
    /// No look at the log until then, unless somebody asks.
    var looksAt = MonotonicInstant(nanoseconds: 0)
    /// Holds the commit that is looked up after its publishers gave up.
    var gate = CommitGate<Commit>()
    private var timeline: Int
    var waiting: [Write] = []
    private var questions: [() -> Void] = []
    private var troubles = 0
    /// The transactions that it has begun.
    private var attempts: Int64 = 0

    private static let batchMax = 6
    private static let waitingMax = 64
    static let unknownMax = Duration.seconds(30)

    /// Loads the counters; the loops have to be loaded in the same step.
    init(process: String, node: NodeModel, engine: EngineModel) {
        self.process = process
        self.node = node
        self.engine = engine
        engine.establish()
        epoch = engine.durable.epoch
        timeline = engine.timeline
        place = engine.tables.newest
        counters = Counters(
            tops: engine.durable.topics.map { UInt64($0.count) },
            lastCursor: max(engine.durable.cursorBase, place.lastCursor)
        )
        session = engine.connect(process)
        node.hub.troubles = troubles
        engine.note(process, applied: place.number)
    }

    var trace: Trace { engine.trace }
    private var random: Randomness { engine.random }

    var isIdle: Bool {
        guard case .idle = stage else { return false }
        return waiting.isEmpty && questions.isEmpty && gate.open == nil
    }

    var isCommitting: Bool { if case .committing = stage { true } else { false } }

    var isInTouch: Bool { session?.isOpen == true }

    /// Whether the engine is there, and has what this node has applied.
    var hasSnapshot: Bool {
        !engine.isDown && engine.snapshot(at: place.number).has(place, of: epoch)
    }

    // MARK: Inputs

    func submit(_ write: Write) {
        guard waiting.count < NodeStore.waitingMax else {
            return write.completion(.failure(error(.queueFull)))
        }
        waiting.append(write)
    }

    /// What clients publish.
    func publish(_ publications: [ClientPublication], completion: @escaping Ledger.Completion) {
        let change = engine.change(of: publications, at: node.time.wall)
        submit(
            Write(events: change.events) { result in
                if case .failure(let error) = result { completion(error) } else { completion(nil) }
            }
        )
    }

    /// Answers when all is applied that is committed so far (`HubStore.catchUp`).
    func catchUp(_ completion: @escaping () -> Void) {
        trace.count(.positionWaits)
        questions.append(completion)
    }

    /// The connection is cut.
    func cut() {
        if let session { engine.cut(session) }
    }

    /// Something keeps the node from hearing of commits.
    func noteTrouble() {
        troubles += 1
        node.hub.troubles = troubles
    }

    // MARK: Steps

    /// - Parameter announce: tells the loop of this index; false when there is no such loop.
    func step(announce: (Int, [Publication]) -> Bool) {
        switch stage {
        case .idle: begin()
        case .entering(let writes): enter(writes)
        case .inside(let writes): goOn(writes)
        case .committing(let commit): lookForAnswer(commit)
        case .unknown(let commit, let since): lookUp(commit, since)
        case .announcing(let publications, let loop, let then):
            if !publications.isEmpty, announce(loop, publications) {
                stage = .announcing(publications, nextLoop: loop + 1, then: then)
            } else {
                stage = then
            }
        case .completing(let completions):
            guard let first = completions.first else {
                stage = .idle
                return
            }
            stage = .completing(Array(completions.dropFirst()))
            first()
        }
    }

    private func begin() {
        if let commit = gate.open { return lookUpLate(commit) }
        let isAsked = !questions.isEmpty
        guard connect() else {
            if isGone { answerQuestions() }
            return
        }
        guard !isAsked, !waiting.isEmpty, random.chance(70) else {
            if isAsked || engine.time.now >= looksAt { look() }
            return
        }
        let count = min(waiting.count, 1 + random.below(NodeStore.batchMax))
        stage = .entering(Array(waiting.prefix(count)))
        waiting.removeFirst(count)
    }

    /// Follows the log without the lock.
    private func look() {
        guard engine.epoch == epoch else { return end() }
        guard let batch = engine.batches(after: place.number).first else {
            return answerQuestions()
        }
        follow(batch, then: .idle)
    }

    private func answerQuestions() {
        let asked = questions
        questions = []
        for question in asked { question() }
    }

    /// Applies a batch of another node.
    private func follow(_ batch: EngineModel.Batch, then: Stage) {
        guard place.isFollowed(by: batch.number) else {
            trace.expect(
                !engine.isKept(for: process),
                "\(node.name): batch \(place.number + 1) was deleted before it was applied"
            )
            trace.count(.nodesLeftBehind)
            return end()
        }
        var publications: [Publication] = []
        for case .publication(let publication) in batch.records {
            publications.append(publication)
            counters.tops[Topics.index(publication.topic.name)!] = publication.offset
        }
        counters.lastCursor = max(counters.lastCursor, batch.lastCursor)
        place.advance(lastCursor: batch.lastCursor, writer: batch.writer)
        for message in batch.messages { node.lifecycle?.take(message) }
        trace.note("\(node.name) applies \(batch.number)")
        trace.count(.batchesFollowed)
        stage = .announcing(publications, nextLoop: 0, then: then)
    }

    // MARK: The connection

    /// Whether the node is connected to a server on which its epoch holds.
    func connect() -> Bool {
        guard !isInTouch else { return true }
        guard engine.time.now >= node.partitionedUntil, let session = engine.connect(process) else {
            return false
        }
        guard engine.holds(epoch, since: timeline, at: place) else {
            trace.note("\(node.name): \(epoch) does not hold in timeline \(engine.timeline)")
            if timeline != engine.timeline { engine.endEpochIfLost(epoch, at: place) }
            engine.cut(session)
            end()
            return false
        }
        timeline = engine.timeline
        self.session = session
        return true
    }

    func end() { isGone = true }

    // MARK: Transactions

    private func enter(_ writes: [Write]) {
        guard let session, session.isOpen else { return fail(writes, .ioFailed) }
        guard engine.lock(session) else { return }
        let entry = LogEntry(epoch: epoch, term: term)
        switch entry.refusal(epoch: engine.epoch, term: engine.tables.lease?.term) {
        case nil: stage = .inside(writes)
        case .notLeading:
            trace.count(.commitsFenced)
            engine.rollBack(session)
            fail(writes, .notLeading)
        case .otherEpoch:
            engine.rollBack(session)
            fail(writes, .gone)
            end()
        }
    }

    /// First what the others have committed, then what this node writes.
    private func goOn(_ writes: [Write]) {
        guard let session, session.isOpen else { return fail(writes, .ioFailed) }
        engine.touch(session)
        if let batch = engine.batches(after: place.number).first {
            return follow(batch, then: .inside(writes))
        }
        let commit = carryOut(writes)
        engine.sendCommit(of: commit.batch, session)
        stage = .committing(commit)
    }

    private func carryOut(_ writes: [Write]) -> Commit {
        attempts += 1
        var counters = counters
        var keys: [String] = []
        var publications: [Publication] = []
        var results: [[Publication]] = []
        for write in writes {
            if let former = engine.tables.keys[write.key] {
                trace.count(.keysRepeated)
                results.append([former])
                continue
            }
            if !write.key.isEmpty, let index = keys.firstIndex(of: write.key) {
                results.append([publications[index]])
                continue
            }
            let new = write.events.map { counters.next($0) }
            publications += new
            keys += new.map { _ in write.key }
            results.append(new)
        }
        let batch = EngineModel.Batch(
            number: place.number + 1,
            writer: BatchWriter(process: process, attempt: attempts),
            lastCursor: counters.lastCursor,
            records: publications.map { .publication($0) },
            keys: keys,
            messages: writes.flatMap(\.messages),
            changes: writes.flatMap(\.changes),
            term: writes.compactMap(\.term).first
        )
        return Commit(
            writes: writes,
            results: results,
            batch: batch,
            counters: counters,
            publications: publications
        )
    }

    private func lookForAnswer(_ commit: Commit) {
        guard let session, session.isOpen else {
            trace.note("\(node.name): the outcome of \(commit.batch.number) is unknown")
            trace.count(.answersLost)
            stage = .unknown(commit, since: node.time.now)
            return
        }
        if session.isCommitted { succeed(commit) }
    }

    func succeed(_ commit: Commit) {
        counters = commit.counters
        place.advance(lastCursor: commit.batch.lastCursor, writer: commit.batch.writer)
        let completions = zip(commit.writes, commit.results).map { write, result in
            { write.completion(.success(result)) }
        }
        stage = .announcing(commit.publications, nextLoop: 0, then: .completing(completions))
    }

    func fail(_ writes: [Write], _ code: StoreError.Code) {
        let error = error(code)
        stage = .completing(writes.map { write in { write.completion(.failure(error)) } })
    }

    private func error(_ code: StoreError.Code) -> StoreError {
        StoreError(code, "\(code)", path: "model")
    }
}

extension NodeStore.Counters {
    fileprivate mutating func next(_ event: TopicEvent) -> Publication {
        let topic = Topics.index(event.topic.name)!
        tops[topic] += 1
        lastCursor += 1
        return Publication(
            topic: event.topic,
            offset: tops[topic],
            cursor: lastCursor,
            time: event.time,
            payload: event.payload,
            tags: event.tags
        )
    }
}
