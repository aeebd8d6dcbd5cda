import Alerts
import Testing
import Timekeeping

@Suite("Quiet hours", .timeLimit(.minutes(10)))
struct QuietHoursTests {
    private func time(_ text: String) throws -> Timestamp {
        try #require(Timestamp(iso8601: text))
    }

    @Test(
        arguments: [
            ("2025-12-21T21:59:59Z", nil), ("2025-12-21T22:00:00Z", "2025-12-22T07:00:00Z"),
            ("2025-12-21T23:59:59Z", "2025-12-22T07:00:00Z"),
            ("2025-12-22T00:00:00Z", "2025-12-22T07:00:00Z"),
            ("2025-12-22T06:59:59Z", "2025-12-22T07:00:00Z"), ("2025-12-22T07:00:00Z", nil),
        ] as [(String, String?)]
    )
    func hoursOverMidnightEndInTheMorning(instant: String, end: String?) throws {
        #expect(night.end(at: try time(instant)) == (try end.map { try time($0) }))
    }

    @Test(
        arguments: [
            ("2025-12-21T11:59:59Z", nil), ("2025-12-21T12:00:00Z", "2025-12-21T13:30:00Z"),
            ("2025-12-21T13:29:59Z", "2025-12-21T13:30:00Z"), ("2025-12-21T13:30:00Z", nil),
        ] as [(String, String?)]
    )
    func hoursOfOneDayEndOnThatDay(instant: String, end: String?) throws {
        let hours = try #require(QuietHours(from: "12:00", to: "13:30", zone: "UTC"))
        #expect(hours.end(at: try time(instant)) == (try end.map { try time($0) }))
    }

    /// 22:00 in Tromsø's winter is 21:00 UTC; in Newfoundland it is 01:30 of the next day.
    @Test(
        arguments: [
            ("+01:00", "2025-12-21T20:59:59Z", nil),
            ("+01:00", "2025-12-21T21:00:00Z", "2025-12-22T06:00:00Z"),
            ("+01:00", "2025-12-22T05:59:59Z", "2025-12-22T06:00:00Z"),
            ("+01:00", "2025-12-22T06:00:00Z", nil),
            ("-03:30", "2025-12-22T01:29:59Z", nil),
            ("-03:30", "2025-12-22T01:30:00Z", "2025-12-22T10:30:00Z"),
            ("+14:00", "2025-12-21T08:00:00Z", "2025-12-21T17:00:00Z"),
        ] as [(String, String, String?)]
    )
    func hoursAreThoseOfTheZone(zone: String, instant: String, end: String?) throws {
        let hours = try #require(QuietHours(from: "22:00", to: "07:00", zone: zone))
        #expect(hours.end(at: try time(instant)) == (try end.map { try time($0) }))
    }

    @Test(arguments: [
        ("22:00", "22:00", "UTC"), ("24:00", "07:00", "UTC"), ("22:60", "07:00", "UTC"),
        ("22", "07:00", "UTC"), ("22:0", "07:00", "UTC"), ("-1:00", "07:00", "UTC"),
        ("22:00", "7:00", "UTC"), ("22:00", "07:00", "CET"), ("22:00", "07:00", "01:00"),
        ("22:00", "07:00", "+14:01"), ("22:00", "07:00", "+1:00"), ("22:00", "07:00", ""),
        ("22:00:00", "07:00", "UTC"), ("", "", ""),
    ])
    func whatIsNoHoursIsRefused(from: String, to: String, zone: String) {
        #expect(QuietHours(from: from, to: to, zone: zone) == nil)
    }

    @Test func endLiesAheadAndIsNotQuietItself() throws {
        for minute in 0..<(3 * 24 * 60) {
            let instant = evening + .seconds(60 * minute)
            guard let end = night.end(at: instant) else { continue }
            #expect(end > instant)
            #expect(end - instant <= .seconds(9 * 3600))
            #expect(night.end(at: end) == nil)
        }
    }
}
