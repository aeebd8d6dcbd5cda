import Core
import Expectations
import SeededRandom

/// Runs a feed against an upstream that does anything, and checks what must always hold.
@Suite("Feed simulation", .timeLimit(.minutes(10)))
struct FeedSimulationTests {
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func feedStaysPoliteWhateverTheUpstreamDoes(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let policy = FeedPolicy(interval: .seconds(60), honoursExpires: true, stopsOn: [403])
        var machine = FeedMachine.fixture(policy: policy)
        var now = evening
        var lastStart: Timestamp?
        for step in 0..<2000 {
            let context: Comment = "seed \(seed), step \(step)"
            now = max(now, machine.nextAttempt)
            if let notBefore = machine.validators.notBefore {
                expect(now >= notBefore, context)
            }
            if machine.health.status == .healthy, let lastStart {
                expect(now - lastStart >= .seconds(54), context)
            }
            expect(machine.start(now: now) != nil, context)
            expectNil(machine.start(now: now), context)
            lastStart = now
            now = now + .milliseconds(Int64.random(in: 0...20_000, using: &generator))
            act(&machine, now: now, using: &generator)
            let wait = machine.nextAttempt - now
            expect((.zero...Duration.seconds(86_400 + 6)).contains(wait), context)
            let health = machine.health
            expectEqual((health.status == .healthy), (health.consecutiveFailures == 0), context)
            expect(health.status != .failing || health.consecutiveFailures < 5, context)
        }
    }

    private func act(
        _ machine: inout FeedMachine,
        now: Timestamp,
        using generator: inout SeededGenerator
    ) {
        let random = Double.random(in: 0..<1, using: &generator)
        let statuses = [200, 200, 200, 203, 304, 304, 302, 403, 404, 429, 500, 503]
        let response = FeedResponse(
            status: statuses.randomElement(using: &generator)!,
            etag: Bool.random(using: &generator) ? "\"e\"" : nil,
            cacheControl: Bool.random(using: &generator) ? "max-age=90" : nil,
            retryAfter: Bool.random(using: &generator) ? "300" : nil
        )
        if Int.random(in: 0..<8, using: &generator) == 0 {
            _ = machine.finish(.timedOut(after: .seconds(20)), now: now, random: random)
        } else if case .body = machine.finish(response, now: now, random: random) {
            if Bool.random(using: &generator) {
                machine.accepted(now: now, random: random)
            } else {
                _ = machine.rejected("truncated", now: now, random: random)
            }
        }
    }
}
