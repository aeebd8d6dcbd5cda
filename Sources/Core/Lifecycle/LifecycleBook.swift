import DequeModule
import HeapModule

/// The connections, users, topics and members on all nodes, and the changes that their logs lack.
///
/// **Function.** Each subject has a log of events, in which arrivals and departures alternate. The book
/// compares what the nodes report with the newest event of each log, and returns the changes to commit. An
/// absence is part of the log if it has lasted `leaveAfter`; it begins with the departure from the last
/// node.
///
/// **A start.** Everyone whose log ends with an arrival has left at the start, unless a node reports them
/// within `leaveAfter`. This is not decided before each node has reported (`awaited`).
///
/// **Commits.** `take` returns the next changes, and the book regards them as committed. The caller
/// commits them before it takes the next ones. When another node leads, or the process ends, the book is
/// dropped, and the next one begins with the logs in the store.
///
/// **Limits.** A subject has at most two changes that wait: those between its newest arrival and departure
/// are dropped. Subjects that came and went meanwhile are left out beyond `passingMax`, and counted.
package struct LifecycleBook: Sendable {
    private struct Entry: Sendable {
        /// The processes that have the subject, with its arrivals there.
        var processes: [String: Timestamp] = [:]
        /// The newest departure from one of several processes.
        var newestDeparture: Timestamp?
        /// The departure from the last one, while it may still be none.
        var absentSince: Timestamp?
        /// Whether the log ends with an arrival, with the changes that were taken.
        var isInLog = false
        /// Changes that wait to be taken; they alternate.
        var changes: [LifecycleChange] = []

        var isThere: Bool { changes.last?.isThere ?? isInLog }

        var isOver: Bool {
            processes.isEmpty && absentSince == nil && !isInLog && changes.isEmpty
        }
    }

    /// Ordered by the time.
    private struct Absence: Comparable, Sendable {
        let since: Timestamp
        let subject: LifecycleSubject

        static func < (one: Absence, other: Absence) -> Bool { one.since < other.since }
    }

    package static let passingMax = 1 << 16

    private let leaveAfter: Duration
    /// For reports that are on their way.
    private let slack: Duration
    private var entries: [LifecycleSubject: Entry] = [:]
    /// By process: the number of its subjects, at least 1.
    private var subjectCounts: [String: Int] = [:]
    /// One is over when its subject has come back.
    private var absences = Heap<Absence>()
    /// Those with changes, in the order of the first.
    private var ready: Deque<LifecycleSubject> = []
    /// Those in `ready` that have no changes any more.
    private var staleCount = 0
    /// Those that wait with an arrival and a departure, and without an arrival in the log.
    private var passingCount = 0
    /// The processes that have to report everyone before anyone is missed.
    package private(set) var awaited: Set<String>
    /// Visits that are in no event: see Limits.
    private var leftOutCount = 0

    /// - Parameters:
    ///   - present: those whose log ends with an arrival.
    ///   - awaited: the processes that have to report everyone.
    ///   - slack: the time that a report may take.
    package init(
        leaveAfter: Duration,
        slack: Duration = .zero,
        present: [LifecycleSubject],
        awaited: Set<String>,
        now: Timestamp
    ) {
        self.leaveAfter = leaveAfter
        self.slack = slack
        self.awaited = awaited
        entries.reserveCapacity(present.count)
        for subject in present {
            var entry = Entry()
            entry.isInLog = true
            entry.absentSince = now
            entries[subject] = entry
            absences.insert(Absence(since: now, subject: subject))
        }
    }

    /// Whether there is no work before another report.
    package var isIdle: Bool { ready.isEmpty && absences.isEmpty }

    /// The number of subjects that the book has.
    package var count: Int { entries.count }

    /// The processes that have subjects.
    package var processes: Set<String> { Set(subjectCounts.keys) }

    // MARK: Reports

    package mutating func apply(
        _ report: NodeAttendance.Report,
        of process: String,
        now: Timestamp
    ) {
        switch report {
        case .changes(let changes):
            for change in changes {
                if change.isThere {
                    arrive(change.subject, process, at: change.time)
                } else {
                    depart(change.subject, process, at: change.time, change.reason)
                }
            }
        case .everyone(let changes):
            let present = Set(changes.map(\.subject))
            remove(process, at: now) { !present.contains($0) }
            for change in changes { arrive(change.subject, process, at: change.time) }
            awaited.remove(process)
        }
    }

    /// Gives up on the processes that have not reported.
    package mutating func awaitNoLonger() { awaited = [] }

    /// Removes a process that has ended, or that is cut off.
    package mutating func end(_ process: String, now: Timestamp) {
        remove(process, at: now) { _ in true }
        awaited.remove(process)
    }

    private mutating func remove(
        _ process: String,
        at time: Timestamp,
        where isGone: (LifecycleSubject) -> Bool
    ) {
        let gone = entries.compactMap { subject, entry in
            entry.processes[process] != nil && isGone(subject) ? subject : nil
        }
        for subject in gone { depart(subject, process, at: time, .lost) }
    }

    private mutating func arrive(
        _ subject: LifecycleSubject,
        _ process: String,
        at time: Timestamp
    ) {
        var entry = entries[subject] ?? Entry()
        let isFirst = entry.processes.isEmpty
        if entry.processes[process] == nil {
            entry.processes[process] = time
            subjectCounts[process, default: 0] += 1
        }
        if let start = entry.absentSince {
            entry.absentSince = nil
            // Another node may have the subject as long as it has not reported.
            if awaited.isEmpty, time - start >= leaveAfter {
                add(LifecycleChange(subject, isThere: false, at: start), to: &entry)
            }
        }
        if isFirst {
            add(LifecycleChange(subject, isThere: true, at: time), to: &entry)
            entry.newestDeparture = nil
        }
        entries[subject] = entry
    }

    private mutating func depart(
        _ subject: LifecycleSubject,
        _ process: String,
        at time: Timestamp,
        _ reason: DepartureReason?
    ) {
        guard var entry = entries[subject], entry.processes.removeValue(forKey: process) != nil
        else { return }
        countOff(process)
        let start = max(time, entry.newestDeparture ?? time)
        if let first = entry.processes.values.min() {
            entry.newestDeparture = start
            // The arrival on another node was reported before this departure.
            if awaited.isEmpty, first - start >= leaveAfter {
                add(LifecycleChange(subject, isThere: false, at: start), to: &entry)
                add(LifecycleChange(subject, isThere: true, at: first), to: &entry)
            }
        } else if subject.kind == .client {
            add(LifecycleChange(subject, isThere: false, at: start, reason: reason), to: &entry)
        } else {
            entry.absentSince = start
            absences.insert(Absence(since: start, subject: subject))
        }
        entries[subject] = entry.isOver ? nil : entry
    }

    private mutating func countOff(_ process: String) {
        let count = subjectCounts[process]!
        subjectCounts[process] = count > 1 ? count - 1 : nil
    }

    private mutating func add(_ change: LifecycleChange, to entry: inout Entry) {
        guard change.isThere != entry.isThere else { return }
        if !change.isThere, !entry.isInLog {
            // The log does not have the arrival either: a visit.
            guard passingCount < Self.passingMax else {
                entry.changes = []
                leftOutCount += 1
                return tidyReady()
            }
            passingCount += 1
        } else if change.isThere, !entry.isInLog, !entry.changes.isEmpty {
            passingCount -= 1
        }
        if entry.changes.isEmpty { ready.append(change.subject) }
        entry.changes.append(change)
        // The two before cancel each other.
        if entry.changes.count > 2 { entry.changes.removeFirst(2) }
    }

    /// Notes that a subject in `ready` has no changes any more.
    private mutating func tidyReady() {
        staleCount += 1
        guard staleCount > Self.passingMax else { return }
        ready.removeAll { entries[$0]?.changes.isEmpty ?? true }
        staleCount = 0
    }

    // MARK: Changes

    /// Returns the next changes to commit, in order; none if there are none yet.
    ///
    /// - Parameter countMax: the number of subjects.
    package mutating func take(countMax: Int, now: Timestamp) -> [LifecycleChange] {
        endAbsences(now: now)
        var changes: [LifecycleChange] = []
        var count = 0
        while count < countMax, let subject = ready.popFirst() {
            guard var entry = entries[subject], !entry.changes.isEmpty else {
                staleCount = max(0, staleCount - 1)
                continue
            }
            count += 1
            if !entry.isInLog, entry.changes.count == 2 { passingCount -= 1 }
            changes += entry.changes
            entry.isInLog = entry.isThere
            entry.changes = []
            entries[subject] = entry.isOver ? nil : entry
        }
        return changes
    }

    /// Returns the number of visits that were left out since the last call.
    package mutating func takeLeftOutCount() -> Int {
        defer { leftOutCount = 0 }
        return leftOutCount
    }

    private mutating func endAbsences(now: Timestamp) {
        guard awaited.isEmpty else { return }
        while let first = absences.min,
            LifecycleTime.isOver(leaveAfter + slack, since: first.since, now: now)
        {
            absences.removeMin()
            let subject = first.subject
            guard var entry = entries[subject], entry.absentSince == first.since else { continue }
            entry.absentSince = nil
            let reason: DepartureReason? = subject.kind == .client ? .lost : nil
            let change = LifecycleChange(subject, isThere: false, at: first.since, reason: reason)
            add(change, to: &entry)
            entries[subject] = entry.isOver ? nil : entry
        }
    }

    /// Forgets a user whose account was deleted: no event names them any more.
    package mutating func forget(_ user: String) {
        let user = ExactText(user)
        for (subject, entry) in entries where subject.user == user {
            for process in entry.processes.keys { countOff(process) }
            entries[subject] = nil
        }
        ready.removeAll { entries[$0]?.changes.isEmpty ?? true }
        staleCount = 0
        passingCount = entries.values.count { !$0.isInLog && $0.changes.count == 2 }
    }
}
