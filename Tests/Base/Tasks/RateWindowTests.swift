import Base
import Expectations

@Suite(.timeLimit(.minutes(10))) struct RateWindowTests {
    private let start = Timestamp(milliseconds: 1_800_000_000_000)

    @Test func callerMayDoItAsOftenAsTheLimitSaysAndNotOnceMore() {
        var window = RateWindow<String>(limit: 3, length: .seconds(60))
        let standings = (0..<4).map { _ in window.take("a", now: start) }
        expectEqual(standings.map(\.isAllowed), [true, true, true, false])
        expectEqual(standings.map(\.remaining), [2, 1, 0, 0])
        expect(standings.allSatisfy { $0.limit == 3 })
    }

    @Test func windowEndsAtAMultipleOfItsLength() {
        var window = RateWindow<String>(limit: 1, length: .seconds(60))
        let now = start + .milliseconds(59_999)
        let standing = window.take("a", now: now)
        expectEqual(standing.reset, start + .seconds(60))
        expect(!window.take("a", now: now).isAllowed)
        expect(window.take("a", now: start + .seconds(60)).isAllowed)
    }

    @Test func callersHaveCountsOfTheirOwn() {
        var window = RateWindow<String>(limit: 1, length: .seconds(60))
        expect(window.take("a", now: start).isAllowed)
        expect(window.take("b", now: start).isAllowed)
        expect(!window.take("a", now: start).isAllowed)
    }

    @Test func refusedCallsAreNotCounted() {
        var window = RateWindow<String>(limit: 1, length: .seconds(60))
        _ = window.take("a", now: start)
        for _ in 0..<5 { expectEqual(window.take("a", now: start).remaining, 0) }
    }

    @Test func clockThatIsSetBackBeginsAnotherWindow() {
        var window = RateWindow<String>(limit: 1, length: .seconds(60))
        _ = window.take("a", now: start)
        expect(window.take("a", now: start - .seconds(3600)).isAllowed)
    }

    @Test func callersPastTheTableAreRefusedUntilTheWindowEnds() {
        var window = RateWindow<Int>(limit: 2, length: .seconds(60))
        for caller in 0..<RateWindow<Int>.callersMax {
            expect(window.take(caller, now: start).isAllowed)
        }
        let standing = window.take(-1, now: start)
        expect(!standing.isAllowed)
        expectEqual(standing.remaining, 0)
        // Who came before still has its own.
        expect(window.take(0, now: start).isAllowed)
        expect(window.take(-1, now: start + .seconds(60)).isAllowed)
    }
}
