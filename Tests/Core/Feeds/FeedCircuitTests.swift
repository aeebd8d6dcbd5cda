import Core
import Expectations

@Suite("Circuit breaker", .timeLimit(.minutes(10)))
struct FeedCircuitTests {
    private func opened() throws -> FeedMachine {
        var machine = FeedMachine.fixture()
        for _ in 0..<5 { try machine.fail(random: 0) }
        return machine
    }

    @Test func fourFailuresLeaveTheCircuitClosed() throws {
        var machine = FeedMachine.fixture()
        for _ in 0..<4 { try machine.fail() }
        expectEqual(machine.health.status, .failing)
    }

    @Test func fifthFailureOpensTheCircuitForAMinute() throws {
        var machine = FeedMachine.fixture()
        for _ in 0..<4 { try machine.fail() }
        let end = machine.nextAttempt + .seconds(1)
        let problem = try machine.fail(random: 0)
        expectEqual(problem.status, .open)
        expectEqual(problem.consecutiveFailures, 5)
        expectEqual(problem.nextAttempt, end + .seconds(60))
        expectNil(machine.start(now: end + .seconds(59)))
        expect(machine.start(now: end + .seconds(60)) != nil)
        expectEqual(machine.health.status, .open, "half-open while the probe is under way")
    }

    @Test func failedProbesDoubleTheDelayUpToAQuarterOfAnHour() throws {
        var machine = try opened()
        for seconds in [120, 240, 480, 900, 900] {
            let end = machine.nextAttempt + .seconds(1)
            let problem = try machine.fail(random: 0)
            expectEqual(problem.nextAttempt, end + .seconds(seconds))
            expectEqual(problem.status, .open)
        }
    }

    @Test func probeDelayIsSpreadUpwards() throws {
        var machine = try opened()
        let end = machine.nextAttempt + .seconds(1)
        let problem = try machine.fail(random: 0.5)
        expectEqual(problem.nextAttempt, end + .seconds(126))
    }

    @Test func probeThatSucceedsClosesTheCircuit() throws {
        var machine = try opened()
        machine.succeed()
        expectEqual(machine.health.status, .healthy)
        try machine.fail()
        expectEqual(machine.health.status, .failing)
        expectEqual(machine.health.consecutiveFailures, 1)
    }

    @Test func probeThatFindsNothingModifiedClosesTheCircuit() throws {
        var machine = FeedMachine.fixture(validators: FeedValidators(etag: "\"a\""))
        for _ in 0..<5 { try machine.fail(random: 0) }
        let now = machine.startWhenDue()
        _ = machine.finish(FeedResponse(status: 304), now: now, random: 0.5)
        expectEqual(machine.health.status, .healthy)
    }

    @Test func probeWhoseBodyIsRejectedKeepsTheCircuitOpen() throws {
        var machine = try opened()
        let now = machine.startWhenDue()
        _ = machine.finish(FeedResponse(status: 200), now: now, random: 0)
        expectEqual(machine.health.status, .open)
        let problem = machine.rejected("truncated", now: now, random: 0)
        expectEqual(problem.status, .open)
        expectEqual(problem.nextAttempt, now + .seconds(120))
    }

    @Test func openCircuitDoesNotAskMoreOftenForWhatWillNotChange() throws {
        let policy = FeedPolicy(interval: .seconds(1800))
        var machine = FeedMachine.fixture(policy: policy)
        for _ in 0..<7 {
            let start = machine.nextAttempt
            let problem = try machine.fail(FeedResponse(status: 404))
            expectEqual(problem.nextAttempt, start + .seconds(1800))
        }
        expectEqual(machine.health.status, .open)
    }
}

@Suite("A feed that the upstream refuses", .timeLimit(.minutes(10)))
struct FeedStopTests {
    private let policy = FeedPolicy(interval: .seconds(60), stopsOn: [401, 403])

    @Test(arguments: [401, 403])
    func firstRefusalStopsTheFeed(status: Int) throws {
        var machine = FeedMachine.fixture(policy: policy)
        let problem = try machine.fail(FeedResponse(status: status), random: 0)
        expectEqual(problem.status, .stopped)
        expectEqual(problem.nextAttempt, evening + .seconds(6 * 3600 + 1))
        expectEqual(machine.health.status, .stopped)
        expectEqual(machine.health.lastFailure?.reason, "status \(status)")
    }

    @Test func otherFailuresDoNotLeaveTheStoppedState() throws {
        var machine = FeedMachine.fixture(policy: policy)
        try machine.fail(FeedResponse(status: 403), random: 0)
        let end = machine.nextAttempt + .seconds(1)
        let problem = try machine.fail(FeedResponse(status: 500), random: 0)
        expectEqual(problem.status, .stopped)
        expectEqual(problem.nextAttempt, end + .seconds(6 * 3600))
    }

    @Test func successLeavesTheStoppedState() throws {
        var machine = FeedMachine.fixture(policy: policy)
        try machine.fail(FeedResponse(status: 403))
        machine.succeed()
        expectEqual(machine.health.status, .healthy)
    }

    @Test func refusalOfAProbeStopsTheFeed() throws {
        var machine = FeedMachine.fixture(policy: policy)
        for _ in 0..<5 { try machine.fail() }
        expectEqual(machine.health.status, .open)
        let problem = try machine.fail(FeedResponse(status: 401))
        expectEqual(problem.status, .stopped)
        expectEqual(problem.consecutiveFailures, 6)
    }
}
