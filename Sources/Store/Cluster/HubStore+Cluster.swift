/// The progress of this node in the log of its cluster.
struct Following: Sendable {
    /// Whether the handlers are called.
    var isOn = false
    /// The batches since the store was opened, before the handlers are called.
    var waiting: [(number: Int64, records: [LogRecord])] = []
    /// The number of the last batch in the snapshot that the loops began with.
    var loaded: Int64?
    /// The removed topics at that batch.
    var forgotten: ForgottenCursors?
    /// The number of the last batch that this node has applied.
    var applied: Int64 = 0
    /// Whether a look at the log has its turn on the writer's queue.
    var isLookQueued = false
    /// The completions that wait for the next look that can read the log, oldest first.
    private(set) var questions: [@Sendable () -> Void] = []
    /// When the server last answered.
    var heard = ContinuousClock.now
    /// See `HubStore.setTerm`.
    var term: Int64?
    var timer: QueueTimer?
    var listener: NotificationListener?

    /// A loop has one question under way, and gives it up after 2 s (`Loop.positionWaitMax`), so
    /// those beyond are given up long ago.
    static let questionsMax = 1024

    mutating func ask(_ completion: @escaping @Sendable () -> Void) {
        if questions.count == Self.questionsMax { questions.removeFirst() }
        questions.append(completion)
    }

    mutating func takeQuestions() -> [@Sendable () -> Void] {
        defer { questions = [] }
        return questions
    }
}

/// A node of a cluster: it follows what the other nodes commit.
extension HubStore {
    /// The interval at which the log is read without a notification.
    private static let pollPause = Duration.milliseconds(100)

    /// Begins to call the handlers, in order, for the commits of all nodes after the snapshot of
    /// `newestCursor`. Set the handlers first. Does nothing if this is the only writer.
    package func follow() {
        guard isShared, let engine = engine as? PostgresEngine else { return }
        engine.write { [self] session in
            let waiting = following.withLock { following in
                following.isOn = true
                defer { following.waiting = [] }
                return following.waiting
            }
            for batch in waiting { tell(batch.number, batch.records) }
            catchUp(session)
        }
        let listener = engine.logListener(retryAfter: .milliseconds(200))
        let timer = engine.timer(every: Self.pollPause) { [weak self] in self?.catchUp($0) }
        following.withLock {
            $0.listener = listener
            $0.timer = timer
        }
        listener.begin { [weak self, weak engine] event in
            guard case .wake = event else { return }
            self?.look(engine)
        }
    }

    /// Reads the log soon. Notifications come faster than it can be read.
    private func look(_ engine: PostgresEngine?) {
        let isFirst = following.withLock { following in
            defer { following.isLookQueued = true }
            return !following.isLookQueued
        }
        guard isFirst else { return }
        engine?.write { [weak self] session in
            self?.following.withLock { $0.isLookQueued = false }
            self?.catchUp(session)
        }
    }

    /// Calls `completion` when this node has applied everything that was committed before the call.
    /// Does not wait.
    ///
    /// While the server cannot be reached, the completion waits for the next look at the log that
    /// succeeds: a caller that was answered at once would take this node for as far as the others.
    /// Of more than `Following.questionsMax`, the oldest are dropped.
    ///
    /// - Parameter completion: called on the writer's queue; it must be quick.
    package func catchUp(_ completion: @escaping @Sendable () -> Void) {
        guard isShared else { return completion() }
        engine.write { [self] session in
            following.withLock { $0.ask(completion) }
            catchUp(session)
        }
    }

    /// Sends a message to every node, this one included, in the order of the commits.
    ///
    /// - Parameter awaitsOutcome: see `commit`.
    /// - Throws: `StoreError`; no node receives it then, unless its code is `fateUnknown`.
    package func tell(_ note: ClusterNote, awaitsOutcome: Bool = false) async throws {
        let length = Change.rowBytes + note.body.count
        guard length <= limits.changeBytesMax else { throw tooBig(length) }
        _ = try await write(.note(note), length: length, awaitsOutcome: awaitsOutcome)
    }

    /// The time since the server last answered; zero if this is the only writer.
    package var silence: Duration {
        isShared ? .now - following.withLock { $0.heard } : .zero
    }

    /// The place of this node in its cluster; nil if this is the only writer.
    package var nodeStatus: NodeStatus? {
        guard isShared else { return nil }
        let (applied, term) = following.withLock { ($0.applied, $0.term) }
        return NodeStatus(applied: applied, silence: silence, term: term)
    }

    /// Why this node must not serve; nil while it is in touch with the server.
    package var staleness: String? {
        guard let cluster, silence > cluster.staleAfter else { return nil }
        return "no answer from PostgreSQL for \(silence.components.seconds) s"
    }

    /// Returns when every living node has applied what this node has, or when those that have not
    /// count as cut off.
    package func waitForNodes() async {
        guard let cluster, let process = engine.sharedLog?.process else { return }
        let number = following.withLock { $0.applied }
        let alive = Int64(cluster.livingFor.wholeMilliseconds)
        let end = ContinuousClock.now + cluster.staleAfter
        while ContinuousClock.now < end {
            let behind = try? await reading { session in
                try session.integer(NodeTable.behind, [number, process, alive])
            }
            if behind == 0 { return }
            guard (try? await Task.sleep(for: .milliseconds(5))) != nil else { return }
        }
    }

    /// The random name of this process; nil if this is the only writer.
    package var process: String? { engine.sharedLog?.process }

