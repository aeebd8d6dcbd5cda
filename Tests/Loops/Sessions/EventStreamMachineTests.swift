import ClientWire
import Reactor
import Testing

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
        #expect(tester.hold(after: cursor))
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
        #expect(tester.deadline == .seconds(115))
        #expect(tester.deadlinePassed(at: 114) == [.wait(until: .seconds(115))])
        let actions = [EventStreamMachineTests.heartbeat, .wait(until: .seconds(130))]
        #expect(tester.deadlinePassed(at: 115) == actions)
    }

    @Test func expiredTokenEndsTheStream() {
        let tester = Tester(expiry: .seconds(110))
        #expect(tester.deadline == .seconds(110), "before the heartbeat")
        #expect(tester.deadlinePassed(at: 109) == [.wait(until: .seconds(110))])
        #expect(tester.deadlinePassed(at: 110) == [.sendRetryAndClose])
        #expect(tester.code == .expired)
    }

    @Test func servedReaderIsHeldAndHasNothingToResume() {
        let tester = Tester()
        #expect(tester.resume() == nil)
        #expect(tester.hold(after: 7))
        #expect(tester.code == nil)
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
        #expect(tester.subscriptionEnded(code, isLast: false) == [notice])
        #expect(tester.code == nil)
        #expect(tester.subscriptionEnded(code, isLast: true) == [notice, .sendRetryAndClose])
        #expect(tester.code == end)
    }

    // MARK: Held

    @Test func heldReaderResumesOnceAfterItsFirstCursor() {
        let tester = held(after: 7)
        #expect(!tester.hold(after: 9), "it is held already")
        #expect(tester.resume() == 7)
        #expect(tester.resume() == nil)
    }

    @Test func heldReaderHasHeartbeatsAndExpires() {
        let tester = held()
        let actions = [EventStreamMachineTests.heartbeat, .wait(until: .seconds(130))]
        #expect(tester.deadlinePassed(at: 115) == actions)
        #expect(tester.deadlinePassed(at: 200) == [.sendRetryAndClose])
        #expect(tester.code == .expired)
    }

    @Test func heldReaderLosesItsSubscriptionAndEnds() {
        #expect(held().subscriptionEnded(.server, isLast: false).count == 1)
        let tester = held()
        #expect(tester.end(.forceReconnect) == [.sendRetryAndClose])
        #expect(tester.resume() == nil)
    }

    // MARK: Ended

    @Test func endedStreamDoesNothingMore() {
        let tester = ended()
        #expect(tester.deadlinePassed(at: 999).isEmpty)
        #expect(!tester.hold(after: 1))
        #expect(tester.resume() == nil)
        #expect(tester.subscriptionEnded(.server, isLast: true).isEmpty)
        #expect(tester.end(.expired).isEmpty)
        #expect(tester.code == .shutdown, "the first code stays")
    }
}
