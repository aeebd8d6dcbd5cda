import HeapModule

/// The subjects on one node, how many times each is there, and the changes that the leader has to learn.
///
/// **Function.** The first arrival of a subject is reported at once. Its last departure is reported when
/// it has lasted `leaveAfter`: a subject that is back before has not left, wherever else it is. The
/// end of a connection is reported at once, because no connection comes back.
///
/// **Inputs:** `arrive` and `depart` for each connection and subscription, and the time.
///
/// **Limits.** Reports that are not taken are dropped beyond `reportsMax`. The next report is then the list
/// of all subjects on the node, which the leader compares with its own. Departures are held up to `heldMax`;
/// beyond it the oldest is reported at once.
package struct NodeAttendance: Sendable {
    /// News for the leader.
    package enum Report: Sendable, Equatable {
        /// In order.
        case changes([LifecycleChange])
        /// All that are there, since when, in no order.
        case everyone([LifecycleChange])
    }

    private struct Stay: Sendable {
        /// 0 while the departure is held.
        var count = 1
        var since: Timestamp
        /// The newest departure that is held, or was.
        var left: Timestamp?
        /// Whether the subject is in `held`.
        var isHeld = false
    }

    /// Ordered by the time.
    private struct Held: Comparable, Sendable {
        let time: Timestamp
        let subject: LifecycleSubject

        static func < (one: Held, other: Held) -> Bool { one.time < other.time }
    }

    package static let reportsMax = 1 << 16
    /// A client can subscribe to one topic after another.
    package static let heldMax = 1 << 16

    private let leaveAfter: Duration
    private var stays: [LifecycleSubject: Stay] = [:]
    /// Departures, each subject at most once, perhaps with an earlier departure than its newest.
    private var held = Heap<Held>()
    /// Changes before the list, if there is one.
    private var earlier: [LifecycleChange] = []
    /// All that were there when the list was requested; nil if it was taken.
    private var list: [LifecycleChange]?
    /// Changes after the list.
    private var changes: [LifecycleChange] = []

    package init(leaveAfter: Duration) {
        self.leaveAfter = leaveAfter
    }

    /// The number of subjects that are there, or whose departure is held.
    package var count: Int { stays.count }

    /// Whether time can bring a report.
    package var isHolding: Bool { !held.isEmpty }

    /// The times that a subject is there.
    package func count(of subject: LifecycleSubject) -> Int { stays[subject]?.count ?? 0 }

    /// All that are there, with the times that each is.
    package var present: [(subject: LifecycleSubject, count: Int, since: Timestamp)] {
        stays.lazy.filter { $0.value.count > 0 }.map { ($0.key, $0.value.count, $0.value.since) }
    }

    package mutating func arrive(_ subject: LifecycleSubject, at time: Timestamp) {
        guard var stay = stays[subject] else {
            stays[subject] = Stay(since: time)
            return report(LifecycleChange(subject, isThere: true, at: time))
        }
        if stay.count == 0, let left = stay.left, time - left >= leaveAfter {
            report(LifecycleChange(subject, isThere: false, at: left))
            report(LifecycleChange(subject, isThere: true, at: time))
            stay.since = time
        }
        stay.count += 1
        stays[subject] = stay
    }

    /// - Parameter reason: of a connection.
    package mutating func depart(
        _ subject: LifecycleSubject,
        at time: Timestamp,
        reason: DepartureReason? = nil
    ) {
        guard var stay = stays[subject], stay.count > 0 else { return }
        stay.count -= 1
        guard stay.count == 0 else { return stays[subject] = stay }
        if subject.kind == .client {
            stays[subject] = nil
            return report(LifecycleChange(subject, isThere: false, at: time, reason: reason))
        }
        stay.left = time
        if !stay.isHeld { held.insert(Held(time: time, subject: subject)) }
        stay.isHeld = true
        stays[subject] = stay
        if held.count > Self.heldMax { endHeld(now: time) }
    }

    /// Reports everyone who is there now, after the changes so far.
    package mutating func requestList() {
        list = stays.map { LifecycleChange($0.key, isThere: true, at: $0.value.since) }
        earlier += changes
        changes = []
        if earlier.count > Self.reportsMax { earlier = [] }
    }

    /// Takes back a report that was not delivered, and reports everyone as well.
    package mutating func putBack(_ report: Report) {
        if case .changes(let changes) = report { earlier = changes + earlier }
        requestList()
    }

    /// Returns the next report; nil if there is nothing more to report.
    package mutating func take(now: Timestamp) -> Report? {
        endHeld(now: now)
        if !earlier.isEmpty {
            defer { earlier = [] }
            return .changes(earlier)
        }
        if let everyone = list {
            list = nil
            return .everyone(everyone)
        }
        guard !changes.isEmpty else { return nil }
        defer { changes = [] }
        return .changes(changes)
    }

    private mutating func endHeld(now: Timestamp) {
        while let first = held.min,
            held.count > Self.heldMax
                || LifecycleTime.isOver(leaveAfter, since: first.time, now: now)
        {
            held.removeMin()
            let subject = first.subject
            guard var stay = stays[subject] else { continue }
            if stay.count > 0 {
                stay.isHeld = false
                stays[subject] = stay
            } else if let left = stay.left, left != first.time {
                held.insert(Held(time: left, subject: subject))
            } else {
                stays[subject] = nil
                report(LifecycleChange(subject, isThere: false, at: first.time))
            }
        }
    }

    private mutating func report(_ change: LifecycleChange) {
        changes.append(change)
        if changes.count > Self.reportsMax { requestList() }
    }
}

/// Absences and the wall clock, which can be set.
enum LifecycleTime {
    /// A time that is further ahead was taken before the clock was set back.
    private static let aheadMax = Duration.seconds(10)

    static func isOver(_ length: Duration, since start: Timestamp, now: Timestamp) -> Bool {
        now - start >= length || start - now > aheadMax
    }
}
