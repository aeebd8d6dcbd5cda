import Foundation

/// The attendance of this node. Its changes go to the book of this node if it leads, and otherwise to the
/// other nodes.
final class LifecycleNode: AttendanceObserver {
    private struct State {
        var attendance: NodeAttendance
        /// Nil while this node does not lead.
        var leader: LifecycleLeader?
    }

    /// Collects changes that come together.
    static let collecting = Duration.milliseconds(50)
    /// The interval at which held departures are looked at.
    static let checking = Duration.milliseconds(250)

    let kinds: Set<LifecycleKind>
    let leaveAfter: Duration
    let store: HubStore
    /// The name of this process among those of a cluster.
    let process: String
    let logger: Logger
    let counts = Locked(LifecycleCounts())
    private let alarm = Alarm()
    private let state: Locked<State>

    init(_ node: NodeContext) {
        kinds = Set(
            node.configuration.clients.lifecycle.map {
                switch $0 {
                case .clients: .client
                case .users: .user
                }
            }
        )
        leaveAfter = node.configuration.clients.leaveAfter
        store = node.store
        process = node.store.process ?? node.node
        logger = node.logger
        state = Locked(State(attendance: NodeAttendance(leaveAfter: leaveAfter)))
    }

    // MARK: Input

    func note(_ changes: [LifecycleChange]) {
        state.withLock { state in
            for change in changes {
                if change.isThere {
                    state.attendance.arrive(change.subject, at: change.time)
                } else {
                    state.attendance.depart(
                        change.subject,
                        at: change.time,
                        reason: change.reason
                    )
                }
            }
        }
        alarm.ring()
    }

    /// Takes a note of the log. Returns false for one about something else.
    ///
    /// - Throws: `DecodingError` for a message that this version cannot read.
    func take(_ note: ClusterNote) throws -> Bool {
        let leader = state.withLock { $0.leader }
        // Only the leader reads reports.
        if note.kind == LifecycleMessage.reportKind, leader == nil { return true }
        guard let message = try LifecycleMessage.message(note) else { return false }
        guard message.process != process else { return true }
        if message.content == .wanted {
            state.withLock { $0.attendance.requestList() }
            alarm.ring()
        } else {
            leader?.take(message)
        }
        return true
    }

    /// Reports everyone to the leader of this node from now on; nil when it ends.
    func connect(_ leader: LifecycleLeader?) {
        state.withLock { state in
            state.leader = leader
            // The next leader needs it as well.
            state.attendance.requestList()
        }
        alarm.ring()
    }

    // MARK: Reports

    /// Reports changes, until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            let isHolding = state.withLock { $0.attendance.isHolding }
            if isHolding {
                await alarm.wait { try await Task.sleep(for: Self.checking) }
            } else {
                await alarm.wait()
            }
            guard (try? await Task.sleep(for: Self.collecting)) != nil else { return }
            while await report() {}
        }
    }

    /// Passes on the next report. Returns false if there is none, or if it could not be sent.
    func report() async -> Bool {
        let isShared = store.isShared
        let (report, leader) = state.withLock { state in
            // A hub by itself keeps its changes until it has read the logs.
            let isWanted = isShared || state.leader != nil
            return (isWanted ? state.attendance.take(now: HubClock.wall) : nil, state.leader)
        }
        guard let report else { return false }
        if let leader {
            leader.take(report, of: process)
            return true
        }
        let messages = LifecycleMessage.messages(report, of: process)
        for (index, message) in messages.enumerated() {
            do {
                // One that was committed is not sent again: a connection comes and goes once.
                try await store.tell(try message.note(), awaitsOutcome: true)
            } catch {
                let left = messages[index...].flatMap(\.changes)
                state.withLock { $0.attendance.putBack(.changes(left)) }
                logger.debug("attendance not sent", metadata: ["err": "\(error)"])
                try? await Task.sleep(for: .seconds(1))
                alarm.ring()
                return false
            }
        }
        return true
    }

    // MARK: The console

    /// Those on this node that are there most often, of one kind.
    func present(
        _ kind: LifecycleKind,
        countMax: Int
    ) -> (total: Int, first: [(subject: LifecycleSubject, count: Int, since: Timestamp)]) {
        let all = state.withLock { $0.attendance.present }.filter { $0.subject.kind == kind }
        let sorted = all.sorted { ($1.count, $0.since) < ($0.count, $1.since) }
        return (all.count, Array(sorted.prefix(countMax)))
    }
}
