import Expectations

@testable import Core

/// 2026-03-02T12:00:00Z
let sourceNoon = Timestamp(milliseconds: 1_772_452_800_000)
let sourceDay = 20_514

@Suite("Sources: admission, retries, breaker", .timeLimit(.minutes(10)))
struct SourceMachineTests {
    private static let failure = ProviderFailure.retryable(
        reason: "status 500",
        after: nil,
        isOverload: false
    )
    private static let overload = ProviderFailure.retryable(
        reason: "status 529",
        after: nil,
        isOverload: true
    )

    private var machine = SourceMachine(
        policy: SourcePolicy(concurrencyMax: 2),
        spent: DaySpending(day: sourceDay)
    )

    private mutating func go(_ now: Timestamp = sourceNoon) throws -> Reservation {
        guard case .go(let reservation, _) = machine.admit(tokens: 100, now: now) else {
            throw Refused(admission: machine.admit(tokens: 100, now: now))
        }
        return reservation
    }

    private struct Refused: Error {
        let admission: Admission
    }

    /// One whole attempt.
    private mutating func attempt(
        _ result: AttemptResult,
        number: Int = 1,
        now: Timestamp = sourceNoon,
        random: Double = 0
    ) throws -> SourceMachine.Next {
        let reservation = try go(now)
        return machine.finish(result, of: reservation, attempt: number, now: now, random: random)
    }

    private mutating func fail(
        _ failure: ProviderFailure = failure,
        now: Timestamp = sourceNoon
    ) throws {
        _ = try attempt(.failed(failure), now: now)
    }

    /// Five failures.
    private mutating func open(now: Timestamp = sourceNoon) throws {
        for _ in 0..<5 { try fail(now: now) }
        expectEqual(machine.status, .open(until: now + .seconds(60)))
    }

    private func later(_ wait: Duration, _ reason: String) -> Admission {
        .later(sourceNoon + wait, reason: reason)
    }

    // MARK: Concurrency

    @Test mutating func requestsUnderWayAreLimited() throws {
        let first = try go()
        _ = try go()
        expectEqual(machine.inFlight, 2)
        let admission = machine.admit(tokens: 1, now: sourceNoon)
        expectEqual(admission, later(.seconds(1), "2 requests are under way"))
        _ = machine.finish(.answered(nil), of: first, attempt: 1, now: sourceNoon, random: 0)
        _ = try go()
    }

    // MARK: Retries

    @Test(arguments: [
        (AttemptResult.answered(nil), SourceMachine.Next.done),
        (.answered(TokenUsage(inputTokens: 1, outputTokens: 1)), .done),
        (.unreachable, .retry(after: .milliseconds(500))),
        (.failed(failure), .retry(after: .milliseconds(500))),
        (.failed(overload), .giveUp(reason: "status 529")),
        (.notSent, .giveUp(reason: "not sent")),
        (.failed(.permanent(reason: "status 400")), .giveUp(reason: "status 400")),
        (.failed(.disabled(reason: "status 401")), .giveUp(reason: "status 401")),
    ])
    mutating func resultDecidesWhatFollows(result: AttemptResult, next: SourceMachine.Next) throws {
        try expectEqual(attempt(result), next)
        expectEqual(machine.inFlight, 0)
    }

    @Test mutating func backoffDoublesAndChanceShortensItByAQuarterAtMost() throws {
        machine = SourceMachine(
            policy: SourcePolicy(attemptsMax: 9),
            spent: DaySpending(day: sourceDay)
        )
        let waits: [Int64] = [500, 1000, 2000, 4000]
        for (index, wait) in waits.enumerated() {
            try expectEqual(
                attempt(.unreachable, number: index + 1, random: index == 1 ? 0.999 : 0),
                .retry(after: .milliseconds(index == 1 ? 750.25 : Double(wait)))
            )
        }
        _ = try attempt(.answered(nil))
        for number in 5...8 {
            _ = try attempt(.answered(nil))
            try expectEqual(attempt(.unreachable, number: number), .retry(after: .seconds(8)))
        }
    }

    @Test mutating func thirdAttemptIsTheLast() throws {
        try expectEqual(attempt(.unreachable, number: 2), .retry(after: .seconds(1)))
        try expectEqual(attempt(.unreachable, number: 3), .giveUp(reason: "unreachable"))
    }

    @Test mutating func waitThatTheProviderAsksForIsKept() throws {
        let failure = ProviderFailure.retryable(
            reason: "status 429",
            after: .seconds(17),
            isOverload: false
        )
        try expectEqual(attempt(.failed(failure), random: 0.9), .retry(after: .seconds(17)))
    }

    @Test mutating func shortWaitOfTheProviderDoesNotShortenTheBackoff() throws {
        let failure = ProviderFailure.retryable(reason: "r", after: .zero, isOverload: false)
        try expectEqual(attempt(.failed(failure)), .retry(after: .milliseconds(500)))
    }

    @Test(arguments: [(60, true), (61, false)])
    mutating func nobodyWaitsLongForARetry(seconds: Int, isRetried: Bool) throws {
        let after = Duration.seconds(seconds)
        let failure = ProviderFailure.retryable(reason: "r", after: after, isOverload: false)
        try expectEqual(
            attempt(.failed(failure)),
            (isRetried ? .retry(after: after) : .giveUp(reason: "r"))
        )
    }

    @Test mutating func waitHoldsUpTheWholeSource() throws {
        let other = try go()
        try fail(.retryable(reason: "r", after: .seconds(17), isOverload: false))
        let reason = "the provider asks for a pause"
        expectEqual(machine.admit(tokens: 1, now: sourceNoon), later(.seconds(17), reason))
        let shorter = ProviderFailure.retryable(reason: "r", after: .seconds(2), isOverload: false)
        _ = machine.finish(.failed(shorter), of: other, attempt: 1, now: sourceNoon, random: 0)
        expectEqual(
            machine.admit(tokens: 1, now: sourceNoon + .milliseconds(16_999)),
            later(.seconds(17), reason)
        )
        _ = try go(sourceNoon + .seconds(17))
    }

