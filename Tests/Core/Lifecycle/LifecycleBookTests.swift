import Expectations

@testable import Core

@Suite("Lifecycle: the logs of all nodes", .timeLimit(.minutes(10)))
struct LifecycleBookTests {
    private static func at(_ seconds: Double) -> Timestamp {
        Timestamp(seconds: 1_800_000_000 + seconds)
    }

    private func come(_ subject: LifecycleSubject, _ seconds: Double) -> LifecycleChange {
        LifecycleChange(subject, isThere: true, at: Self.at(seconds))
    }

    private func go(
        _ subject: LifecycleSubject,
        _ seconds: Double,
        _ reason: DepartureReason? = nil
    ) -> LifecycleChange {
        LifecycleChange(subject, isThere: false, at: Self.at(seconds), reason: reason)
    }

    private let anna = LifecycleSubject.user("anna")
    private let bo = LifecycleSubject.user("bo")

    private func book(
        present: [LifecycleSubject] = [],
        awaited: Set<String> = [],
        slack: Duration = .zero
    ) -> LifecycleBook {
        LifecycleBook(
            leaveAfter: .seconds(5),
            slack: slack,
            present: present,
            awaited: awaited,
            now: Self.at(0)
        )
    }

    // MARK: One node

    @Test func arrivalsAndDeparturesAreChanges() {
        var book = book()
        expect(book.isIdle)
        book.apply(.changes([come(anna, 1)]), of: "a", now: Self.at(1))
        expectEqual(book.take(countMax: 9, now: Self.at(1)), [come(anna, 1)])
        book.apply(.changes([go(anna, 2)]), of: "a", now: Self.at(7))
        expectEqual(book.take(countMax: 9, now: Self.at(7)), [go(anna, 2)])
        expectEqual(book.count, 0)
        expect(book.isIdle)
    }

    @Test func whoIsBackInTimeHasNotLeft() {
        var book = book()
        book.apply(.changes([come(anna, 1), go(anna, 2)]), of: "a", now: Self.at(2))
        expectEqual(book.take(countMax: 9, now: Self.at(6.9)), [come(anna, 1)])
        expect(!book.isIdle)
        book.apply(.changes([come(anna, 6.9)]), of: "a", now: Self.at(7.5))
        expectEqual(book.take(countMax: 9, now: Self.at(100)), [])
        expect(book.isIdle)
    }

    @Test func aLongerAbsenceIsTwoChanges() {
        var book = book()
        book.apply(.changes([come(anna, 1)]), of: "a", now: Self.at(1))
        _ = book.take(countMax: 9, now: Self.at(1))
        book.apply(.changes([go(anna, 2), come(anna, 7)]), of: "a", now: Self.at(7))
        expectEqual(book.take(countMax: 9, now: Self.at(7)), [go(anna, 2), come(anna, 7)])
    }

    @Test func theEndOfAConnectionIsAChangeAtOnce() {
        var book = book()
        let client = LifecycleSubject.client("c", user: "anna")
        book.apply(
            .changes([come(client, 1), go(client, 1, .timeout)]),
            of: "a",
            now: Self.at(1)
        )
        expectEqual(
            book.take(countMax: 9, now: Self.at(1)),
            [come(client, 1), go(client, 1, .timeout)]
        )
        expectEqual(book.count, 0)
    }

    @Test func changesComeInTheOrderOfTheirSubjects() {
        var book = book()
        let users = (0..<5).map { LifecycleSubject.user("u\($0)") }
        book.apply(.changes(users.map { come($0, 1) }), of: "a", now: Self.at(1))
        expectEqual(book.take(countMax: 2, now: Self.at(1)).map(\.subject), Array(users[0..<2]))
        expectEqual(book.take(countMax: 9, now: Self.at(1)).map(\.subject), Array(users[2...]))
        expectEqual(book.take(countMax: 9, now: Self.at(1)), [])
    }

    // MARK: Several nodes

    @Test func aUserOnTwoNodesLeavesWithTheLast() {
        var book = book()
        book.apply(.changes([come(anna, 1)]), of: "a", now: Self.at(1))
        book.apply(.changes([come(anna, 2)]), of: "b", now: Self.at(2))
        expectEqual(book.take(countMax: 9, now: Self.at(2)), [come(anna, 1)])
        book.apply(.changes([go(anna, 9)]), of: "a", now: Self.at(14))
        expectEqual(book.take(countMax: 9, now: Self.at(100)), [])
        // It left this node before it left the other one.
        book.apply(.changes([go(anna, 8)]), of: "b", now: Self.at(14.1))
        expectEqual(book.take(countMax: 9, now: Self.at(14.1)), [go(anna, 9)])
    }

