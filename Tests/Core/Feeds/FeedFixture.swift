import Core
import Expectations

extension FeedMachine {
    /// A feed that is due at `evening`.
    static func fixture(
        policy: FeedPolicy = FeedPolicy(interval: .seconds(60)),
        validators: FeedValidators = FeedValidators()
    ) -> FeedMachine {
        FeedMachine(
            name: "swpc.ovation",
            policy: policy,
            validators: validators,
            now: evening,
            random: 0
        )
    }

    /// Starts when the next attempt is due and returns that instant.
    mutating func startWhenDue() -> Timestamp {
        let now = nextAttempt
        let headers = start(now: now)
        expect(headers != nil, "due, but not started")
        return now
    }

    /// One attempt that fails one second after its start.
    @discardableResult
    mutating func fail(
        _ response: FeedResponse = FeedResponse(status: 500),
        random: Double = 0.5
    ) throws -> FeedProblem {
        let end = startWhenDue() + .seconds(1)
        return try finish(response, now: end, random: random).requireProblem()
    }

    /// One attempt whose body is accepted one second after its start.
    mutating func succeed(
        _ response: FeedResponse = FeedResponse(status: 200),
        random: Double = 0.5
    ) {
        let end = startWhenDue() + .seconds(1)
        _ = finish(response, now: end, random: random)
        accepted(now: end, random: random)
    }
}

extension FeedOutcome {
    func requireProblem() throws -> FeedProblem {
        guard case .failed(let problem) = self else { throw NotAFailure(outcome: self) }
        return problem
    }
}

struct NotAFailure: Error {
    var outcome: FeedOutcome
}
