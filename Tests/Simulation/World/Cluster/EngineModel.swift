import Core
import Reactor
import Store

/// PostgreSQL, as the nodes of a cluster see it: one commit lock, the batches of the log, the lease, the
/// rows of the nodes, and a standby. Its clock is the world's, which nobody sets.
///
/// What is in `durable` is visible to every node. A transaction becomes visible and is answered in
/// `step`, so that its connection may be cut before, between and after.
///
/// `@unchecked Sendable`: as `Ledger`.
final class EngineModel: Ledger, @unchecked Sendable {
    /// A node's connection.
    final class Session {
        let process: String
        fileprivate(set) var isOpen = true
        /// Whether a COMMIT was answered.
        fileprivate(set) var isCommitted = false

        init(process: String) {
            self.process = process
        }
    }

    /// A row of table `batch`.
    struct Batch {
        var number: Int64
        var writer: BatchWriter
        var lastCursor: UInt64
        var records: [LogRecord]
        var keys: [String] = []
        var messages: [AttendanceMessage] = []
        var changes: [LifecycleChange] = []
        /// Of the leader that wrote it; nil for what every node may write.
        var term: Int64?

        var place: LogPlace {
            LogPlace(number: number, lastCursor: lastCursor, writer: writer)
        }
    }

    struct LeaseRow {
        var process: String
        var term: Int64
        var until: MonotonicInstant
    }

    struct NodeRow {
        var applied: Int64
        var seenAt: MonotonicInstant
    }

    /// The tables beside the publications.
    struct Tables {
        var batches: [Batch] = []
        var newest = LogPlace(number: 1, lastCursor: 1000)
        var lease: LeaseRow?
        var nodes: [String: NodeRow] = [:]
        /// The publications of the idempotency keys.
        var keys: [String: Publication] = [:]
        /// In which the epoch holds; nil if it is over.
        var timeline: Int? = 1
        /// In which somebody has committed what no standby had to have.
        var unreplicatedTimeline: Int?
        /// The leader's work.
        var lastTerm: Int64 = 0
        var lastVersion = 0
        /// Those of arrivals and departures.
        var logs = LifecycleLogs()

        /// Whether a promotion may lose what was committed.
        var isUnreplicated: Bool {
            unreplicatedTimeline != nil && unreplicatedTimeline == timeline
        }
    }

    private enum Stage {
        case open(since: MonotonicInstant)
        case commitSent(Batch)
        /// On its disk, and not visible before the standby has it.
        case flushed(Batch, isReplicated: Bool)
    }

    private struct Transaction {
        let session: Session
        var isUnreplicated: Bool
        var stage: Stage
    }

    /// How long a transaction may wait for its client.
    static let idleMax = Duration.milliseconds(2500)
    static let deadAfter = Duration.seconds(300)
    private static let unshippedMax = 6

    /// Leaders begin no work any more.
    var isCalm = false
    var tables = Tables()
    /// Whether each commit waits for the standby.
    private(set) var isSynchronous: Bool
    var timeline = 1
    var isDownUntil = MonotonicInstant(nanoseconds: 0)
    /// The states before the commits that the standby does not have.
    var unshipped: [(durable: Durable, tables: Tables)] = []
    /// Processes that counted as dead when the log was trimmed.
    var leftBehind: Set<String> = []
    /// Payloads that are in the log.
    private var payloads: Set<[UInt8]> = []
    /// Of all that was ever committed.
    var greatestCursor: UInt64 = 1000
    private var transactions: [Transaction] = []
    private var sessions: [Session] = []
    let time: SimulatedTime
    let random: Randomness

    init(time: SimulatedTime, random: Randomness, trace: Trace) {
        self.time = time
        self.random = random
        isSynchronous = random.chance(70)
        super.init(trace: trace)
    }

    var isDown: Bool { time.now < isDownUntil }

    // MARK: Connections

    func connect(_ process: String) -> Session? {
        guard !isDown else { return nil }
        let session = Session(process: process)
        sessions.append(session)
        return session
    }

