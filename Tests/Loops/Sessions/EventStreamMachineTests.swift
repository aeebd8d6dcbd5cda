import ClientWire
import Expectations
import Reactor

@testable import Loops

@Suite("Event stream machine, by state and input", .timeLimit(.minutes(10)))
struct EventStreamMachineTests {
    private static let topic = Topic(trusted: "news:a")
    private static let heartbeat = EventStreamAction.send(EventStreamEncoder.heartbeat)

    /// Swift Testing's macros take no noncopyable values.
    private final class Tester {
        private var machine: EventStreamMachine

        init(expiry: MonotonicInstant? = nil) {
            machine = EventStreamMachine(
                now: .seconds(100),
                heartbeat: .seconds(15),
                expiry: expiry
            )
        }

        var deadline: MonotonicInstant { machine.deadline }
        var code: DisconnectCode? { machine.disconnectCode }
        func deadlinePassed(at seconds: Int64) -> [EventStreamAction] {
            machine.deadlinePassed(now: .seconds(seconds))
        }
        func hold(after cursor: UInt64) -> Bool { machine.hold(after: cursor) }
        func resume() -> UInt64? { machine.resume() }
        func subscriptionEnded(_ code: UnsubscribeCode, isLast: Bool) -> [EventStreamAction] {
            machine.subscriptionEnded(EventStreamMachineTests.topic, code, isLast: isLast)
        }
        func end(_ code: DisconnectCode) -> [EventStreamAction] { machine.end(code) }
    }

    private func held(after cursor: UInt64 = 7) -> Tester {
        let tester = Tester(expiry: .seconds(200))
        expect(tester.hold(after: cursor))
        return tester
    }

    private func ended() -> Tester {
        let tester = Tester()
        _ = tester.end(.shutdown)
        return tester
    }

    // MARK: Served

    @Test func heartbeatIsSentAtTheDeadlineAndNotBefore() {
        let tester = Tester()
        expectEqual(tester.deadline, .seconds(115))
        expectEqual(tester.deadlinePassed(at: 114), [.wait(until: .seconds(115))])
        let actions = [EventStreamMachineTests.heartbeat, .wait(until: .seconds(130))]
        expectEqual(tester.deadlinePassed(at: 115), actions)
    }

    @Test func expiredTokenEndsTheStream() {
        let tester = Tester(expiry: .seconds(110))
        expectEqual(tester.deadline, .seconds(110), "before the heartbeat")
        expectEqual(tester.deadlinePassed(at: 109), [.wait(until: .seconds(110))])
        expectEqual(tester.deadlinePassed(at: 110), [.sendRetryAndClose])
        expectEqual(tester.code, .expired)
    }

    @Test func servedReaderIsHeldAndHasNothingToResume() {
        let tester = Tester()
        expectNil(tester.resume())
        expect(tester.hold(after: 7))
        expectNil(tester.code)
    }

    @Test(arguments: [
        (UnsubscribeCode.topicRemoved, DisconnectCode.topicRemoved),
        (.server, .forceNoReconnect),
    ])
    func lastSubscriptionEndsTheStream(code: UnsubscribeCode, end: DisconnectCode) {
        let tester = Tester()
        let notice = EventStreamAction.send(
            EventStreamEncoder.unsubscribed(EventStreamMachineTests.topic, code)
        )
        expectEqual(tester.subscriptionEnded(code, isLast: false), [notice])
        expectNil(tester.code)
        expectEqual(tester.subscriptionEnded(code, isLast: true), [notice, .sendRetryAndClose])
        expectEqual(tester.code, end)
    }

    // MARK: Held

    @Test func heldReaderResumesOnceAfterItsFirstCursor() {
        let tester = held(after: 7)
        expect(!tester.hold(after: 9), "it is held already")
        expectEqual(tester.resume(), 7)
        expectNil(tester.resume())
    }

    @Test func heldReaderHasHeartbeatsAndExpires() {
        let tester = held()
        let actions = [EventStreamMachineTests.heartbeat, .wait(until: .seconds(130))]
        expectEqual(tester.deadlinePassed(at: 115), actions)
        expectEqual(tester.deadlinePassed(at: 200), [.sendRetryAndClose])
        expectEqual(tester.code, .expired)
    }

    @Test func heldReaderLosesItsSubscriptionAndEnds() {
        expectEqual(held().subscriptionEnded(.server, isLast: false).count, 1)
        let tester = held()
        expectEqual(tester.end(.forceReconnect), [.sendRetryAndClose])
        expectNil(tester.resume())
    }

    // MARK: Ended

    @Test func endedStreamDoesNothingMore() {
        let tester = ended()
        expect(tester.deadlinePassed(at: 999).isEmpty)
        expect(!tester.hold(after: 1))
        expectNil(tester.resume())
        expect(tester.subscriptionEnded(.server, isLast: true).isEmpty)
        expect(tester.end(.expired).isEmpty)
        expectEqual(tester.code, .shutdown, "the first code stays")
    }
}