    /// The departure comes from one node before the arrival from the other.
    @Test func aUserWhoMovesHasNotLeft() {
        var book = book(slack: .milliseconds(500))
        book.apply(.changes([come(anna, 1)]), of: "a", now: Self.at(1))
        _ = book.take(countMax: 9, now: Self.at(1))
        book.apply(.changes([go(anna, 2)]), of: "a", now: Self.at(7))
        expectEqual(book.take(countMax: 9, now: Self.at(7.4)), [])
        book.apply(.changes([come(anna, 6.9)]), of: "b", now: Self.at(7.45))
        expectEqual(book.take(countMax: 9, now: Self.at(100)), [])
    }

    /// The arrival on the other node is reported before the departure, which was held.
    @Test func aLongAbsenceBetweenTwoNodesIsTwoChangesInEitherOrder() {
        for isLongEnough in [true, false] {
            var book = book(slack: .milliseconds(500))
            book.apply(.changes([come(anna, 1)]), of: "a", now: Self.at(1))
            _ = book.take(countMax: 9, now: Self.at(1))
            let back = isLongEnough ? 7.0 : 6.9
            book.apply(.changes([come(anna, back)]), of: "b", now: Self.at(7))
            book.apply(.changes([go(anna, 2)]), of: "a", now: Self.at(7.2))
            expectEqual(
                book.take(countMax: 9, now: Self.at(100)),
                isLongEnough ? [go(anna, 2), come(anna, back)] : []
            )
        }
    }

    @Test func aNodeThatEndsTakesItsSubjectsWithIt() {
        var book = book()
        let client = LifecycleSubject.client("c", user: "bo")
        book.apply(.changes([come(anna, 1), come(bo, 1)]), of: "a", now: Self.at(1))
        book.apply(.changes([come(bo, 1), come(client, 1)]), of: "b", now: Self.at(1))
        _ = book.take(countMax: 9, now: Self.at(1))
        expectEqual(book.processes, ["a", "b"])
        book.end("b", now: Self.at(10))
        expectEqual(book.take(countMax: 9, now: Self.at(100)), [go(client, 10, .lost)])
        book.end("a", now: Self.at(101))
        expectEqual(book.take(countMax: 9, now: Self.at(105.9)), [])
        expectEqual(
            Set(book.take(countMax: 9, now: Self.at(106))),
            [go(anna, 101), go(bo, 101)]
        )
        expectEqual(book.processes, [])
    }

    @Test func aListReplacesWhatTheNodeHasReported() {
        var book = book()
        book.apply(.changes([come(anna, 1), come(bo, 1)]), of: "a", now: Self.at(1))
        _ = book.take(countMax: 9, now: Self.at(1))
        let cleo = LifecycleSubject.user("cleo")
        book.apply(.everyone([come(bo, 1), come(cleo, 2)]), of: "a", now: Self.at(3))
        expectEqual(book.take(countMax: 9, now: Self.at(3)), [come(cleo, 2)])
        expectEqual(book.take(countMax: 9, now: Self.at(8)), [go(anna, 3)])
    }

    // MARK: A start

    @Test func whoIsBackAfterAStartHasNotLeft() {
        var book = book(present: [anna, bo], awaited: ["a"])
        expect(!book.isIdle)
        book.apply(.everyone([]), of: "a", now: Self.at(0.1))
        book.apply(.changes([come(anna, 4.9)]), of: "a", now: Self.at(4.9))
        expectEqual(book.take(countMax: 9, now: Self.at(4.9)), [])
        expectEqual(book.take(countMax: 9, now: Self.at(5)), [go(bo, 0)])
        // A later arrival begins the log again.
        book.apply(.changes([come(bo, 6)]), of: "a", now: Self.at(6))
        expectEqual(book.take(countMax: 9, now: Self.at(6)), [come(bo, 6)])
    }

    @Test func nobodyIsMissedBeforeEachNodeHasReported() {
        var book = book(present: [anna, bo], awaited: ["a", "b", "c"])
        book.apply(.everyone([]), of: "a", now: Self.at(1))
        book.end("c", now: Self.at(2))
        expectEqual(book.awaited, ["b"])
        expectEqual(book.take(countMax: 9, now: Self.at(60)), [])
        book.apply(.everyone([come(anna, -100)]), of: "b", now: Self.at(61))
        expectEqual(book.take(countMax: 9, now: Self.at(61)), [go(bo, 0)])
    }

    /// A user who opens a second connection elsewhere, while the node with the first has not reported.
    @Test func anAbsenceIsNotCertainBeforeEachNodeHasReported() {
        var book = book(present: [anna], awaited: ["a", "b"])
        book.apply(.everyone([]), of: "a", now: Self.at(1))
        book.apply(.changes([come(anna, 20)]), of: "a", now: Self.at(20))
        book.apply(.everyone([come(anna, -9)]), of: "b", now: Self.at(21))
        expectEqual(book.take(countMax: 9, now: Self.at(100)), [])
    }

    @Test func aNodeThatDoesNotReportIsNotAwaitedForEver() {
        var book = book(present: [anna], awaited: ["a"])
        expectEqual(book.take(countMax: 9, now: Self.at(100)), [])
        book.awaitNoLonger()
        expectEqual(book.take(countMax: 9, now: Self.at(100)), [go(anna, 0)])
    }

