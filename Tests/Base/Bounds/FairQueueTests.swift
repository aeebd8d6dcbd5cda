import Expectations

@testable import Base

@Suite("Fair queue", .timeLimit(.minutes(10)))
struct FairQueueTests {
    /// Takes everything, as the users whose items they are.
    private func users(_ queue: inout FairQueue<String, Int>) -> String {
        var text = ""
        while let next = queue.pop() { text += next.user }
        return text
    }

    @Test func usersTakeTurnsWhateverOneHasQueued() {
        var queue = FairQueue<String, Int>()
        for number in 0..<6 { _ = queue.push(number, of: "a") }
        for number in 0..<2 { _ = queue.push(number, of: "b") }
        _ = queue.push(0, of: "c")
        let order = users(&queue)
        expectEqual(order, "abcabaaaa")
    }

    @Test func itemsOfAUserKeepTheirOrder() {
        var queue = FairQueue<String, Int>()
        for number in 0..<200 { _ = queue.push(number, of: "a") }
        var found: [Int] = []
        while let next = queue.pop() { found.append(next.item) }
        expectEqual(found, Array(0..<200))
        expect(queue.isEmpty)
    }

    @Test func whoComesLaterWaitsForOneTurnAtMost() {
        var queue = FairQueue<String, Int>()
        for number in 0..<100 { _ = queue.push(number, of: "a") }
        for _ in 0..<50 { _ = queue.pop() }
        _ = queue.push(0, of: "b")
        let next = [queue.pop()?.user, queue.pop()?.user]
        expect(next.contains("b"))
    }

    @Test func costlyItemsMakeTurnsRarer() {
        var queue = FairQueue<String, Int>()
        for number in 0..<4 { _ = queue.push(number, of: "a", cost: 3) }
        for number in 0..<6 { _ = queue.push(number, of: "b", cost: 1) }
        let order = users(&queue)
        expectEqual(order.prefix(8).filter { $0 == "b" }.count, 6)
    }

    @Test func whatTurnsOutToCostMoreIsChargedToItsUser() {
        var queue = FairQueue<String, Int>()
        for number in 0..<3 { _ = queue.push(number, of: "a") }
        for number in 0..<5 { _ = queue.push(number, of: "b") }
        let first = queue.pop()?.user
        expectEqual(first, "a")
        queue.charge("a", 3)
        let order = users(&queue)
        expectEqual(order.prefix(4), "bbbb")
        expectEqual(order.filter { $0 == "a" }.count, 2)
    }

    @Test func idlenessSavesNothingUp() {
        var queue = FairQueue<String, Int>()
        for number in 0..<100 { _ = queue.push(number, of: "a") }
        for _ in 0..<90 { _ = queue.pop() }
        for number in 0..<10 { _ = queue.push(number, of: "b") }
        let order = users(&queue)
        expect(order.prefix(6).filter { $0 == "a" }.count >= 2)
    }

    @Test func workAloneIsNotHeldAgainstAUserForever() {
        var queue = FairQueue<String, Int>()
        for number in 0..<100 {
            _ = queue.push(number, of: "a")
            _ = queue.pop()
            queue.charge("a", 50)
        }
        for number in 0..<4 {
            _ = queue.push(number, of: "b", cost: 50)
            _ = queue.push(number, of: "a", cost: 50)
        }
        let order = users(&queue)
        expect(order.prefix(4).contains("a"))
        expect(order.prefix(4).contains("b"))
    }

    @Test func lineHasAnEndAndOthersGoOn() {
        var queue = FairQueue<String, Int>(lineMax: 2)
        _ = queue.push(0, of: "a")
        _ = queue.push(1, of: "a")
        guard case .refused = queue.push(2, of: "a") else {
            Issue.record("the line is full")
            return
        }
        guard case .waits = queue.push(0, of: "b") else {
            Issue.record("another line is empty")
            return
        }
        expectEqual(queue.count, 3)
    }

    @Test func longestLineMakesRoomForAShorterOne() {
        var queue = FairQueue<String, Int>(itemsMax: 3)
        for number in 0..<3 { _ = queue.push(number, of: "a") }
        guard case .displaces(let item) = queue.push(7, of: "b") else {
            Issue.record("the line of a is longer")
            return
        }
        expectEqual(item, 2, "the last of the line")
        guard case .refused = queue.push(8, of: "b") else {
            Issue.record("no line is longer by two")
            return
        }
        let order = users(&queue)
        expectEqual(order, "aba")
    }

    @Test func itemThatIsTakenBackHasNoTurn() {
        var queue = FairQueue<String, Int>()
        for number in 0..<3 { _ = queue.push(number, of: "a") }
        let removed = [
            queue.remove(of: "a") { $0 == 0 }, queue.remove(of: "a") { $0 == 9 },
            queue.remove(of: "b") { _ in true },
        ]
        expectEqual(removed, [0, nil, nil])
        let next = queue.pop()?.item
        expectEqual(next, 1)
        let last = queue.remove(of: "a") { _ in true }
        expectEqual(last, 2)
        let none = queue.pop()?.item
        expectNil(none)
        _ = queue.push(5, of: "a")
        let again = queue.pop()?.item
        expectEqual(again, 5)
    }

    /// Over any stretch in which two users wait, their shares differ by no more than an item of each.
    @Test(arguments: 1...20)
    func sharesOfThoseWhoWaitDifferByNoMoreThanAnItem(seed: UInt64) {
        var state = seed
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        var queue = FairQueue<Int, Double>()
        var taken = [0.0, 0.0, 0.0]
        let costMax = 9
        for user in 0..<3 {
            for _ in 0..<300 {
                let cost = Double(1 + random(costMax))
                _ = queue.push(cost, of: user, cost: cost)
            }
        }
        while (0..<3).allSatisfy({ queue.count(of: $0) > 0 }), let next = queue.pop() {
            taken[next.user] += next.item
            expect(taken.max()! - taken.min()! <= Double(2 * costMax), "seed \(seed)")
        }
        expect(taken.min()! > 0)
    }

    @Test func usersWhoWaitForNothingAreForgotten() {
        var queue = FairQueue<Int, Int>()
        for user in 0..<20_000 {
            _ = queue.push(0, of: user)
            _ = queue.pop()
            _ = queue.push(0, of: -1)
            _ = queue.pop()
        }
        expect(queue.lineCount < 5000)
    }
}
