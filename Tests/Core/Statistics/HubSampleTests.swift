import Expectations

@testable import Core

@Suite("Statistics: samples", .timeLimit(.minutes(10)))
struct HubSampleTests {
    private let time = Timestamp(iso8601: "2026-11-28T01:02:03.004Z")!

    private func sample(
        from before: HubTotals = HubTotals(),
        to now: HubTotals,
        longestTurn: Duration? = nil
    ) -> HubSample {
        HubSample(from: before, to: now, longestTurn: longestTurn, time: time)
    }

    @Test func countsAreThoseOfTheInterval() {
        var before = HubTotals()
        before.counts.publications = 10
        before.counts.deliveries = 20
        before.counts.received = 30
        before.counts.sent = 40
        before.counts.dropped = 50
        before.counts.cpu = .milliseconds(60)
        var now = before
        now.counts.publications += 1
        now.counts.deliveries += 2
        now.counts.received += 3
        now.counts.sent += 4
        now.counts.dropped += 5
        now.counts.cpu += .milliseconds(6)
        let counts = sample(from: before, to: now).counts
        expectEqual(counts.publications, 1)
        expectEqual(counts.deliveries, 2)
        expectEqual(counts.received, 3)
        expectEqual(counts.sent, 4)
        expectEqual(counts.dropped, 5)
        expectEqual(counts.cpu, .milliseconds(6))
        expectEqual(sample(from: now, to: now).counts, HubCounts())
    }

    @Test func counterBelowItsEarlierValueHasBegunAgain() {
        var before = HubTotals()
        before.counts.sent = 100
        before.counts.received = 5
        before.counts.cpu = .seconds(9)
        before.write.add(.microseconds(8))
        before.write.add(.microseconds(8))
        var now = HubTotals()
        now.counts.sent = 99
        now.counts.received = 6
        now.counts.cpu = .seconds(2)
        now.write.add(.microseconds(8))
        let sample = sample(from: before, to: now)
        expectEqual(sample.counts.sent, 99)
        expectEqual(sample.counts.received, 1)
        expectEqual(sample.counts.cpu, .seconds(2))
        expectEqual(sample.write.counts.first, 1)
    }

    @Test func boundsAreDoublingsOfEightMicroseconds() {
        expectEqual(TimeCounts.bounds.count, 22)
        expectEqual(TimeCounts.bounds.first, 8e-6)
        expectEqual(TimeCounts.bounds.last, 16.777216)
        for (bound, next) in zip(TimeCounts.bounds, TimeCounts.bounds.dropFirst()) {
            expectEqual(next, 2 * bound)
        }
    }

    @Test(arguments: [
        (0, 0), (8_000, 0), (8_001, 1), (16_777_216_000, 21), (16_777_216_001, 22),
        (60_000_000_000, 22), (900_000_000_000, 22),
    ])
    func timeIsCountedBelowItsBound(nanoseconds: Int, bucket: Int) {
        let before = HubTotals()
        var now = before
        now.ping.add(.nanoseconds(nanoseconds))
        let counts = sample(from: before, to: now).ping.counts
        expectEqual(counts.count, 23)
        expectEqual(counts.firstIndex(of: 1), bucket)
        expectEqual(counts.reduce(0, +), 1)
    }

    @Test func formHasAllFieldsAndOnlyTheTimesThatThereWere() {
        var now = HubTotals()
        now.states.connections = 1
        now.states.subscriptions = 2
        now.states.topics = 3
        now.states.slow = 4
        now.states.webhooksPending = 5
        now.states.memory = 6
        now.counts.publications = 7
        now.counts.deliveries = 8
        now.counts.received = 9
        now.counts.sent = 10
        now.counts.dropped = 11
        now.counts.cpu = .milliseconds(250)
        now.commit.add(.microseconds(9))
        let json = String(
            decoding: sample(to: now, longestTurn: .milliseconds(5)).json,
            as: UTF8.self
        )
        let commit = "[0,1" + String(repeating: ",0", count: 21) + "]"
        expectEqual(
            json,
            #"{"time":"2026-11-28T01:02:03.004Z","connections":1,"subscriptions":2,"#
                + #""topics":3,"publications":7,"deliveries":8,"received":9,"sent":10,"#
                + #""dropped":11,"slow":4,"loop_lag":0.005,"webhooks_pending":5,"memory":6,"#
                + #""cpu":0.25,"commit":\#(commit)}"#
        )
    }

    @Test func lagOfAnIntervalWithoutATurnIsNull() {
        let json = String(decoding: sample(to: HubTotals()).json, as: UTF8.self)
        expect(json.contains(#""loop_lag":null"#))
        expect(!json.contains("["))
    }
}
