import Base
import Expectations

@Suite("Domain clock", .timeLimit(.minutes(10)))
struct DomainClockTests {
    private let anchor = Timestamp(milliseconds: 1_000_000)
    private let start = Timestamp(milliseconds: 50)

    @Test
    func wallClockIsTheWallClock() {
        expectEqual(DomainClock.wall.now(wall: anchor), anchor)
    }

    @Test
    func recordingRunsFromItsStartAtItsSpeed() {
        let clock = DomainClock.recording(start: start, speed: 360, anchor: anchor)
        expectEqual(clock.now(wall: anchor), start)
        expectEqual(clock.now(wall: anchor + .seconds(10)), start + .seconds(3600))
    }
}
