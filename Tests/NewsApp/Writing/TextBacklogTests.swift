import Base
import Expectations

@testable import NewsApp

@Suite("Backlog of written texts", .timeLimit(.minutes(10)))
struct TextBacklogTests {
    private let key: [UInt8] = [1]

    private func expectBacklog(
        _ backlog: inout TextBacklog,
        _ key: [UInt8],
        _ now: Timestamp,
        is isAdmitted: Bool,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let found = backlog.admit(key, now: now)
        expectEqual(found, isAdmitted, sourceLocation: location)
    }

    private func numbered(_ number: Int) -> [UInt8] { Array("\(number)".utf8) }

    @Test func textIsMadeOnceAtATime() {
        var backlog = TextBacklog()
        expectBacklog(&backlog, key, at(0), is: true)
        expectBacklog(&backlog, key, at(0), is: false)
        expectBacklog(&backlog, [2], at(0), is: true)
        backlog.finish(key)
        expectBacklog(&backlog, key, at(0), is: true)
    }

    @Test func fullLineTakesNoFurtherText() {
        var backlog = TextBacklog()
        for number in 0..<TextBacklog.waitingMax {
            expectBacklog(&backlog, numbered(number), at(0), is: true)
        }
        expectBacklog(&backlog, key, at(0), is: false)
        expectEqual(backlog.waiting.count, TextBacklog.waitingMax)
        backlog.finish(numbered(0))
        expectBacklog(&backlog, key, at(0), is: true)
    }

    @Test func textThatHasFailedRestsForAWhile() {
        var backlog = TextBacklog()
        backlog.rest(key, now: at(0))
        expectBacklog(&backlog, key, at(0), is: false)
        expect(backlog.isResting(key, now: at(9)))
        expectBacklog(&backlog, [2], at(0), is: true)
        expect(!backlog.isResting(key, now: at(10)))
        expectBacklog(&backlog, key, at(10), is: true)
    }

    @Test func restingTextsAreBounded() {
        var backlog = TextBacklog()
        for number in 0...TextBacklog.restingMax { backlog.rest(numbered(number), now: at(0)) }
        expect(backlog.isResting(numbered(TextBacklog.restingMax), now: at(0)))
        expect(!backlog.isResting(numbered(0), now: at(0)))
    }

    @Test func pauseHoldsUpAllTexts() {
        var backlog = TextBacklog()
        backlog.pause(until: at(60))
        backlog.pause(until: at(5))
        expectBacklog(&backlog, key, at(59), is: false)
        // A pause is for the background: callers that wait may ask.
        expect(!backlog.isResting(key, now: at(59)))
        expectBacklog(&backlog, key, at(60), is: true)
    }

    @Test func clockThatWasSetBackEndsPausesAndRests() {
        var backlog = TextBacklog()
        backlog.pause(until: at(60))
        backlog.rest([2], now: at(60))
        expectBacklog(&backlog, key, at(60 - 24 * 60 - 1), is: true)
        expect(!backlog.isResting([2], now: at(59)))
    }
}
