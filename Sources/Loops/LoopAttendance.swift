import ClientWire
import Core
import Reactor

/// Learns who comes and goes on the loops of a hub.
package protocol AttendanceObserver: Sendable {
    /// The kinds that are reported for all topics: `client`, `user`.
    var kinds: Set<LifecycleKind> { get }

    /// Called by a loop at the end of a turn, with the changes in their order. It must be quick.
    func note(_ changes: [LifecycleChange])
}

/// The connections and subscriptions of one loop that began or ended in this turn, for the
/// `AttendanceObserver`. Without an observer it does nothing.
///
/// **Function.** The user of a subscription is that of the connection at its place. So the
/// subscriptions that ended have to come (`take`) before the connection departs, and those that
/// began after it has arrived.
struct LoopAttendance {
    private struct Visitor {
        let id: String
        let user: String
    }

    private let observer: (any AttendanceObserver)?
    private let kinds: Set<LifecycleKind>
    /// Connections that receive publications, by their place; none that have an API key.
    private var visitors: [UInt32: Visitor] = [:]
    /// Without their time.
    private var changes: [LifecycleChange] = []

    init(_ observer: (any AttendanceObserver)?) {
        self.observer = observer
        kinds = observer?.kinds ?? []
    }

    var isObserved: Bool { observer != nil }

    mutating func arrive(_ id: String, user: String, at place: UInt32) {
        guard isObserved else { return }
        visitors[place] = Visitor(id: id, user: user)
        if kinds.contains(.client) { add(.client(id, user: user), isThere: true) }
        if kinds.contains(.user), !user.isEmpty { add(.user(user), isThere: true) }
    }

    mutating func take(_ subscriptions: [SubscriberChange]) {
        guard isObserved else { return }
        for change in subscriptions {
            let topic = change.topic.name
            if change.attendance.contains(.topics) {
                add(.topic(topic), isThere: change.isSubscribed)
            }
            guard change.attendance.contains(.members),
                let user = visitors[UInt32(change.subscriber)]?.user, !user.isEmpty
            else { continue }
            add(.member(user, of: topic), isThere: change.isSubscribed)
        }
    }

    mutating func depart(from place: UInt32, _ reason: DepartureReason) {
        guard let visitor = visitors.removeValue(forKey: place) else { return }
        if kinds.contains(.user), !visitor.user.isEmpty {
            add(.user(visitor.user), isThere: false)
        }
        if kinds.contains(.client) {
            add(.client(visitor.id, user: visitor.user), isThere: false, reason)
        }
    }

    private mutating func add(
        _ subject: LifecycleSubject,
        isThere: Bool,
        _ reason: DepartureReason? = nil
    ) {
        changes.append(
            LifecycleChange(
                subject,
                isThere: isThere,
                at: Timestamp(milliseconds: 0),
                reason: reason
            )
        )
    }

    /// Reports the changes of this turn.
    mutating func report(at time: @autoclosure () -> Timestamp) {
        guard !changes.isEmpty else { return }
        let now = time()
        for index in changes.indices { changes[index].time = now }
        observer?.note(changes)
        changes.removeAll(keepingCapacity: changes.capacity <= 1024)
    }
}

extension Session {
    /// Whether the connection was opened with an API key: its reader is the application.
    var hasKey: Bool {
        switch self {
        case .none, .http, .client, .echo: false
        case .eventStream(let session): session.reader.key != nil
        case .socketReader(let session): session.reader.key != nil
        }
    }
}

extension DepartureReason {
    init(_ code: DisconnectCode?, _ end: ConnectionEnd) {
        guard let code else {
            switch end {
            case .closed: self = .left
            case .broken, .tlsFailed, .proxyHeaderRefused: self = .lost
            case .queueOverflow, .stalled: self = .closed
            }
            return
        }
        switch code.code {
        case DisconnectCode.noPong.code: self = .timeout
        case DisconnectCode.shutdown.code: self = .drain
        case DisconnectCode.expired.code, DisconnectCode.subscriptionExpired.code,
            DisconnectCode.invalidToken.code, DisconnectCode.permissionDenied.code:
            self = .refused
        // Codes of the application: RFC 6455 §7.4.2.
        case 4000...: self = .refused
        default: self = .closed
        }
    }
}
