import Core
import Hub
import Loops

/// Who is on one node, as the door Lifecycle has it.
///
/// `@unchecked Sendable`: the hub's closures demand it; a world lives on one thread.
final class AttendanceModel: AttendanceObserver, @unchecked Sendable {
    static let leaveAfter = Duration.seconds(5)

    let kinds: Set<LifecycleKind> = [.client, .user]
    private var attendance = NodeAttendance(leaveAfter: leaveAfter)
    private let time: SimulatedTime
    private let trace: Trace

    init(time: SimulatedTime, trace: Trace) {
        self.time = time
        self.trace = trace
    }

    func start() {
        attendance = NodeAttendance(leaveAfter: Self.leaveAfter)
        attendance.requestList()
    }

    func note(_ changes: [LifecycleChange]) {
        for change in changes {
            if change.isThere {
                attendance.arrive(change.subject, at: time.wall)
            } else {
                attendance.depart(change.subject, at: time.wall, reason: change.reason)
            }
        }
    }

    // MARK: Reports

    func take() -> NodeAttendance.Report? { attendance.take(now: time.wall) }

    func putBack(_ report: NodeAttendance.Report) { attendance.putBack(report) }

    func requestList() { attendance.requestList() }

    // MARK: Invariants

    /// Every subscription is counted.
    func check(_ topic: Topic, subscribers: Int) {
        let counted = attendance.count(of: .topic(topic.name))
        trace.expect(
            counted == subscribers,
            "\(topic): \(counted) subscribers are counted, and \(subscribers) are there"
        )
    }
}
