import Expectations

@testable import Aurora

@Suite("Times of clocks as texts", .timeLimit(.minutes(10)))
struct ClockTextTests {
    @Test func textsAreThoseOfTheClock() {
        let time = at("2025-12-21T23:05:00Z")
        expectEqual(ClockZone.centralEuropean.clockText(time), "00:05")
        expectEqual(ClockZone.centralEuropean.dateText(time), "2025-12-22")
        expectEqual(ClockZone.utc.clockText(time), "23:05")
        expectEqual(ClockZone.utc.dateText(time), "2025-12-21")
    }
}
