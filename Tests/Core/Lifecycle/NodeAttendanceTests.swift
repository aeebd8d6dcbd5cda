import Expectations

@testable import Core

@Suite("Lifecycle: the attendance of a node", .timeLimit(.minutes(10)))
struct NodeAttendanceTests {
    private static func at(_ seconds: Double) -> Timestamp {
        Timestamp(seconds: 1_800_000_000 + seconds)
    }

    private static func come(
        _ subject: LifecycleSubject,
        _ seconds: Double
    ) -> LifecycleChange {
        LifecycleChange(subject, isThere: true, at: at(seconds))
    }

    private static func go(
        _ subject: LifecycleSubject,
        _ seconds: Double,
        _ reason: DepartureReason? = nil
    ) -> LifecycleChange {
        LifecycleChange(subject, isThere: false, at: at(seconds), reason: reason)
    }

    private let anna = LifecycleSubject.user("anna")
    private var node = NodeAttendance(leaveAfter: .seconds(5))

    private mutating func reported(_ seconds: Double) -> [LifecycleChange] {
        guard case .changes(let changes) = node.take(now: Self.at(seconds)) else { return [] }
        return changes
    }

    @Test mutating func theFirstArrivalIsReportedAtOnce() {
        node.arrive(anna, at: Self.at(0))
        node.arrive(anna, at: Self.at(1))
        expectEqual(reported(1), [Self.come(anna, 0)])
        expectEqual(node.count(of: anna), 2)
        expectNil(node.take(now: Self.at(100)))
    }

    @Test mutating func theLastDepartureIsReportedWhenItHasLasted() {
        node.arrive(anna, at: Self.at(0))
        node.arrive(anna, at: Self.at(0))
        node.depart(anna, at: Self.at(1))
        expectEqual(reported(1), [Self.come(anna, 0)])
        expectEqual(node.isHolding, false)
        node.depart(anna, at: Self.at(2))
        expectEqual(node.isHolding, true)
        expectEqual(reported(6.999), [])
        expectEqual(reported(7), [Self.go(anna, 2)])
        expectEqual(node.count, 0)
        expectEqual(node.isHolding, false)
    }

    @Test mutating func whoIsBackInTimeHasNotLeft() {
        node.arrive(anna, at: Self.at(0))
        node.depart(anna, at: Self.at(1))
        node.arrive(anna, at: Self.at(5.999))
        expectEqual(reported(100), [Self.come(anna, 0)])
        node.depart(anna, at: Self.at(101))
        expectEqual(reported(105.999), [])
        expectEqual(reported(106), [Self.go(anna, 101)])
    }

    /// The time of the arrival decides, not that of the look.
    @Test mutating func aLongerAbsenceIsReportedAlsoWhenNobodyHasLooked() {
        node.arrive(anna, at: Self.at(0))
        node.depart(anna, at: Self.at(1))
        node.arrive(anna, at: Self.at(6))
        expectEqual(
            reported(6),
            [Self.come(anna, 0), Self.go(anna, 1), Self.come(anna, 6)]
        )
        expectEqual(reported(100), [])
    }

    @Test mutating func anEndedConnectionIsReportedAtOnce() {
        let client = LifecycleSubject.client("c1", user: "anna")
        node.arrive(client, at: Self.at(0))
        node.depart(client, at: Self.at(0), reason: .left)
        expectEqual(reported(0), [Self.come(client, 0), Self.go(client, 0, .left)])
        expectEqual(node.count, 0)
    }

    @Test mutating func withoutADelayEachAbsenceIsReported() {
        node = NodeAttendance(leaveAfter: .zero)
        node.arrive(anna, at: Self.at(0))
        node.depart(anna, at: Self.at(1))
        node.arrive(anna, at: Self.at(1))
        expectEqual(
            reported(1),
            [Self.come(anna, 0), Self.go(anna, 1), Self.come(anna, 1)]
        )
    }

    @Test mutating func aDepartureWithoutAnArrivalIsNone() {
        node.depart(anna, at: Self.at(0))
        node.arrive(anna, at: Self.at(1))
        node.depart(anna, at: Self.at(2))
        node.depart(anna, at: Self.at(3))
        expectEqual(reported(7), [Self.come(anna, 1), Self.go(anna, 2)])
    }

    @Test mutating func subjectsOfOneNameAreDifferent() {
        let topic = LifecycleSubject.topic("anna")
        let member = LifecycleSubject.member("anna", of: "anna")
        let client = LifecycleSubject.client("anna", user: "anna")
        for subject in [anna, topic, member, client] { node.arrive(subject, at: Self.at(0)) }
        // Two spellings of one letter are two users.
        node.arrive(.user("\u{e9}"), at: Self.at(0))
        node.arrive(.user("e\u{301}"), at: Self.at(0))
        expectEqual(reported(0).count, 6)
    }

