import Base
import Expectations

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
        expectEqual(ClockZone.centralEuropean.offset(at: time), .seconds(3600 * hours))
        expectEqual(ClockZone.westernEuropean.offset(at: time), .seconds(3600 * (hours - 1)))
        expectEqual(ClockZone.easternEuropean.offset(at: time), .seconds(3600 * (hours + 1)))
        expectEqual(ClockZone.utc.offset(at: time), .zero)
    }

    /// The hours behind UTC, on both sides of the changes of 2024, 2025 and 2026.
    @Test(arguments: [
        ("2024-03-10T06:59:59Z", 5), ("2024-03-10T07:00:00Z", 4), ("2024-11-03T05:59:59Z", 4),
        ("2024-11-03T06:00:00Z", 5), ("2025-03-09T06:59:59Z", 5), ("2025-03-09T07:00:00Z", 4),
        ("2025-11-02T05:59:59Z", 4), ("2025-11-02T06:00:00Z", 5), ("2026-03-08T07:00:00Z", 4),
        ("2026-11-01T06:00:00Z", 5), ("2026-01-01T03:00:00Z", 5), ("2026-07-01T00:00:00Z", 4),
    ])
    func unitedStatesChangeAtTwoOfTheClock(time: String, hours: Int) {
        let time = at(time)
        expectEqual(ClockZone.usEastern.offset(at: time), .seconds(-3600 * hours))
        for (zone, later) in [
            (ClockZone.usCentral, 1), (ClockZone.usMountain, 2), (ClockZone.usPacific, 3),
        ] {
            let same = time + .seconds(3600 * later)
            expectEqual(zone.offset(at: same), .seconds(-3600 * (hours + later)), "\(zone)")
        }
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
            expectEqual(zone.startOfDay(at(time)), at(start), "\(time)")
            expectEqual(zone.startOfNextDay(at(time)), at(next), "\(time)")
        }
    }

    @Test(arguments: ClockZone.builtIn)
    func daysFollowOneAnother(zone: ClockZone) {
        var start = zone.startOfDay(at("2025-01-01T12:00:00Z"))
        for _ in 0..<730 {
            let next = zone.startOfNextDay(start)
            expect([23, 24, 25].map { Duration.seconds($0 * 3600) }.contains(next - start))
            expectEqual(zone.startOfDay(next), next)
            expectEqual(zone.startOfDay(next - .milliseconds(1)), start)
            expectEqual(zone.civil(start).hour, 0)
            start = next
        }
    }
}
