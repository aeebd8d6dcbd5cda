import Expectations
import Reactor

@testable import Loops

@Suite("Loop: its turn", .timeLimit(.minutes(10)))
struct TurnTests {
    private func instant(_ milliseconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: milliseconds * 1_000_000)
    }

    @Test func workBeginsAgainForEachClient() {
        var turn = Turn(now: instant(0))
        turn.beginWork()
        turn.countWork(7)
        turn.countWork(5)
        expectEqual(turn.workBytes, 12)
        turn.beginWork()
        expectEqual(turn.workBytes, 0)
    }

    @Test func messagesAreTakenEmptyAndKeptForTheirStorage() {
        var turn = Turn(now: instant(0))
        var messages = turn.takeMessages()
        messages.append(.forgotten([]))
        let capacity = messages.capacity
        turn.keep(messages)
        messages = []
        messages = turn.takeMessages()
        expect(messages.isEmpty)
        expectEqual(messages.capacity, capacity)
    }

    @Test func storageOfVeryManyMessagesIsFreed() {
        var turn = Turn(now: instant(0))
        var messages = turn.takeMessages()
        for _ in 0..<10_000 { messages.append(.forgotten([])) }
        turn.keep(messages)
        messages = []
        expectEqual(turn.takeMessages().capacity, 0)
    }

    @Test func clearedOutputKeepsItsStorage() {
        var turn = Turn(now: instant(0))
        turn.output += [UInt8](repeating: 1, count: 1000)
        turn.clearOutput()
        expect(turn.output.isEmpty)
        expect(turn.output.capacity >= 1000)
    }

    @Test func aTurnIsCountedFromItsStartToItsEnd() {
        var turn = Turn(now: instant(0))
        turn.begin(at: instant(100))
        turn.add(committed: instant(90))
        turn.end(at: instant(104))
        expectEqual(turn.now, instant(100))
        expectEqual(turn.takeLongest(), .milliseconds(4))
        expectNil(turn.takeLongest())
        expectEqual(turn.counters.publishToWrite.sum, 0.014)
    }
}