    /// The subject waits at the time of its first departure, and then at that of its newest.
    @Test mutating func afterManyShortAbsencesTheNewestCounts() {
        node.arrive(anna, at: Self.at(0))
        for second in 1...100 {
            node.depart(anna, at: Self.at(Double(second)))
            node.arrive(anna, at: Self.at(Double(second) + 0.5))
        }
        expectEqual(reported(3), [Self.come(anna, 0)])
        node.depart(anna, at: Self.at(101))
        node.depart(.user("bo"), at: Self.at(102))
        expectEqual(reported(105.999), [])
        expectEqual(reported(106), [Self.go(anna, 101)])
        expectEqual(node.isHolding, false)
    }

    @Test mutating func departuresThatAreHeldAreBounded() {
        let heldMax = NodeAttendance.heldMax
        for number in 0..<heldMax {
            let topic = LifecycleSubject.topic("chat:\(number)")
            node.arrive(topic, at: Self.at(0))
            node.depart(topic, at: Self.at(number == 0 ? 0 : 0.5))
        }
        expect(reported(1).allSatisfy(\.isThere))
        expectEqual(node.count, heldMax)
        let last = LifecycleSubject.topic("chat:last")
        node.arrive(last, at: Self.at(2))
        node.depart(last, at: Self.at(2))
        expectEqual(reported(2), [Self.come(last, 2), Self.go(.topic("chat:0"), 0)])
        expectEqual(node.count, heldMax)
    }

    // MARK: Lists

    @Test mutating func aListHasEveryoneWithThoseWhoMayComeBack() throws {
        node.arrive(anna, at: Self.at(0))
        node.arrive(.user("bo"), at: Self.at(1))
        node.depart(anna, at: Self.at(2))
        node.requestList()
        expectEqual(
            reported(3),
            [Self.come(anna, 0), Self.come(.user("bo"), 1)],
            "the changes before the list"
        )
        let report = node.take(now: Self.at(3))
        guard case .everyone(let all) = report else {
            return expect(false, "\(String(describing: report))")
        }
        expectEqual(Set(all), [Self.come(anna, 0), Self.come(.user("bo"), 1)])
        expectNil(node.take(now: Self.at(6)))
        expectEqual(reported(7), [Self.go(anna, 2)])
    }

    /// A connection that comes and goes before the list is taken is in the changes after it.
    @Test mutating func changesAfterTheRequestFollowTheList() {
        let client = LifecycleSubject.client("c1", user: "anna")
        node.arrive(anna, at: Self.at(0))
        expectEqual(reported(0), [Self.come(anna, 0)])
        node.requestList()
        node.arrive(client, at: Self.at(1))
        node.depart(client, at: Self.at(1), reason: .left)
        expectEqual(node.take(now: Self.at(1)), .everyone([Self.come(anna, 0)]))
        expectEqual(reported(1), [Self.come(client, 1), Self.go(client, 1, .left)])
        expectNil(node.take(now: Self.at(1)))
    }

    @Test mutating func aReportThatWasNotDeliveredComesAgain() throws {
        let client = LifecycleSubject.client("c1", user: "anna")
        node.arrive(client, at: Self.at(0))
        node.depart(client, at: Self.at(0), reason: .timeout)
        node.putBack(try require(node.take(now: Self.at(0))))
        node.arrive(anna, at: Self.at(1))
        expectEqual(reported(1), [Self.come(client, 0), Self.go(client, 0, .timeout)])
        node.putBack(try require(node.take(now: Self.at(1))))
        expectEqual(reported(1), [Self.come(anna, 1)])
        expectEqual(node.take(now: Self.at(1)), .everyone([Self.come(anna, 1)]))
        expectNil(node.take(now: Self.at(1)))
    }

    @Test mutating func tooManyReportsBecomeAList() {
        let first = LifecycleSubject.client("c0", user: "")
        node.arrive(first, at: Self.at(0))
        for number in 1...(NodeAttendance.reportsMax / 2) {
            let client = LifecycleSubject.client("c\(number)", user: "")
            node.arrive(client, at: Self.at(0))
            node.depart(client, at: Self.at(0), reason: .left)
        }
        expectEqual(node.take(now: Self.at(1)), .everyone([Self.come(first, 0)]))
        expectNil(node.take(now: Self.at(1)))
        node.depart(first, at: Self.at(2), reason: .timeout)
        expectEqual(reported(2), [Self.go(first, 2, .timeout)])
    }

    /// A departure that was noted before the clock was set back would otherwise be held for an hour.
    @Test mutating func aClockThatIsSetBackHoldsNobody() {
        node.arrive(anna, at: Self.at(3600))
        node.depart(anna, at: Self.at(3601))
        node.arrive(.user("bo"), at: Self.at(0))
        expectEqual(
            reported(1),
            [Self.come(anna, 3600), Self.come(.user("bo"), 0), Self.go(anna, 3601)]
        )
    }

    @Test mutating func thoseWhoAreThereAreCounted() {
        node.arrive(anna, at: Self.at(0))
        node.arrive(anna, at: Self.at(1))
        node.arrive(.user("bo"), at: Self.at(2))
        node.depart(.user("bo"), at: Self.at(3))
        expectEqual(node.present.count, 1)
        expectEqual(node.present.first?.count, 2)
        expectEqual(node.present.first?.since, Self.at(0))
    }
}
