import Core
import Expectations

@Suite("Fair turns", .timeLimit(.minutes(10)))
struct FairTurnsTests {
    /// Serves work, given by owner as costs, until so much is spent; says whose pieces were served.
    private func serve(
        _ work: [String: [Int]],
        quantum: Int = 10,
        pieces: Int = .max
    ) -> [String] {
        var turns = FairTurns<String>(quantum: quantum)
        var work = work
        for owner in work.keys.sorted() { turns.join(owner) }
        var served: [String] = []
        while served.count < pieces, let owner = turns.owner {
            guard let cost = work[owner]?.first else {
                turns.leave()
                continue
            }
            guard turns.pay(cost) else { continue }
            work[owner]?.removeFirst()
            served.append(owner)
        }
        return served
    }

    @Test func nobodyIsNext() {
        var turns = FairTurns<String>(quantum: 1)
        expectNil(turns.owner)
        expectEqual(turns.pay(1), false)
        turns.leave()
        expectEqual(turns.count, 0)
    }

    @Test func equalWorkIsServedInTurn() {
        let served = serve(["a": [10, 10, 10], "b": [10, 10], "c": [10]])
        expectEqual(served, ["a", "b", "c", "a", "b", "a"])
    }

    @Test func cheapWorkIsServedSeveralTimesInATurn() {
        let served = serve(["a": [10, 10], "b": [5, 5, 5, 5]])
        expectEqual(served, ["a", "b", "b", "a", "b", "b"])
    }

    @Test func workThatCostsMoreThanARoundWaitsForRounds() {
        let served = serve(["a": [35], "b": [10, 10, 10, 10, 10]])
        expectEqual(served, ["b", "b", "b", "a", "b", "b"])
    }

    /// In the time of an owner's expensive pieces everybody else gets as much.
    @Test func expensiveWorkOfOneDelaysOnlyThatOne() {
        let many = Array(repeating: 1, count: 1000)
        let served = serve(
            ["a": Array(repeating: 100, count: 50), "b": many, "c": many],
            pieces: 1000
        )
        expect(served.count { $0 == "b" } >= 450)
        expect(served.count { $0 == "c" } >= 450)
        expect(served.count { $0 == "a" } <= 5)
    }

    @Test func whoJoinsComesLastInTheRoundAndOnce() {
        var turns = FairTurns<String>(quantum: 10)
        for owner in ["a", "b", "a"] { turns.join(owner) }
        expectEqual(turns.count, 2)
        expectEqual(turns.pay(10), true)
        turns.join("c")
        var order: [String] = []
        for _ in 0..<6 {
            guard let owner = turns.owner else { break }
            if turns.pay(10) { order.append(owner) }
        }
        expectEqual(order, ["b", "c", "a"])
    }

    @Test func whoHasNothingToDoKeepsNoCredit() {
        var turns = FairTurns<String>(quantum: 10)
        turns.join("a")
        expectEqual(turns.pay(1), true)
        turns.leave()
        turns.join("a")
        expectEqual(turns.pay(11), false)
    }
}
