import Expectations

@testable import Loops
@testable import Reactor

@Suite("ReadingWatch: slow peers and dead ones", .timeLimit(.minutes(10)))
struct ReadingWatchTests {
    private func instant(_ seconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: seconds * 1_000_000_000)
    }

    private func reading(_ place: UInt64, waiting: Int) -> PeerReading {
        PeerReading(place: place, waitingBytes: waiting)
    }

    private func late(
        _ watch: inout ReadingWatch,
        _ reading: PeerReading,
        at seconds: Int64
    ) -> ReadingWatch.Verdict {
        watch.answerIsLate(reading, now: instant(seconds), stallTimeout: .seconds(10))
    }

    @Test func peerThatHasReceivedThePingAndDoesNotAnswerIsLate() {
        var watch = ReadingWatch()
        watch.pingSent(reading(70_000, waiting: 0), now: instant(25))
        expectEqual(late(&watch, reading(70_004, waiting: 0), at: 33), .late)
    }

    /// As many pings as it takes, each behind the others.
    @Test func peerThatReadsSteadilyIsAlive() {
        var watch = ReadingWatch()
        var place: UInt64 = 70_000
        for ping in 1...20 {
            let now = Int64(ping) * 25
            watch.pingSent(reading(place, waiting: 400_000 - ping), now: instant(now))
            place += 8 * 12_000
            expectEqual(late(&watch, reading(place, waiting: 300_000), at: now + 8), .alive)
        }
    }

    @Test func peerThatReadsNothingIsLateAfterTheStallTimeout() {
        var watch = ReadingWatch()
        watch.pingSent(reading(70_000, waiting: 0), now: instant(0))
        watch.pingSent(reading(170_000, waiting: 5000), now: instant(25))
        let first = late(&watch, reading(170_000, waiting: 6000), at: 33)
        expectEqual(first, .waits(until: instant(35)))
        expectEqual(late(&watch, reading(170_100, waiting: 6000), at: 35), .late)
    }

    /// The next ping is no reason to wait longer.
    @Test func stallThatLastsOverSeveralPingsIsOne() {
        var watch = ReadingWatch()
        watch.pingSent(reading(70_000, waiting: 0), now: instant(0))
        watch.pingSent(reading(70_000, waiting: 5000), now: instant(9))
        expectEqual(late(&watch, reading(70_000, waiting: 5000), at: 10), .late)
    }

    @Test func timeForTheAnswerBeginsWhenThePingHasBeenReceived() {
        var watch = ReadingWatch()
        watch.pingSent(reading(70_000, waiting: 100), now: instant(25))
        expectEqual(late(&watch, reading(70_100, waiting: 0), at: 33), .alive)
        watch.pingSent(reading(70_100, waiting: 0), now: instant(50))
        expectEqual(late(&watch, reading(70_104, waiting: 0), at: 58), .late)
    }

    /// A socket without a window has a place in each of its queues.
    @Test func laterQueueBeginsAtASmallerPlace() {
        var watch = ReadingWatch()
        watch.pingSent(reading(90_000, waiting: 100), now: instant(0))
        expectEqual(late(&watch, reading(10, waiting: 100), at: 8), .alive)
        let goesOn = [
            watch.goesOn(reading(10, waiting: 100)),
            watch.goesOn(reading(10 + PeerReading.bytesMin, waiting: 100)),
        ]
        expectEqual(goesOn, [false, true])
    }
}