    /// The client's end is gone. A COMMIT that is under way arrives, or it does not; a transaction that
    /// waits for its client ends now, or when the server looks for it.
    func cut(_ session: Session) {
        session.isOpen = false
        sessions.removeAll { $0 === session }
        guard let index = index(of: session) else { return }
        switch transactions[index].stage {
        case .open: if random.chance(50) { transactions.remove(at: index) }
        case .commitSent:
            if random.chance(50) { transactions[index].stage = .open(since: time.now) }
        case .flushed: break
        }
    }

    func cutAll() {
        for session in sessions { session.isOpen = false }
        sessions = []
    }

    private func index(of session: Session) -> Int? {
        transactions.firstIndex { $0.session === session }
    }

    // MARK: Transactions

    /// Begins a transaction with the commit lock, if no one else has it.
    func lock(_ session: Session) -> Bool {
        guard index(of: session) == nil else { return true }
        guard transactions.isEmpty, session.isOpen else { return false }
        begin(session)
        return true
    }

    private func begin(_ session: Session) {
        session.isCommitted = false
        transactions.append(
            Transaction(
                session: session,
                isUnreplicated: !isSynchronous,
                stage: .open(since: time.now)
            )
        )
    }

    /// The client goes on in its transaction.
    func touch(_ session: Session) {
        guard let index = index(of: session) else { return }
        transactions[index].stage = .open(since: time.now)
    }

    func rollBack(_ session: Session) { transactions.removeAll { $0.session === session } }

    func sendCommit(of batch: Batch, _ session: Session) {
        guard let index = index(of: session) else { return }
        transactions[index].stage = .commitSent(batch)
    }

    /// The first batches behind a place.
    func batches(after number: Int64) -> [Batch] {
        Array(tables.batches.drop { $0.number <= number }.prefix(3))
    }

    /// Whether a batch of an unknown outcome was committed (`SharedLog.evidence`).
    func fate(of batch: Batch) -> CommitFate {
        if let found = tables.batches.first(where: { $0.number == batch.number }) {
            return found.place == batch.place ? .committed : .lost
        }
        return tables.newest.number > batch.number ? .never("batch deleted") : .lost
    }

    // MARK: Steps

    var isIdle: Bool { transactions.isEmpty }

    func step() {
        guard !isDown else { return }
        if !unshipped.isEmpty, random.chance(isSynchronous ? 80 : 30) { unshipped.removeFirst() }
        for index in transactions.indices.reversed() { advance(index) }
    }

    private func advance(_ index: Int) {
        let transaction = transactions[index]
        switch transaction.stage {
        case .open(let since):
            guard time.now >= since + EngineModel.idleMax else { return }
            trace.note("engine ends an idle transaction")
            trace.count(.idleTransactionsEnded)
            transaction.session.isOpen = false
            transactions.remove(at: index)
        case .commitSent(let batch):
            if isSynchronous {
                transactions[index].stage = .flushed(batch, isReplicated: false)
            } else {
                unshipped.append((durable, tables))
                if unshipped.count > EngineModel.unshippedMax { unshipped.removeFirst() }
                end(index, batch)
            }
        case .flushed(let batch, let isReplicated):
            guard unshipped.isEmpty else { return }
            if isReplicated {
                end(index, batch)
            } else {
                transactions[index].stage = .flushed(batch, isReplicated: true)
            }
        }
    }

    private func end(_ index: Int, _ batch: Batch) {
        let transaction = transactions.remove(at: index)
        commit(batch, transaction)
        transaction.session.isCommitted = true
    }

    private func commit(_ batch: Batch, _ transaction: Transaction) {
        let mark = ReplicationMark(isSet: tables.isUnreplicated)
        switch mark.change(waitsForStandby: !transaction.isUnreplicated) {
        case .set: tables.unreplicatedTimeline = tables.timeline
        case .takeBack:
            tables.unreplicatedTimeline = nil
            trace.count(.marksTakenBack)
        case nil: break
        }
        insert(batch)
    }

