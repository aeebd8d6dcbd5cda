import Base
import Expectations

@Suite("Independent steps", .timeLimit(.minutes(10)))
struct IndependentStepsTests {
    private struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    @Test func stepsBehindAFailureRun() async throws {
        var steps = IndependentSteps()
        var ran: [Int] = []
        await steps.run("first") { ran.append(1) }
        await steps.run("second") { throw Failed(description: "disk full") }
        await steps.run("third") { ran.append(3) }
        expectEqual(ran, [1, 3])
        let error = #expect(throws: StepFailures.self) { try steps.end() }
        expectEqual(error?.failures.map(\.step), ["second"])
        expectEqual(error?.description, "second: disk full")
    }

    @Test func failuresOfInnerStepsHaveBothNames() async throws {
        var steps = IndependentSteps()
        await steps.run("radar") {
            var inner = IndependentSteps()
            await inner.run("opinions") { throw Failed(description: "a") }
            await inner.run("answers") { throw Failed(description: "b") }
            try inner.end()
        }
        let error = #expect(throws: StepFailures.self) { try steps.end() }
        expectEqual(error?.failures.map(\.step), ["radar.opinions", "radar.answers"])
    }

    @Test func cancellationEndsTheSteps() async throws {
        var steps = IndependentSteps()
        await steps.run("first") { throw CancellationError() }
        await steps.run("second") { Issue.record("a step ran after the cancellation") }
        #expect(throws: CancellationError.self) { try steps.end() }
    }

    @Test func stepsWithoutAFailureEndWithoutAnError() async throws {
        var steps = IndependentSteps()
        await steps.run("first") {}
        try steps.end()
    }
}
