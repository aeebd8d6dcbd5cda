import Testing
import Timekeeping

@Suite("Clock zones", .timeLimit(.minutes(10)))
struct ClockZoneTests {
    private func at(_ text: String) -> Timestamp { Timestamp(iso8601: text)! }

    /// The hours ahead of UTC, on both sides of the changes of 2024, 2025 and 2026.
    @Test(arguments: [
        ("2024-03-31T00:59:59Z", 1), ("2024-03-31T01:00:00Z", 2), ("2024-10-27T00:59:59Z", 2),
        ("2024-10-27T01:00:00Z", 1), ("2025-03-30T00:59:59Z", 1), ("2025-03-30T01:00:00Z", 2),
        ("2025-10-26T00:59:59Z", 2), ("2025-10-26T01:00:00Z", 1), ("2026-03-29T01:00:00Z", 2),
        ("2026-10-25T01:00:00Z", 1), ("2025-12-31T23:30:00Z", 1), ("2025-07-01T00:00:00Z", 2),
    ])
    func centralEuropeChangesOnTheLastSundays(time: String, hours: Int) {
        let time = at(time)
        #expect(ClockZone.centralEuropean.offset(at: time) == .seconds(3600 * hours))
        #expect(ClockZone.westernEuropean.offset(at: time) == .seconds(3600 * (hours - 1)))
        #expect(ClockZone.easternEuropean.offset(at: time) == .seconds(3600 * (hours + 1)))
        #expect(ClockZone.utc.offset(at: time) == .zero)
    }

    @Test func daysBeginAtTheMidnightsOfTheClock() {
        let zone = ClockZone.centralEuropean
        for (time, start, next) in [
            ("2025-12-21T11:00:00Z", "2025-12-20T23:00:00Z", "2025-12-21T23:00:00Z"),
            ("2025-12-21T23:00:00Z", "2025-12-21T23:00:00Z", "2025-12-22T23:00:00Z"),
            // 23 and 25 hours.
            ("2025-03-30T12:00:00Z", "2025-03-29T23:00:00Z", "2025-03-30T22:00:00Z"),
            ("2025-03-30T00:30:00Z", "2025-03-29T23:00:00Z", "2025-03-30T22:00:00Z"),
            ("2025-10-26T12:00:00Z", "2025-10-25T22:00:00Z", "2025-10-26T23:00:00Z"),
        ] {
            #expect(zone.startOfDay(at(time)) == at(start), "\(time)")
            #expect(zone.startOfNextDay(at(time)) == at(next), "\(time)")
        }
    }
}