    @Test mutating func waitEndsWhenTheClockIsSetBack() throws {
        try fail(.retryable(reason: "r", after: .seconds(3600), isOverload: false))
        _ = try go(sourceNoon - .seconds(7200))
    }

    // MARK: Breaker

    @Test mutating func fifthFailureInARowOpensTheBreaker() throws {
        for _ in 0..<4 { try fail() }
        expectEqual(machine.status, .ready)
        _ = try attempt(.answered(nil))
        for _ in 0..<4 { try fail() }
        expectEqual(machine.status, .ready, "an answer begins the count anew")
        try expectEqual(attempt(.unreachable), .giveUp(reason: "unreachable"))
        expectEqual(machine.status, .open(until: sourceNoon + .seconds(60)))
        expectEqual(machine.admit(tokens: 1, now: sourceNoon), later(.seconds(60), "failing"))
    }

    @Test mutating func requestsThatAreAtFaultCountToo() throws {
        for _ in 0..<5 { try fail(.permanent(reason: "status 400")) }
        expectEqual(machine.status, .open(until: sourceNoon + .seconds(60)))
    }

    @Test mutating func oneOverloadOpensTheBreaker() throws {
        try fail(Self.overload)
        expectEqual(machine.status, .open(until: sourceNoon + .seconds(60)))
    }

    @Test mutating func oneProbeGoesAtATime() throws {
        try open()
        let due = sourceNoon + .seconds(60)
        expectEqual(
            machine.admit(tokens: 1, now: due - .milliseconds(1)),
            later(.seconds(60), "failing")
        )
        let probe = try go(due)
        expectEqual(machine.status, .probing)
        expectEqual(machine.admit(tokens: 1, now: due), later(.seconds(61), "probing"))
        _ = machine.finish(.answered(nil), of: probe, attempt: 1, now: due, random: 0)
        expectEqual(machine.status, .ready)
        _ = try go(due)
    }

    @Test mutating func probesThatFailAreTwiceAsFarApartUpToAQuarterOfAnHour() throws {
        try open()
        var now = sourceNoon + .seconds(60)
        for wait in [120, 240, 480, 900, 900] {
            try expectEqual(attempt(.unreachable, now: now), .giveUp(reason: "unreachable"))
            expectEqual(machine.status, .open(until: now + .seconds(wait)))
            now = now + .seconds(wait)
        }
        _ = try attempt(.answered(nil), now: now)
        try open(now: now)
    }

    @Test mutating func failureOfAnEarlierRequestDoesNotMoveTheProbe() throws {
        let early = try go()
        try open()
        let now = sourceNoon + .seconds(30)
        _ = machine.finish(.unreachable, of: early, attempt: 1, now: now, random: 0)
        expectEqual(machine.status, .open(until: sourceNoon + .seconds(60)))
    }

    @Test mutating func answerToAnEarlierRequestClosesTheBreaker() throws {
        let early = try go()
        try open()
        _ = machine.finish(.answered(nil), of: early, attempt: 1, now: sourceNoon, random: 0)
        expectEqual(machine.status, .ready)
    }

    @Test mutating func probeComesNoLaterWhenTheClockIsSetBack() throws {
        try open()
        let back = sourceNoon - .seconds(7200)
        expectEqual(
            machine.admit(tokens: 1, now: back),
            .later(back + .seconds(60), reason: "failing")
        )
        _ = try go(back + .seconds(60))
    }

    @Test mutating func requestThatWasNotSentSaysNothingOfTheSource() throws {
        for _ in 0..<9 { _ = try attempt(.notSent) }
        expectEqual(machine.status, .ready)
        try open()
        let due = sourceNoon + .seconds(60)
        _ = try attempt(.notSent, now: due)
        expectEqual(machine.status, .open(until: due), "another may be the probe")
        _ = try attempt(.unreachable, now: due)
        expectEqual(machine.status, .open(until: due + .seconds(120)))
    }

    // MARK: Disabled

    @Test mutating func disabledSourceIsNotAskedUntilItIsEnabled() throws {
        let early = try go()
        try fail(.disabled(reason: "status 401"))
        let tomorrow = sourceNoon + .seconds(86_400)
        expectEqual(machine.admit(tokens: 1, now: tomorrow), .never(reason: "status 401"))
        _ = machine.finish(.answered(nil), of: early, attempt: 1, now: sourceNoon, random: 0)
        expectEqual(machine.status, .disabled(reason: "status 401"), "an earlier answer is no act")
        machine.enable()
        expectEqual(machine.status, .ready)
        _ = try go()
    }

    @Test mutating func disabledSourceStaysSoWhateverElseFails() throws {
        let early = try go()
        try fail(.disabled(reason: "status 401"))
        expectEqual(
            machine.finish(.unreachable, of: early, attempt: 1, now: sourceNoon, random: 0),
            .giveUp(reason: "unreachable")
        )
        expectEqual(machine.status, .disabled(reason: "status 401"))
    }

    @Test mutating func probeCanDisable() throws {
        try open()
        let due = sourceNoon + .seconds(60)
        try fail(.disabled(reason: "status 404"), now: due)
        expectEqual(machine.status, .disabled(reason: "status 404"))
    }

    @Test mutating func enablingClosesNoBreaker() throws {
        try open()
        machine.enable()
        expectEqual(machine.status, .open(until: sourceNoon + .seconds(60)))
    }
}