    /// The end of a node is noted at once, and the departure from another when it has been held.
    @Test func absencesEndInTheOrderOfTheirTimes() {
        var book = book()
        book.apply(.changes([come(anna, 1)]), of: "a", now: Self.at(1))
        book.apply(.changes([come(bo, 1)]), of: "b", now: Self.at(1))
        _ = book.take(countMax: 9, now: Self.at(1))
        book.end("a", now: Self.at(10))
        book.apply(.changes([go(bo, 6)]), of: "b", now: Self.at(11))
        expectEqual(book.take(countMax: 9, now: Self.at(11)), [go(bo, 6)])
        expectEqual(book.take(countMax: 9, now: Self.at(15)), [go(anna, 10)])
    }

    /// No connection comes back, but its departure is certain only when every node has reported.
    @Test func aConnectionOfAFormerRunIsLost() {
        let client = LifecycleSubject.client("c", user: "anna")
        var book = book(present: [client], awaited: ["a"])
        book.apply(.everyone([]), of: "a", now: Self.at(1))
        expectEqual(book.take(countMax: 9, now: Self.at(5)), [go(client, 0, .lost)])
    }

    @Test func theTimeOfAnEarlierArrivalDoesNotMatterAfterAStart() {
        var book = book(present: [anna], awaited: ["a"])
        book.apply(.everyone([come(anna, -3600)]), of: "a", now: Self.at(1))
        expectEqual(book.take(countMax: 9, now: Self.at(100)), [])
    }

    // MARK: While nobody takes the changes

    @Test func changesOfOneSubjectAreJoined() {
        var book = book()
        var time = 1.0
        for _ in 0..<10 {
            book.apply(
                .changes([come(anna, time), go(anna, time + 1)]),
                of: "a",
                now: Self.at(time)
            )
            time += 10
        }
        expectEqual(
            book.take(countMax: 9, now: Self.at(200)),
            [come(anna, 91), go(anna, 92)],
            "nobody has learnt of the visits before"
        )
        book.apply(.changes([come(anna, 201)]), of: "a", now: Self.at(201))
        _ = book.take(countMax: 9, now: Self.at(201))
        time = 300
        for _ in 0..<10 {
            book.apply(
                .changes([go(anna, time), come(anna, time + 6)]),
                of: "a",
                now: Self.at(time)
            )
            time += 10
        }
        expectEqual(book.take(countMax: 9, now: Self.at(400)), [go(anna, 390), come(anna, 396)])
        expectEqual(book.count, 1)
    }

    @Test func passingConnectionsAreBounded() {
        var book = book()
        let countMax = LifecycleBook.passingMax
        for number in 0..<(countMax + 10) {
            let client = LifecycleSubject.client("c\(number)", user: "")
            book.apply(
                .changes([come(client, 1), go(client, 1, .left)]),
                of: "a",
                now: Self.at(1)
            )
        }
        expectEqual(book.takeLeftOutCount(), 10)
        expectEqual(book.takeLeftOutCount(), 0)
        expectEqual(book.count, countMax)
        let user = LifecycleSubject.user("late")
        book.apply(.changes([come(user, 2)]), of: "a", now: Self.at(2))
        book.apply(.changes([go(user, 3), come(user, 4)]), of: "a", now: Self.at(4))
        expectEqual(book.takeLeftOutCount(), 0, "who is there is in the log")
        expectEqual(book.count, countMax + 1)
        expectEqual(book.take(countMax: .max, now: Self.at(4)).count, 2 * countMax + 1)
        expectEqual(book.count, 1)
        // There is room again.
        let client = LifecycleSubject.client("last", user: "")
        book.apply(.changes([come(client, 5), go(client, 5, .left)]), of: "a", now: Self.at(5))
        expectEqual(book.take(countMax: 1, now: Self.at(5)).count, 2)
        expectEqual(book.takeLeftOutCount(), 0)
    }

    // MARK: Deleted users

    @Test func aForgottenUserIsInNoFurtherChange() {
        var book = book()
        let client = LifecycleSubject.client("c", user: "anna")
        let member = LifecycleSubject.member("anna", of: "chat:1")
        book.apply(
            .changes([come(anna, 1), come(client, 1), come(member, 1), come(bo, 1)]),
            of: "a",
            now: Self.at(1)
        )
        expectEqual(book.processes, ["a"])
        book.forget("anna")
        expectEqual(book.processes, ["a"])
        book.apply(
            .changes([go(client, 2, .closed), go(anna, 2), go(member, 2)]),
            of: "a",
            now: Self.at(2)
        )
        expectEqual(book.take(countMax: 9, now: Self.at(100)), [come(bo, 1)])
        expectEqual(book.count, 1)
        book.forget("bo")
        expectEqual(book.processes, [])
    }
}
