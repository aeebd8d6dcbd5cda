import Expectations

@testable import Radar

@Suite("CatchUp: late polls beside planned ones", .timeLimit(.minutes(10)))
struct CatchUpTests {
    /// Ten seconds from poll to poll on average.
    private let gap = Duration.seconds(10)

    /// Seconds from `morning`.
    private func times(_ count: Int, planned: [Double] = [], random: Double = 0) -> [Double] {
        var catchUp = CatchUp(
            planned: planned.map { morning + .seconds($0) },
            gap: gap,
            now: morning,
            random: random
        )
        return (0..<count).map { _ in (catchUp.next() - morning).inSeconds }
    }

    @Test func lateOnesAloneFollowEachOtherAtTheMeanRate() {
        expectEqual(times(4), [0, 10, 20, 30])
    }

    @Test func firstLateOneComesByChance() {
        expectEqual(times(2, random: 0.75), [10, 20])
    }

    @Test func lateOneKeepsItsDistanceFromThePlannedOneBeforeIt() {
        let late = times(2, planned: [9])
        expectEqual(late[0], 0)
        expect(abs(late[1] - (9 + 10 / 1.75)) < 0.002)
    }

    @Test func lateOnesWaitWherePlannedOnesAreDense() {
        let burst = (1...30).map { Double($0) * 2 }
        let late = times(3, planned: burst)
        expectEqual(late[0], 0)
        expect(late[1] > 60, "five times the mean until then")
        expect(late[1] > 30 * 10 / 1.75, "what was too much before is made up for")
    }

    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func wholeRateStaysUnderTwiceTheMean(seed: UInt64) {
        var dice = Dice(seed: seed)
        // A thousand planned polls at the mean rate, by chance.
        let planned = (0..<1000).map { _ in dice.draw() * 10_000 }
        let late = times(800, planned: planned, random: dice.draw())
        let all = (planned + late).sorted()
        // Windows of a hundred polls on average.
        for start in stride(from: 0.0, to: late.last ?? 0, by: 100) {
            let count = all.count { $0 >= start && $0 < start + 1000 }
            expect(count <= 200, "seed \(seed), from \(start)")
        }
        for (index, time) in late.enumerated() {
            expect(time > Double(index) * 10 - 0.002, "seed \(seed), late poll \(index)")
        }
        expect(late[799] < 800 * 10 / 0.7, "seed \(seed): what room there is is used")
    }
}
