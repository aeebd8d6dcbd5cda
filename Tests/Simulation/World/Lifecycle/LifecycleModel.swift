import Core

/// The logs of a hub by itself: its attendance, its book and the rows.
final class LifecycleModel {
    private static let process = "hub"

    let attendance: AttendanceModel
    private var book: LifecycleBook?
    /// Survives the process.
    private(set) var logs = LifecycleLogs()
    private let time: SimulatedTime
    private let trace: Trace

    init(time: SimulatedTime, trace: Trace) {
        self.time = time
        self.trace = trace
        attendance = AttendanceModel(time: time, trace: trace)
    }

    func start() {
        attendance.start()
        book = LifecycleBook(
            leaveAfter: AttendanceModel.leaveAfter,
            present: logs.present,
            awaited: [Self.process],
            now: time.wall
        )
    }

    /// `kill -9`: what is not committed is gone.
    func kill() { book = nil }

    /// - Parameter commits: whether the store takes anything.
    func step(commits: Bool) {
        guard book != nil else { return }
        while let report = attendance.take() {
            book?.apply(report, of: Self.process, now: time.wall)
        }
        guard commits, let changes = book?.take(countMax: 3, now: time.wall) else { return }
        for change in changes { logs.add(change, trace) }
    }
}
