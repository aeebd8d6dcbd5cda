import ClientWire
import Core
import Expectations
import Reactor
import Service

@testable import Loops
@testable import Topics

@Suite("Loop: arrivals and departures", .timeLimit(.minutes(10)))
struct LoopAttendanceTests {
    private final class Recorder: AttendanceObserver {
        let kinds: Set<LifecycleKind>
        let noted = Locked<[[LifecycleChange]]>([])

        init(_ kinds: Set<LifecycleKind>) { self.kinds = kinds }

        func note(_ changes: [LifecycleChange]) { noted.withLock { $0.append(changes) } }
    }

    private static let time = Timestamp(milliseconds: 1_800_000_000_000)
    private static let chat = Topic(trusted: "chat:1")

    private func subscription(
        _ place: Int32,
        _ isSubscribed: Bool,
        _ attendance: TopicAttendance = [.topics, .members]
    ) -> SubscriberChange {
        SubscriberChange(
            subscriber: place,
            topic: Self.chat,
            isSubscribed: isSubscribed,
            attendance: attendance
        )
    }

    private func came(_ subject: LifecycleSubject) -> LifecycleChange {
        LifecycleChange(subject, isThere: true, at: Self.time)
    }

    private func went(
        _ subject: LifecycleSubject,
        _ reason: DepartureReason? = nil
    ) -> LifecycleChange {
        LifecycleChange(subject, isThere: false, at: Self.time, reason: reason)
    }

    @Test func aTurnIsReportedAtOnce() {
        let recorder = Recorder([.client, .user])
        var attendance = LoopAttendance(recorder)
        attendance.arrive("c1", user: "anna", at: 3)
        attendance.take([subscription(3, true)])
        attendance.report(at: Self.time)
        attendance.report(at: Self.time)
        attendance.take([subscription(3, false)])
        attendance.depart(from: 3, .left)
        attendance.report(at: Self.time)
        let client = LifecycleSubject.client("c1", user: "anna")
        let (topic, member) = (
            LifecycleSubject.topic("chat:1"), LifecycleSubject.member("anna", of: "chat:1")
        )
        expectEqual(
            recorder.noted.withLock { $0 },
            [
                [came(client), came(.user("anna")), came(topic), came(member)],
                [went(topic), went(member), went(.user("anna")), went(client, .left)],
            ]
        )
    }

    /// A place that another connection takes in the same turn.
    @Test func theUserOfASubscriptionIsThatOfItsTime() {
        let recorder = Recorder([])
        var attendance = LoopAttendance(recorder)
        attendance.arrive("c1", user: "anna", at: 3)
        attendance.take([subscription(3, true, .members)])
        attendance.take([subscription(3, false, .members)])
        attendance.depart(from: 3, .lost)
        attendance.arrive("c2", user: "bo", at: 3)
        attendance.take([subscription(3, true, .members)])
        attendance.report(at: Self.time)
        expectEqual(
            recorder.noted.withLock { $0.flatMap(\.self) },
            [
                came(.member("anna", of: "chat:1")), went(.member("anna", of: "chat:1")),
                came(.member("bo", of: "chat:1")),
            ]
        )
    }

    @Test func whoHasNoUserIsAClientAndASubscriber() {
        let recorder = Recorder([.client, .user])
        var attendance = LoopAttendance(recorder)
        attendance.arrive("c1", user: "", at: 0)
        attendance.take([subscription(0, true)])
        // A stream with an API key has not arrived.
        attendance.take([subscription(1, true)])
        attendance.depart(from: 1, .left)
        attendance.report(at: Self.time)
        expectEqual(
            recorder.noted.withLock { $0.flatMap(\.self) },
            [came(.client("c1", user: "")), came(.topic("chat:1")), came(.topic("chat:1"))]
        )
    }

    @Test func whatIsNotReportedIsNotNoted() {
        let recorder = Recorder([])
        var attendance = LoopAttendance(recorder)
        attendance.arrive("c1", user: "anna", at: 0)
        attendance.depart(from: 0, .left)
        attendance.report(at: Self.time)
        expect(recorder.noted.withLock { $0.isEmpty })
        var unobserved = LoopAttendance(nil)
        unobserved.arrive("c1", user: "anna", at: 0)
        unobserved.report(at: Self.time)
        expect(!unobserved.isObserved)
    }

    @Test(arguments: [
        (DisconnectCode?.none, ConnectionEnd.closed, DepartureReason.left),
        (nil, .broken(code: 32), .lost), (nil, .queueOverflow, .closed), (nil, .stalled, .closed),
        (.noPong, .closed, .timeout), (.shutdown, .closed, .drain), (.expired, .closed, .refused),
        (.invalidToken, .broken(code: 32), .refused), (.permissionDenied, .closed, .refused),
        (.forceNoReconnect, .closed, .closed), (.slow, .queueOverflow, .closed),
        (.badRequest, .closed, .closed),
        (DisconnectCode(ofApplication: 4403, "banned"), .closed, .refused),
    ])
    func theReasonIsThatOfTheHubOrOfTheConnection(
        _ code: DisconnectCode?,
        _ end: ConnectionEnd,
        _ reason: DepartureReason
    ) {
        expectEqual(DepartureReason(code, end), reason)
    }
}
