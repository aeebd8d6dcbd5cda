import Core
import Hub
import Loops

/// The logs of clients and topics of a world, on the node and in the store, as the door Lifecycle has them.
///
/// `@unchecked Sendable`: the hub's closures demand it; a world lives on one thread.
final class AttendanceModel: AttendanceObserver, @unchecked Sendable {
    private struct Log {
        var count = 0
        var isThere = false
    }

    private static let leaveAfter = Duration.seconds(5)
    private static let process = "hub"

    let kinds: Set<LifecycleKind> = [.client, .user]
    private var attendance = NodeAttendance(leaveAfter: leaveAfter)
    private var book: LifecycleBook?
    /// Survives the process.
    private var logs: [LifecycleSubject: Log] = [:]
    private let time: SimulatedTime
    private let trace: Trace

    init(time: SimulatedTime, trace: Trace) {
        self.time = time
        self.trace = trace
    }

    // MARK: The process

    func start() {
        attendance = NodeAttendance(leaveAfter: Self.leaveAfter)
        book = LifecycleBook(
            leaveAfter: Self.leaveAfter,
            present: logs.filter(\.value.isThere).map(\.key),
            awaited: [Self.process],
            now: time.wall
        )
        attendance.requestList()
    }

    /// `kill -9`: what is not committed is gone.
    func kill() { book = nil }

    func note(_ changes: [LifecycleChange]) {
        for change in changes {
            if change.isThere {
                attendance.arrive(change.subject, at: time.wall)
            } else {
                attendance.depart(change.subject, at: time.wall, reason: change.reason)
            }
        }
    }

    // MARK: Steps

    /// - Parameter commits: whether the store takes anything.
    func step(commits: Bool) {
        guard book != nil else { return }
        while let report = attendance.take(now: time.wall) {
            book?.apply(report, of: Self.process, now: time.wall)
        }
        guard commits, let changes = book?.take(countMax: 3, now: time.wall) else { return }
        for change in changes { commit(change) }
    }

    private func commit(_ change: LifecycleChange) {
        var log = logs[change.subject] ?? Log()
        trace.expect(
            log.isThere != change.isThere,
            "\(change.subject.name.text): \(change.isThere ? "came" : "went") twice"
        )
        log.count += 1
        log.isThere = change.isThere
        logs[change.subject] = log
        trace.count(change.isThere ? .arrivals : .departures)
    }

    // MARK: Invariants

    /// Every subscription is counted.
    func check(_ topic: Topic, subscribers: Int) {
        let counted = attendance.count(of: .topic(topic.name))
        trace.expect(
            counted == subscribers,
            "\(topic): \(counted) subscribers are counted, and \(subscribers) are there"
        )
    }

    /// The difference between the logs and who is there; nil if they agree.
    func missing(clients: Set<String>, others: Int) -> String? {
        let present = Set(logs.filter(\.value.isThere).map(\.key))
        let known = Set(present.filter { $0.kind == .client }.map(\.name.text))
        if !clients.isSubset(of: known) { return "clients are in no log" }
        if known.count > clients.count + others { return "clients are there that have gone" }
        let topics = Set(present.filter { $0.kind == .topic }.map(\.name.text))
        return topics == Set(Topics.all.map(\.name)) ? nil : "topics are in no log"
    }
}
