import Expectations
import StoreTesting

@testable import Store

@Suite("Cursors that transactions leave out", .timeLimit(.minutes(10)))
struct CursorGapTests {
    private let start = ContinuousClock.now

    @Test func firstTransactionsHaveAQuarterOfFourSecondsEach() {
        var allowance = CursorAllowance()
        expectEqual(allowance.take(now: start), 500_000)
        expectEqual(allowance.take(now: start), 375_000)
    }

    /// As many as come in the time between two transactions, however many those are.
    @Test(arguments: [10, 1000, 10_000])
    func theyAreHalfAMillionASecondInTheLongRun(_ transactionsPerSecond: Int) {
        var allowance = CursorAllowance()
        var sum: UInt64 = 0
        let seconds = 100
        for number in 0..<(seconds * transactionsPerSecond) {
            let time = start + .seconds(1) * number / transactionsPerSecond
            sum += allowance.take(now: time)
        }
        let most = UInt64(seconds + 4) * 500_000
        expect(sum <= most)
        expect(sum > most * 9 / 10)
    }

    @Test func clockThatStandsOrGoesBackGivesNone() {
        var allowance = CursorAllowance()
        var sum: UInt64 = 0
        for _ in 0..<1000 { sum += allowance.take(now: start) }
        for _ in 0..<1000 { sum += allowance.take(now: start - .seconds(1)) }
        expect(sum <= 2_000_000)
        // Each takes a quarter in whole cursors, so three are left at last.
        expect(sum >= 2_000_000 - 3)
    }
}