    /// The names of the processes whose leases would not have ended.
    package func livingProcesses() async throws -> Set<String> {
        guard let cluster else { return [] }
        let milliseconds = Int64(cluster.lease.wholeMilliseconds)
        return try await reading { session in
            Set(try session.rows(NodeTable.living, [milliseconds]) { try $0[0] as String })
        }
    }

    // MARK: The leader

    /// Asks for the lease of the leader, and keeps it. Once only; does nothing without a cluster.
    ///
    /// - Parameter handler: called whenever this node begins or ceases to lead, with its term or
    ///   nil. The lease is over when nil arrives, so another node may lead already: the leader's
    ///   work must end, and its commits are refused (`setTerm`).
    package func keepLease(_ handler: @escaping @Sendable (_ term: Int64?) -> Void) {
        let following = following
        keeper?.begin(
            applied: { following.withLock { $0.applied } },
            silence: { .now - following.withLock { $0.heard } },
            handler
        )
    }

    /// Refuses every commit of this node while another term than this one holds. Set it before the
    /// leader's work begins, and to nil when it has ended.
    package func setTerm(_ term: Int64?) async {
        guard isShared else { return }
        following.withLock { $0.term = term }
        await withCheckedContinuation { continuation in
            engine.write { [writer] _ in
                writer.sharedLog?.term = term
                continuation.resume()
            }
        }
    }

    /// Returns when every transaction of a former term has ended: later ones are refused.
    ///
    /// - Throws: `StoreError` if this node's term is over.
    package func passTerm() async throws {
        _ = try await write { _ in Written() }
    }

    /// Lets another node lead.
    package func giveLeaseBack() { keeper?.giveLeaseBack() }

    private var keeper: NodeKeeper? { (engine as? PostgresEngine)?.keeper }

    // MARK: The end

    func leaveCluster() async {
        let left = following.withLock { following in
            defer { (following.timer, following.listener) = (nil, nil) }
            return following
        }
        left.timer?.stop()
        left.listener?.stop()
        await keeper?.stop()
    }

    // MARK: On the writer's queue

    /// Calls the handlers for a batch of this node.
    func noteHeard(_ batch: WrittenBatch) {
        if let told = batch.told, let log = writer.sharedLog { tell(log.applied, told) }
        if batch.hasWritten { noteHeard() }
    }

    func catchUp(_ session: SQLSession) {
        settle(session)
        switch writer.gate.admission {
        case .admitted: break
        case .waits: return
        // It will never read the rest.
        case .closed: return answerQuestions()
        }
        do {
            try writer.catchUp(in: session)
            noteHeard()
            answerQuestions()
        } catch let error as StoreError where error.code == .gone {
            requireRestart(error)
            // It will never read the rest.
            answerQuestions()
        } catch {
            // The server is away. `staleness` reports it, and the next look tries again.
        }
    }

    private func answerQuestions() {
        for question in following.withLock({ $0.takeQuestions() }) { question() }
    }

    func requireRestart(_ result: Result<Written, any Error>) {
        guard case .failure(let error as StoreError) = result, error.code == .gone else { return }
        requireRestart(error)
    }

    private func requireRestart(_ error: StoreError) {
        (engine as? PostgresEngine)?.requireRestart(error.message)
    }

    func noteHeard() {
        let applied = writer.sharedLog?.applied ?? 0
        following.withLock {
            $0.heard = .now
            $0.applied = applied
        }
    }

    /// Takes a batch of the log: announced, or kept until the handlers are called. The snapshot that the
    /// loops began with may have it already.
    func tell(_ number: Int64, _ records: [LogRecord]) {
        let (isOn, isLoaded) = following.withLock { following in
            if !following.isOn { following.waiting.append((number, records)) }
            return (following.isOn, number <= following.loaded ?? 0)
        }
        if isOn { announce(isLoaded ? records.filter { !$0.isInHistories } : records) }
        // Behind the handlers: another node may wait for their effects.
        following.withLock { $0.applied = max($0.applied, number) }
    }

    /// Calls the handlers, in the order of the records.
    func announce(_ records: [LogRecord]) {
        let observer = observer.withLock { $0 }
        var publications: [Publication] = []
        var isAwaited = false
        func tell() {
            guard !publications.isEmpty else { return }
            observer.committed?(publications)
            publications.removeAll()
        }
        for record in records {
            if case .publication(let publication) = record {
                publications.append(publication)
                continue
            }
            tell()
            switch record {
            case .publication: break
            case .removal(let removal):
                observer.removed?(removal)
                isAwaited = true
            case .erasure(let erasure):
                observer.erased?([erasure])
                isAwaited = true
            case .forgotten(let topic): observer.forgot?([topic])
            case .deliveries(let queued, let erased):
                growth.withLock { $0.note(Written(queued: queued, erasedDeliveries: erased)) }
                observer.deliveriesChanged?()
            case .note(let note):
                observer.noted?(note)
                isAwaited = true
            case .state(let domains): observer.stateChanged?(domains)
            }
        }
        tell()
        if isAwaited { keeper?.noteApplied() }
    }
}

extension Locked<Following> {
    /// Notes up to which batch the first snapshot goes. Returns the last cursor of the snapshot's newest batch.
    func noteSnapshot(_ session: SQLSession) throws -> UInt64 {
        let newest = try session.row(
            "SELECT number, last_cursor FROM batch ORDER BY number DESC LIMIT 1"
        )
        let cursor = try newest.map { try $0.place(1) } ?? 0
        let number: Int64 = try newest.map { try $0[0] } ?? 0
        guard withLock({ $0.loaded == nil }) else { return cursor }
        let forgotten = try StoreIdentity.forgotten(session)
        withLock {
            $0.loaded = number
            $0.forgotten = forgotten
        }
        return cursor
    }
}
