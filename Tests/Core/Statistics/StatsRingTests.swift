import Expectations

@testable import Core

@Suite("Statistics: seconds and minutes", .timeLimit(.minutes(10)))
struct StatsRingTests {
    /// A hub whose totals a test changes, and the ring that sees them.
    private struct Hub {
        var totals = HubTotals()
        var now = Duration.seconds(1000)
        var ring: StatsRing

        init() { ring = StatsRing(totals, now: now) }

        var time: Timestamp { Timestamp(milliseconds: 0) + now }

        /// Lets time pass, publishes once, and takes totals.
        @discardableResult
        mutating func pass(_ duration: Duration, isWatched: Bool) -> HubSample? {
            now += duration
            totals.counts.publications += 1
            return ring.take(totals, time: time, now: now, isWatched: isWatched)
        }

        func samples(_ span: StatsRing.Span) -> [HubSample] { ring.samples(span, time: time) }

        func next(isWatched: Bool) -> Duration { ring.next(now: now, isWatched: isWatched) - now }
    }

    private func made(_ sample: HubSample?) throws -> HubSample { try require(sample) }

    // MARK: Seconds

    @Test func firstTotalsOfWatchedHubAreDueAtOnceAndMakeNoSample() {
        var hub = Hub()
        expectEqual(hub.next(isWatched: true), .zero)
        let sample = hub.pass(.milliseconds(300), isWatched: true)
        expectNil(sample)
        expectEqual(hub.next(isWatched: true), .seconds(1))
        expect(hub.samples(.hour).isEmpty)
    }

    @Test func watchedHubHasASampleOfEachSecond() throws {
        var hub = Hub()
        hub.pass(.zero, isWatched: true)
        hub.totals.states.connections = 3
        let sample = try made(hub.pass(.seconds(1), isWatched: true))
        expectEqual(sample.time, hub.time)
        expectEqual(sample.states.connections, 3)
        expectEqual(sample.counts.publications, 1)
        hub.pass(.seconds(1), isWatched: true)
        expectEqual(hub.samples(.hour).map(\.time), [sample.time, hub.time])
    }

    @Test(arguments: [(Duration.milliseconds(999), false), (.seconds(1), true)])
    func sampleIsMadeWhenItIsDue(elapsed: Duration, isMade: Bool) {
        var hub = Hub()
        hub.pass(.zero, isWatched: true)
        let sample = hub.pass(elapsed, isWatched: true)
        expectEqual((sample != nil), isMade)
    }

    @Test func slightlyLateSampleDoesNotDelayTheNext() {
        var hub = Hub()
        hub.pass(.zero, isWatched: true)
        hub.pass(.milliseconds(1400), isWatched: true)
        expectEqual(hub.next(isWatched: true), .milliseconds(600))
    }

    @Test func sampleAfterAHangCoversItAndNoOtherReplacesTheMissingOnes() throws {
        var hub = Hub()
        hub.pass(.zero, isWatched: true)
        hub.totals.counts.publications += 6
        let sample = try made(hub.pass(.seconds(5), isWatched: true))
        expectEqual(sample.counts.publications, 7)
        expectEqual(hub.next(isWatched: true), .seconds(1))
        expectEqual(hub.samples(.hour).count, 1)
    }

    @Test func unwatchedHubHasNoSamplesOfSeconds() {
        var hub = Hub()
        for _ in 0..<10 {
            let sample = hub.pass(.seconds(1), isWatched: false)
            expectNil(sample)
        }
        expect(hub.samples(.hour).isEmpty)
    }

    @Test func noSampleCoversTheTimeInWhichNobodyWatched() throws {
        var hub = Hub()
        hub.pass(.zero, isWatched: true)
        hub.pass(.seconds(1), isWatched: true)
        hub.pass(.seconds(1), isWatched: false)
        hub.totals.counts.publications += 100
        hub.pass(.seconds(30), isWatched: true)
        expectEqual(hub.samples(.hour).count, 1, "the earlier sample stays")
        let sample = try made(hub.pass(.seconds(1), isWatched: true))
        expectEqual(sample.counts.publications, 1)
    }

    @Test func hourHasAtMost3600Samples() {
        var hub = Hub()
        hub.pass(.zero, isWatched: true)
        // Quicker than the clock that dates them, so that age removes none.
        for _ in 0..<3601 {
            hub.now += .seconds(1)
            _ = hub.ring.take(hub.totals, time: hub.time, now: hub.now, isWatched: true)
        }
        let samples = hub.ring.samples(.hour, time: hub.time - .seconds(60))
        expectEqual(samples.count, 3600)
        expectEqual(samples.last?.time, hub.time)
    }

    @Test func samplesOlderThanAnHourAreLeftOut() {
        var hub = Hub()
        hub.pass(.zero, isWatched: true)
        hub.pass(.seconds(1), isWatched: true)
        hub.now += .seconds(3599)
        expectEqual(hub.samples(.hour).count, 1)
        hub.now += .seconds(1)
        expect(hub.samples(.hour).isEmpty)
    }

    // MARK: Minutes

    @Test func unwatchedHubHasASampleOfEachMinute() throws {
        var hub = Hub()
        expectEqual(hub.next(isWatched: false), .seconds(60))
        hub.pass(.seconds(60), isWatched: false)
        expectEqual(hub.next(isWatched: false), .seconds(60))
        hub.pass(.seconds(60), isWatched: false)
        expectEqual(hub.samples(.day).map(\.counts.publications), [1, 1])
    }

    @Test func minuteOfAWatchedHubEndsWithASecond() {
        var hub = Hub()
        hub.pass(.milliseconds(500), isWatched: true)
        for _ in 0..<59 { hub.pass(.seconds(1), isWatched: true) }
        expect(hub.samples(.day).isEmpty)
        hub.pass(.seconds(1), isWatched: true)
        expectEqual(hub.samples(.day).map(\.counts.publications), [61])
        expectEqual(hub.samples(.hour).count, 60)
        // In step with the start.
        expectEqual(hub.next(isWatched: false), .milliseconds(59_500))
    }

    @Test func dayHasAtMost1440Samples() {
        var hub = Hub()
        for _ in 0..<1441 { hub.pass(.seconds(60), isWatched: false) }
        expectEqual(hub.ring.samples(.day, time: hub.time - .seconds(600)).count, 1440)
    }

    @Test func minuteHasTheLongestTurnOfAllItsTotals() throws {
        var hub = Hub()
        hub.totals.longestTurn = .milliseconds(2)
        hub.pass(.zero, isWatched: true)
        hub.totals.longestTurn = .milliseconds(7)
        let first = try made(hub.pass(.seconds(1), isWatched: true))
        hub.totals.longestTurn = .milliseconds(3)
        let second = try made(hub.pass(.seconds(1), isWatched: true))
        hub.totals.longestTurn = nil
        let third = try made(hub.pass(.seconds(58), isWatched: true))
        expectEqual(first.longestTurn, .milliseconds(7))
        expectEqual(second.longestTurn, .milliseconds(3))
        expectNil(third.longestTurn)
        expectEqual(hub.samples(.day).map(\.longestTurn), [.milliseconds(7)])
    }
}
