import Core
import Reactor
import Store

/// A message between nodes about who is on them, as `LifecycleMessage`.
struct AttendanceMessage {
    enum Content {
        /// The leader asks each node for everyone on it.
        case wanted
        case report(NodeAttendance.Report)
    }

    var process: String
    var content: Content
}

/// Who comes and goes, on one node of a cluster: its reports, and while it leads the book of all nodes, as
/// `LifecycleNode` and `LifecycleLeader` have them.
final class NodeLifecycle {
    private static let slack = Duration.milliseconds(500)
    private static let looksEvery = Duration.seconds(1)
    private static let asksAgainAfter = 5
    private static let awaitsMax = 60
    /// The changes in one transaction.
    private static let changesMax = 3

    private let node: NodeModel
    private let store: NodeStore
    private let leader: LeaderModel
    private let attendance: AttendanceModel
    /// Nil while this node does not lead.
    private var book: LifecycleBook?
    private var isSending = false
    /// Those that the book regards as committed, and that are not yet.
    private var changes: [LifecycleChange] = []
    private(set) var isCommitting = false
    /// The processes that lived when the leader asked.
    private var asked: Set<String> = []
    private var looksAt = MonotonicInstant(nanoseconds: 0)
    /// The looks since a process has not answered.
    private var looks = 0

    init(node: NodeModel, store: NodeStore, leader: LeaderModel, attendance: AttendanceModel) {
        self.node = node
        self.store = store
        self.leader = leader
        self.attendance = attendance
    }

    private var now: MonotonicInstant { node.time.now }
    private var wall: Timestamp { node.time.wall }

    /// Nothing of it is under way.
    var isSettled: Bool { !isSending && !isCommitting }

    // MARK: Input

    /// Takes a message of another process.
    func take(_ message: AttendanceMessage) {
        switch message.content {
        case .wanted: attendance.requestList()
        case .report(let report): book?.apply(report, of: message.process, now: wall)
        }
    }

    // MARK: Steps

    func step() {
        if leader.isWorking { lead() } else { endLeading() }
        report()
        commit()
    }

    private func lead() {
        if book == nil {
            // The last commit of a former term decides what the logs are.
            guard !isCommitting, store.isInTouch else { return }
            beginLeading()
        }
        guard now >= looksAt else { return }
        looksAt = now + Self.looksEvery
        follow(node.engine.livingProcesses)
    }

    private func beginLeading() {
        let engine = node.engine
        book = LifecycleBook(
            leaveAfter: AttendanceModel.leaveAfter,
            slack: Self.slack,
            present: engine.tables.logs.present,
            awaited: engine.livingProcesses.union([store.process]),
            now: wall
        )
        asked = []
        looks = 0
        attendance.requestList()
        engine.trace.count(.booksBegun)
        engine.trace.note("\(node.name) notes arrivals and departures in term \(store.term ?? 0)")
    }

    private func endLeading() {
        guard book != nil else { return }
        book = nil
        if !isCommitting { changes = [] }
        attendance.requestList()
    }

    private func follow(_ living: Set<String>) {
        guard store.isInTouch, let book else { return }
        for process in book.processes.union(book.awaited).subtracting(living)
        where process != store.process {
            node.engine.trace.count(.processesMissed)
            self.book?.end(process, now: wall)
        }
        let awaited = self.book?.awaited ?? []
        looks = awaited.isEmpty ? 0 : looks + 1
        if looks > Self.awaitsMax { self.book?.awaitNoLonger() }
        let isAgain = looks > 0 && looks.isMultiple(of: Self.asksAgainAfter)
        guard isAgain || !living.isSubset(of: asked) else { return asked = living }
        send(.wanted) { [self] isSent in if isSent { asked = living } }
    }

    private func report() {
        guard !isSending, let report = attendance.take() else { return }
        guard book == nil else {
            book?.apply(report, of: store.process, now: wall)
            return
        }
        isSending = true
        send(.report(report)) { [self] isSent in
            isSending = false
            if !isSent { attendance.putBack(report) }
        }
    }

    private func send(
        _ content: AttendanceMessage.Content,
        _ completion: @escaping (_ isSent: Bool) -> Void
    ) {
        var write = NodeStore.Write(events: [], awaitsOutcome: true) { result in
            if case .success = result { completion(true) } else { completion(false) }
        }
        write.messages = [AttendanceMessage(process: store.process, content: content)]
        store.submit(write)
    }

    // MARK: Commits

    private func commit() {
        guard !isCommitting, book != nil, let term = store.term else { return }
        if changes.isEmpty { takeChanges() }
        guard !changes.isEmpty else { return }
        let first = Array(changes.prefix(Self.changesMax))
        isCommitting = true
        for change in first {
            let verb = change.isThere ? "comes" : "goes"
            node.engine.trace.note("\(node.name) notes that \(change.subject.name.text) \(verb)")
        }
        var write = NodeStore.Write(events: [], term: term, awaitsOutcome: true) { [self] result in
            isCommitting = false
            switch result {
            case _ where book == nil: changes = []
            case .success: changes.removeFirst(first.count)
            case .failure(let error) where mayPass(error):
                node.engine.trace.count(.changesCommittedAgain)
            case .failure: changes = []
            }
        }
        write.changes = first
        store.submit(write)
    }

    /// In an order that does not depend on that of a dictionary.
    private func takeChanges() {
        let taken = book?.take(countMax: .max, now: wall) ?? []
        let ordered = taken.enumerated().sorted { one, other in
            order(one.element, one.offset) < order(other.element, other.offset)
        }
        changes = ordered.map(\.element)
    }

    private func order(_ change: LifecycleChange, _ index: Int) -> (String, UInt8, Int) {
        (change.subject.name.text, change.subject.kind.rawValue, index)
    }

    /// Otherwise another node leads, or this one ends.
    private func mayPass(_ error: StoreError) -> Bool {
        [.ioFailed, .cannotOpen, .queueFull].contains(error.code)
    }
}