    private func insert(_ batch: Batch) {
        trace.expect(
            batch.number == tables.newest.number + 1,
            "\(batch.writer.process): batch \(batch.number) behind \(tables.newest.number)"
        )
        let first = durable.log.count
        for record in batch.records {
            guard case .publication(let publication) = record else { continue }
            insert(publication, batch)
        }
        trace.expect(
            batch.lastCursor >= durable.lastCursor,
            "\(batch.writer.process): cursor \(batch.lastCursor) behind \(durable.lastCursor)"
        )
        durable.lastCursor = batch.lastCursor
        greatestCursor = max(greatestCursor, batch.lastCursor)
        tables.newest.advance(lastCursor: batch.lastCursor, writer: batch.writer)
        tables.batches.append(batch)
        remember(from: first)
        for (key, record) in zip(batch.keys, batch.records) where !key.isEmpty {
            guard case .publication(let publication) = record else { continue }
            trace.expect(tables.keys[key] == nil, "key \(key) has two publications")
            tables.keys[key] = publication
        }
        for change in batch.changes { tables.logs.add(change, trace) }
        let process = batch.writer.process
        trace.note("engine commits \(batch.number) of \(process) to \(batch.lastCursor)")
    }

    private func insert(_ publication: Publication, _ batch: Batch) {
        let topic = Topics.index(publication.topic.name)!
        let top = UInt64(durable.topics[topic].count)
        trace.expect(
            publication.offset == top + 1 && publication.cursor > durable.lastCursor,
            "\(publication.topic): \(batch.writer.process) writes offset \(publication.offset) "
                + "at \(publication.cursor) behind \(top) at \(durable.lastCursor)"
        )
        trace.expect(
            payloads.insert(publication.payload).inserted,
            "\(publication.topic): offset \(publication.offset) was published before"
        )
        trace.expect(
            !refused.contains(publication.payload),
            "\(publication.topic): offset \(publication.offset) was refused"
        )
        durable.topics[topic].append(publication)
        durable.log.append(publication)
        durable.logBeginnings.append(0)
        durable.lastCursor = publication.cursor
        if topic == LeaderModel.topic, let term = batch.term { checkWork(publication, term) }
    }

    /// Each version of the leader's work is committed once, and no former leader commits any.
    private func checkWork(_ publication: Publication, _ term: Int64) {
        let version = Int(Fields(publication.payload[...])?.integer("version") ?? 0)
        trace.expect(term >= tables.lastTerm, "term \(term) commits behind \(tables.lastTerm)")
        trace.expect(
            version == tables.lastVersion + 1,
            "term \(term) commits version \(version) behind \(tables.lastVersion)"
        )
        tables.lastTerm = term
        tables.lastVersion = version
    }

    // MARK: The standby

    /// Only between transactions, which read the setting when they begin.
    func toggleSynchronous() {
        guard isIdle else { return }
        isSynchronous.toggle()
        trace.note("commits \(isSynchronous ? "wait" : "do not wait") for the standby")
    }

    /// Calls a function while the state is that of a snapshot: of the primary, or of the standby, which a
    /// node's reading connection may lead to.
    func withSnapshot(ofStandby: Bool, _ body: () -> Void) {
        guard ofStandby, let standby = unshipped.first else { return body() }
        let primary = (durable, tables)
        (durable, tables) = standby
        body()
        (durable, tables) = primary
    }

    /// The primary is lost for good. What the standby lacks is lost, and must not have been acknowledged
    /// where commits wait for it.
    func promote() {
        let mayLose = tables.isUnreplicated
        for transaction in transactions {
            if case .flushed(let batch, true) = transaction.stage { commit(batch, transaction) }
        }
        transactions = []
        if let before = unshipped.first {
            let lost = durable.log[before.durable.log.count...].map(\.payload)
            takenBack.formUnion(lost)
            payloads.subtract(lost)
            (durable, tables) = before
            unshipped = []
            trace.note("\(lost.count) publications are lost")
        }
        if mayLose { acknowledged.removeAll { !isKept($0) } }
        checkAcknowledged()
        cutAll()
        timeline += 1
        isDownUntil = time.now + .milliseconds(random.below(3000))
        trace.count(.promotions)
        trace.note("standby promoted to timeline \(timeline)")
    }
}
