import Expectations
import HubTesting

@testable import Loops
@testable import Reactor

@Suite("The pace of a drain", .timeLimit(.minutes(10)))
struct DrainPlanTests {
    private static let start = MonotonicInstant(nanoseconds: 1_000_000)

    private static func connections(_ count: Int) -> [ConnectionID] {
        (0..<count).map { ConnectionID(index: UInt32($0), generation: 1) }
    }

    private static func plan(_ count: Int, spread: Duration) -> DrainPlan {
        DrainPlan(connections(count), spread: spread, now: start)
    }

    @Test func withoutSpreadAllAreDueAtOnce() {
        var plan = Self.plan(5000, spread: .zero)
        expectEqual(Array(plan.takeDue(now: Self.start)), Self.connections(5000))
        expectNil(plan.next)
        expect(plan.takeDue(now: Self.start).isEmpty)
    }

    @Test func manyAreSpreadEvenly() {
        var plan = Self.plan(20_000, spread: .seconds(10))
        var ended: [ConnectionID] = []
        for milliseconds in stride(from: 0, through: 10_000, by: 100) {
            let now = Self.start + .milliseconds(milliseconds)
            let due = plan.takeDue(now: now)
            expect((0...201).contains(due.count), "\(due.count) at \(milliseconds) ms")
            ended += due
            if let next = plan.next { expect(next > now) }
        }
        expectEqual(ended, Self.connections(20_000))
        expectNil(plan.next)
    }

    @Test func fewDoNotWaitForTheSpread() {
        var plan = Self.plan(100, spread: .seconds(60))
        expectEqual(plan.takeDue(now: Self.start).count, 1)
        expectEqual(plan.takeDue(now: Self.start + .milliseconds(50)).count, 50)
        expectEqual(plan.takeDue(now: Self.start + .milliseconds(99)).count, 49)
        expectNil(plan.next)
    }

    @Test func eachIsDueWhenItIsSaidToBe() {
        var plan = Self.plan(7, spread: .milliseconds(3))
        var now = Self.start
        var ended = 0
        while let next = plan.next, ended < 7 {
            now = max(now, next)
            let due = plan.takeDue(now: now)
            expect(!due.isEmpty, "a wake-up for nothing at \(now)")
            ended += due.count
        }
        expectEqual(ended, 7)
    }

    @Test func noneIsDueOfNone() {
        var plan = Self.plan(0, spread: .seconds(5))
        expect(plan.takeDue(now: Self.start).isEmpty)
        expectNil(plan.next)
    }
}
