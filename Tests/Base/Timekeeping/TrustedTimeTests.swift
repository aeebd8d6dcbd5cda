import Expectations

@testable import Base

@Suite("Wall time that waits for the monotonic clock", .timeLimit(.minutes(10)))
struct TrustedTimeTests {
    private let start = Timestamp(milliseconds: 1_767_225_600_000)

    /// A look at wall and monotonic clock, both in seconds since the start.
    private func look(_ time: inout TrustedTime, wall: Int, at monotonic: Int) -> Int {
        let now = time.now(wall: start + .seconds(wall), monotonic: .seconds(monotonic))
        return Int((now - start).inSeconds)
    }

    @Test func clockThatGoesEvenlyIsTrusted() {
        var time = TrustedTime()
        for second in stride(from: 0, through: 200_000, by: 60) {
            expectEqual(look(&time, wall: second, at: second), second)
        }
    }

    @Test func smallStepsAreTrusted() {
        var time = TrustedTime()
        expectEqual(look(&time, wall: 0, at: 0), 0)
        expectEqual(look(&time, wall: 70, at: 60), 70)
        expectEqual(look(&time, wall: 131, at: 121), 131)
    }

    @Test func dayAheadFor75SecondsChangesNothing() {
        var time = TrustedTime()
        expectEqual(look(&time, wall: 0, at: 0), 0)
        expectEqual(look(&time, wall: 86_460, at: 60), 60)
        expectEqual(look(&time, wall: 86_535, at: 135), 135)
        expectEqual(look(&time, wall: 180, at: 180), 180)
    }

    @Test func jumpThatLastsAnHourIsBelieved() {
        var time = TrustedTime()
        expectEqual(look(&time, wall: 0, at: 0), 0)
        expectEqual(look(&time, wall: 86_400, at: 60), 60)
        expectEqual(look(&time, wall: 86_400 + 3599, at: 60 + 3599), 3659)
        expectEqual(look(&time, wall: 86_400 + 3600, at: 60 + 3600), 90_000)
        expectEqual(look(&time, wall: 86_400 + 3660, at: 60 + 3660), 90_060)
    }

    @Test func secondJumpBeginsAnotherHour() {
        var time = TrustedTime()
        expectEqual(look(&time, wall: 0, at: 0), 0)
        expectEqual(look(&time, wall: 86_400, at: 60), 60)
        expectEqual(look(&time, wall: 200_000, at: 2000), 2000)
        expectEqual(look(&time, wall: 201_700, at: 3700), 3700, "an hour after the first")
        expectEqual(look(&time, wall: 203_600, at: 5600), 203_600)
    }

    @Test func jumpThatEndsIsForgotten() {
        var time = TrustedTime()
        expectEqual(look(&time, wall: 0, at: 0), 0)
        expectEqual(look(&time, wall: 86_400, at: 60), 60)
        expectEqual(look(&time, wall: 120, at: 120), 120)
        expectEqual(look(&time, wall: 90_060, at: 3720), 3720, "its hour begins here")
        expectEqual(look(&time, wall: 93_659, at: 7319), 7319)
        expectEqual(look(&time, wall: 93_660, at: 7320), 93_660)
    }

    @Test func clockThatGoesBackIsBelievedAtOnce() {
        var time = TrustedTime()
        expectEqual(look(&time, wall: 90_000, at: 0), 90_000)
        expectEqual(look(&time, wall: 60, at: 60), 60)
        expectEqual(look(&time, wall: 120, at: 120), 120)
    }

    @Test func firstLookTrustsTheWallClock() {
        var time = TrustedTime()
        expectEqual(look(&time, wall: 90_000, at: 5), 90_000)
    }
}
