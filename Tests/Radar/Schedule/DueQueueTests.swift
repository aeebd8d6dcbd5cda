import Expectations

@testable import Radar

@Suite("DueQueue", .timeLimit(.minutes(10)))
struct DueQueueTests {
    @Test func emptyQueueHasNothingDue() {
        var queue = DueQueue()
        expectNil(queue.firstDue)
        expectEqual(queue.count, 0)
        expectNil(queue.popDue(now: morning))
        expectEqual(queue.remove("a"), false)
    }

    @Test func oneIsDueAtItsTimeAndNotBefore() {
        var queue = DueQueue()
        queue.set("a", due: morning)
        expectNil(queue.popDue(now: morning - .milliseconds(1)))
        expectEqual(queue.popDue(now: morning), "a")
        expectNil(queue.popDue(now: morning))
        expectNil(queue.due("a"))
    }

    @Test func soonestComesFirstAndOfEqualTimesTheOneSetFirst() {
        var queue = DueQueue()
        queue.set("late", due: morning + .seconds(1))
        queue.set("one", due: morning)
        queue.set("two", due: morning)
        queue.set("three", due: morning)
        let order = (0..<4).map { _ in queue.popDue(now: morning + .seconds(1)) }
        expectEqual(order, ["one", "two", "three", "late"])
    }

    @Test(arguments: [-5, 5] as [Int64])
    func replacedTimeCountsNoMore(offset: Int64) {
        var queue = DueQueue()
        queue.set("a", due: morning)
        queue.set("a", due: morning + .seconds(offset))
        expectEqual(queue.count, 1)
        expectEqual(queue.firstDue, morning + .seconds(offset))
        expectEqual(queue.popDue(now: morning + .days(1)), "a")
        expectNil(queue.popDue(now: morning + .days(1)))
    }

    @Test func firstDueIsNeverThatOfARemovedOne() {
        var queue = DueQueue()
        queue.set("a", due: morning)
        queue.set("b", due: morning + .seconds(1))
        expectEqual(queue.remove("a"), true)
        expectEqual(queue.firstDue, morning + .seconds(1))
        expectEqual(queue.remove("b"), true)
        expectNil(queue.firstDue)
    }

    @Test func replacingForEverDoesNotGrowTheHeap() {
        var queue = DueQueue()
        queue.set("first", due: morning)
        for second in 1...10_000 { queue.set("a", due: morning + .seconds(second)) }
        expectEqual(queue.count, 2)
        expect(queue.entryCount < 100)
        expectEqual(queue.due("a"), morning + .seconds(10_000))
    }

    @Test func comingAndGoingDoesNotGrowTheHeap() {
        var queue = DueQueue()
        queue.set("first", due: morning)
        for second in 1...10_000 {
            queue.set("\(second)", due: morning + .seconds(second))
            queue.remove("\(second)")
        }
        expectEqual(queue.count, 1)
        expect(queue.entryCount < 100)
    }

    @Test(arguments: [-86_400, 86_400])
    func shiftMovesAllAndKeepsTheirOrder(seconds: Int) {
        var queue = DueQueue()
        queue.set("b", due: morning)
        queue.set("c", due: morning)
        queue.set("a", due: morning - .seconds(1))
        queue.set("a", due: morning - .seconds(2))
        queue.shift(by: .seconds(seconds))
        let shifted = morning + .seconds(seconds)
        expectEqual(queue.firstDue, shifted - .seconds(2))
        expectEqual(queue.due("c"), shifted)
        expectEqual((0..<4).map { _ in queue.popDue(now: shifted) }, ["a", "b", "c", nil])
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func queueAgreesWithASortedList(seed: UInt64) {
        var dice = Dice(seed: seed)
        var queue = DueQueue()
        var model: [String: Timestamp] = [:]
        for step in 0..<5000 {
            let id = "\(Int.random(in: 0..<50, using: &dice))"
            let time = morning + .seconds(Int.random(in: 0..<1000, using: &dice))
            switch Int.random(in: 0..<4, using: &dice) {
            case 0: expectEqual(queue.remove(id), (model.removeValue(forKey: id) != nil))
            case 1:
                let popped = queue.popDue(now: time)
                let first = model.values.min().flatMap { $0 <= time ? $0 : nil }
                expectEqual(popped.flatMap { model[$0] }, first, "seed \(seed), step \(step)")
                if let popped { model[popped] = nil }
            default:
                queue.set(id, due: time)
                model[id] = time
            }
            expectEqual(queue.firstDue, model.values.min(), "seed \(seed), step \(step)")
            expectEqual(queue.count, model.count, "seed \(seed), step \(step)")
        }
    }
}
