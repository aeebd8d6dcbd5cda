import Expectations

@testable import Loops
@testable import Reactor

@Suite("Loop: its end", .timeLimit(.minutes(10)))
struct EndingTests {
    private let start = MonotonicInstant(nanoseconds: 1_000_000_000)
    private let connections = (0..<3).map { ConnectionID(index: UInt32($0), generation: 1) }

    @Test func nothingIsDueBeforeItBegins() {
        var ending = Ending()
        let due = ending.takeDue(now: start)
        expectEqual(due, [])
        expect(!ending.hasBegun)
        expectNil(ending.nextDeadline)
    }

    @Test func connectionsAreDueInTheirOrder() {
        var ending = Ending()
        ending.begin(connections, spread: .milliseconds(3), now: start)
        expect(ending.hasBegun)
        let due = (0..<3).map { ending.takeDue(now: start + .milliseconds($0)) }
        expectEqual(due, connections.map { [$0] })
        expectNil(ending.nextDeadline)
    }

    @Test func waiterIsResumedOnceWhenNoConnectionIsLeft() async {
        var ending = Ending()
        await withCheckedContinuation { waiter in
            ending.wait(waiter)
            let early = ending.takeWaiter(connectionCount: 0)
            expectNil(early, "it has not begun")
            ending.begin(connections, spread: .zero, now: start)
            for count in [3, 1] {
                let left = ending.takeWaiter(connectionCount: count)
                expectNil(left)
            }
            ending.takeWaiter(connectionCount: 0)?.resume()
        }
        let again = ending.takeWaiter(connectionCount: 0)
        expectNil(again)
    }
}
