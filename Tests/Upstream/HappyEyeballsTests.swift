import Expectations
import Reactor
import SeededRandom
import Upstream

@Suite("RFC 8305 §5 connection attempts", .timeLimit(.minutes(10)))
struct HappyEyeballsTests {
    private func at(_ milliseconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: 1_000_000_000 + milliseconds * 1_000_000)
    }

    @Test func delayIsThatOfTheStandard() {
        expectEqual(HappyEyeballs.attemptDelay, .milliseconds(250))
    }

    @Test func withoutAddressesItFails() {
        var race = HappyEyeballs(addressCount: 0)
        expectEqual(race.next(now: at(0)), .failed)
        expectEqual(race.next(now: at(1000)), .failed)
    }

    @Test func singleAddressIsTriedOnce() {
        var race = HappyEyeballs(addressCount: 1)
        expectEqual(race.next(now: at(0)), .connect(0))
        expectEqual(race.next(now: at(0)), .wait(until: nil))
        expectEqual(race.next(now: at(10_000)), .wait(until: nil))
        race.attemptFailed()
        expectEqual(race.next(now: at(10_000)), .failed)
        expectEqual(race.next(now: at(10_000)), .failed)
    }

    @Test func nextAddressIsTriedAfterTheDelay() {
        var race = HappyEyeballs(addressCount: 3)
        expectEqual(race.next(now: at(0)), .connect(0))
        expectEqual(race.next(now: at(0)), .wait(until: at(250)))
        expectEqual(race.next(now: at(249)), .wait(until: at(250)))
        expectEqual(race.next(now: at(250)), .connect(1))
        expectEqual(race.next(now: at(250)), .wait(until: at(500)))
        // A late call: the delay runs from there, and only one address is tried.
        expectEqual(race.next(now: at(2000)), .connect(2))
        expectEqual(race.next(now: at(2000)), .wait(until: nil))
        expectEqual(race.next(now: at(9000)), .wait(until: nil))
    }

    @Test func lateCallStartsOneAddress() {
        var race = HappyEyeballs(addressCount: 4)
        expectEqual(race.next(now: at(0)), .connect(0))
        expectEqual(race.next(now: at(5000)), .connect(1))
        expectEqual(race.next(now: at(5000)), .wait(until: at(5250)))
    }

    @Test func failureStartsTheNextAddressAtOnce() {
        var race = HappyEyeballs(addressCount: 4)
        expectEqual(race.next(now: at(0)), .connect(0))
        expectEqual(race.next(now: at(0)), .wait(until: at(250)))
        race.attemptFailed()
        expectEqual(race.next(now: at(10)), .connect(1))
        expectEqual(race.next(now: at(10)), .wait(until: at(260)), "the delay starts again")
        expectEqual(race.next(now: at(260)), .connect(2))
        // An earlier attempt fails while a later one goes on.
        race.attemptFailed()
        expectEqual(race.next(now: at(300)), .connect(3))
        expectEqual(race.next(now: at(300)), .wait(until: nil))
        race.attemptFailed()
        expectEqual(race.next(now: at(301)), .wait(until: nil), "one is pending")
        race.attemptFailed()
        expectEqual(race.next(now: at(302)), .failed)
    }

    @Test func failureBeforeTheFirstWaitCounts() {
        var race = HappyEyeballs(addressCount: 2)
        expectEqual(race.next(now: at(0)), .connect(0))
        race.attemptFailed()
        expectEqual(race.next(now: at(0)), .connect(1))
        race.attemptFailed()
        expectEqual(race.next(now: at(0)), .failed)
    }

    @Test func failuresTogetherStartOneAddress() {
        var race = HappyEyeballs(addressCount: 4)
        expectEqual(race.next(now: at(0)), .connect(0))
        expectEqual(race.next(now: at(250)), .connect(1))
        race.attemptFailed()
        race.attemptFailed()
        expectEqual(race.next(now: at(300)), .connect(2))
        expectEqual(race.next(now: at(300)), .wait(until: at(550)))
    }

    @Test func failureWithNothingToStartWaitsForTheOthers() {
        var race = HappyEyeballs(addressCount: 2)
        expectEqual(race.next(now: at(0)), .connect(0))
        expectEqual(race.next(now: at(250)), .connect(1))
        race.attemptFailed()
        expectEqual(race.next(now: at(300)), .wait(until: nil))
    }

    @Test(arguments: UInt64(0)..<500)
    func everyRaceKeepsTheRules(_ seed: UInt64) {
        var simulation = RaceSimulation(seed: seed)
        simulation.run()
        expect(simulation.violations.isEmpty, "seed \(seed)")
    }
}

/// Attempts that succeed, fail or hang after random times, and a caller that is late or calls too often.
private struct RaceSimulation {
    private enum Outcome {
        case success
        case failure
        case hanging
    }

    private(set) var violations: [String] = []
    private var generator: SeededGenerator
    private let outcomes: [Outcome]
    /// Milliseconds from the start of each attempt.
    private let durations: [Int64]

    private var race: HappyEyeballs
    private var now: Int64 = 0
    /// When which attempt ends.
    private var pending: [(index: Int, end: Int64)] = []
    private var startedCount = 0
    private var failedCount = 0
    private var lastStart: Int64?
    private var hasFailedSinceStart = false
    private var wakeUp: Int64?
    private var isOver = false

    init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let count = Int.random(in: 0...8, using: &generator)
        let successes = Int.random(in: 0...2, using: &generator)
        outcomes = (0..<count).map { _ in
            switch Int.random(in: 0..<8, using: &generator) {
            case 0..<successes: .success
            case 7: .hanging
            default: .failure
            }
        }
        durations = (0..<count).map { _ in
            Bool.random(using: &generator)
                ? Int64.random(in: 0...20, using: &generator)
                : Int64.random(in: 200...2000, using: &generator)
        }
        race = HappyEyeballs(addressCount: count)
        self.generator = generator
    }

    mutating func run() {
        drain()
        while !isOver {
            let times = pending.map(\.end) + (wakeUp.map { [$0] } ?? [])
            guard let time = times.min() else {
                return check(pendingHangs, "nothing to wait for")
            }
            guard time < .max else { return check(startedCount == outcomes.count, "gave up") }
            now = max(now, time)
            if Int.random(in: 0..<4, using: &generator) == 0 {
                now += Int64.random(in: 0...600, using: &generator)
            }
            for attempt in pending where attempt.end <= now {
                pending.removeAll { $0.index == attempt.index }
                if outcomes[attempt.index] == .success { return }
                failedCount += 1
                hasFailedSinceStart = true
                race.attemptFailed()
                if Bool.random(using: &generator) { drain() }
            }
            drain()
        }
    }

    private var pendingHangs: Bool { pending.contains { outcomes[$0.index] == .hanging } }

    /// Calls until there is nothing to do, and at times once more.
    private mutating func drain() {
        while take(race.next(now: instant(now))) {}
        if Bool.random(using: &generator) {
            check(!take(race.next(now: instant(now))), "something to do after all")
        }
    }

    /// Whether to call again.
    private mutating func take(_ step: HappyEyeballs.Step) -> Bool {
        let hasMore = startedCount < outcomes.count
        switch step {
        case .connect(let index):
            check(index == startedCount, "address \(index) after \(startedCount)")
            check(hasMore, "more starts than addresses")
            let isDue = lastStart.map { now >= $0 + 250 } ?? true
            check(isDue || hasFailedSinceStart, "a start too early")
            guard hasMore else { return false }
            startedCount += 1
            lastStart = now
            hasFailedSinceStart = false
            let isHanging = outcomes[index] == .hanging
            pending.append((index, isHanging ? .max : now + durations[index]))
            return true
        case .wait(let until):
            check(!hasFailedSinceStart || !hasMore, "waits after a failure")
            check(failedCount < startedCount, "waits for nothing")
            check((until == nil) == !hasMore, "waits without an end")
            let due = lastStart.map { $0 + 250 }
            check(until == nil || until == due.map(instant), "waits until another time")
            check(until == nil || until! > instant(now), "waits for the past")
            wakeUp = hasMore ? due : nil
            return false
        case .failed:
            check(failedCount == outcomes.count, "failed with \(failedCount) failures")
            check(pending.isEmpty, "failed while one is pending")
            isOver = true
            return false
        }
    }

    private func instant(_ milliseconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: milliseconds * 1_000_000)
    }

    private mutating func check(_ condition: Bool, _ violation: String) {
        if !condition { violations.append("\(violation) at \(now)") }
    }
}

@Suite("RFC 8305 §4 sorting addresses", .timeLimit(.minutes(10)))
struct AddressOrderTests {
    @Test(arguments: [
        ([], []), ([4], [4]), ([6], [6]), ([61, 62], [61, 62]), ([41, 42, 43], [41, 42, 43]),
        ([61, 41], [61, 41]), ([41, 61], [41, 61]),
        ([61, 62, 63, 41, 42], [61, 41, 62, 42, 63]), ([61, 41, 42, 43], [61, 41, 42, 43]),
        ([41, 42, 61, 62], [41, 61, 42, 62]), ([41, 61, 62, 63, 64], [41, 61, 62, 63, 64]),
        ([61, 62, 41, 63, 42, 64], [61, 41, 62, 42, 63, 64]),
        ([62, 61, 42, 41], [62, 42, 61, 41]),
    ])
    func familiesTakeTurns(_ addresses: [Int], _ expected: [Int]) {
        expectEqual(HappyEyeballs.interleaved(addresses) { $0 >= 60 || $0 == 6 }, expected)
    }

    @Test(arguments: UInt64(0)..<50)
    func orderWithinAFamilyStays(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let isIPv6 = { (address: Int) in address % 2 == 0 }
        let count = Int.random(in: 1...20, using: &generator)
        let addresses = (0..<count).map { _ in Int.random(in: 0...9, using: &generator) }
        let result = HappyEyeballs.interleaved(addresses, isIPv6: isIPv6)
        expectEqual(result.filter(isIPv6), addresses.filter(isIPv6), "seed \(seed)")
        expectEqual(result.filter { !isIPv6($0) }, addresses.filter { !isIPv6($0) }, "seed \(seed)")
        expectEqual(result.count, count)
        expectEqual(isIPv6(result[0]), isIPv6(addresses[0]))
        let rarer = min(addresses.count(where: isIPv6), addresses.count { !isIPv6($0) })
        let turns = result.prefix(2 * rarer).map(isIPv6)
        expect(zip(turns, turns.dropFirst()).allSatisfy { $0 != $1 }, "seed \(seed)")
    }
}
