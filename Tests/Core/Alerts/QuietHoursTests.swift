import Core
import Expectations
import ZoneTesting

@Suite("Quiet hours", .timeLimit(.minutes(10)))
struct QuietHoursTests {
    private func time(_ text: String) throws -> Timestamp {
        try require(Timestamp(iso8601: text))
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
        expectEqual(night.end(at: try time(instant)), (try end.map { try time($0) }))
    }

    @Test(
        arguments: [
            ("2025-12-21T11:59:59Z", nil), ("2025-12-21T12:00:00Z", "2025-12-21T13:30:00Z"),
            ("2025-12-21T13:29:59Z", "2025-12-21T13:30:00Z"), ("2025-12-21T13:30:00Z", nil),
        ] as [(String, String?)]
    )
    func hoursOfOneDayEndOnThatDay(instant: String, end: String?) throws {
        let hours = try require(QuietHours(from: "12:00", to: "13:30", zone: .utc))
        expectEqual(hours.end(at: try time(instant)), (try end.map { try time($0) }))
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
        let zone = try require(QuietHours.zone(zone))
        let hours = try require(QuietHours(from: "22:00", to: "07:00", zone: zone))
        expectEqual(hours.end(at: try time(instant)), (try end.map { try time($0) }))
    }

    @Test(arguments: [
        ("22:00", "22:00"), ("24:00", "07:00"), ("22:60", "07:00"), ("22", "07:00"),
        ("22:0", "07:00"), ("-1:00", "07:00"), ("22:00", "7:00"), ("22:00:00", "07:00"), ("", ""),
    ])
    func whatIsNoHoursIsRefused(from: String, to: String) {
        expectNil(QuietHours(from: from, to: to, zone: .utc))
    }

    @Test(arguments: ["CET", "01:00", "+14:01", "+1:00", "", "+24:00", "UTC+1"])
    func whatIsNoFixedZoneIsRefused(zone: String) {
        expectNil(QuietHours.zone(zone))
    }

    /// Every ten minutes of the days around both changes of the clocks, against hours that another
    /// implementation has counted.
    @Test(arguments: ZoneVector.all.filter { $0.name != "Pacific/Apia" })
    func hoursFollowTheClocksOfEveryZone(vector: ZoneVector) throws {
        for night in vector.nights {
            for quiet in night.quiet {
                let hours = try require(
                    QuietHours(from: quiet.from, to: quiet.to, zone: vector.zone)
                )
                let ranges = quiet.ranges
                var instant = ranges[0].lowerBound - .seconds(600)
                while instant <= ranges[ranges.count - 1].upperBound {
                    for moment in [instant, instant - .seconds(1)] {
                        let end = ranges.first { $0.contains(moment) }?.upperBound
                        // Hours of the evening before the first day.
                        guard end != nil || moment >= ranges[0].lowerBound else { continue }
                        expectEqual(
                            hours.end(at: moment),
                            end,
                            "\(vector) \(quiet.from) \(moment.iso8601)"
                        )
                    }
                    instant = instant + .seconds(600)
                }
            }
        }
    }

    /// Samoa had no 30 December 2011: its clocks went from the midnight behind the 29th to the 31st.
    @Test func morningBehindADateThatWasSkippedIsQuiet() throws {
        let zone = ZoneVector.named("Pacific/Apia").zone
        let hours = try require(QuietHours(from: "22:00", to: "07:00", zone: zone))
        let midnight = try time("2011-12-30T10:00:00Z")
        let morning = try time("2011-12-30T17:00:00Z")
        expectEqual(hours.end(at: midnight - .seconds(1)), midnight)
        expectEqual(hours.end(at: midnight), morning)
        expectEqual(hours.end(at: morning - .seconds(1)), morning)
        expectNil(hours.end(at: morning))
    }

    @Test func endLiesAheadAndIsNotQuietItself() throws {
        for minute in 0..<(3 * 24 * 60) {
            let instant = evening + .seconds(60 * minute)
            guard let end = night.end(at: instant) else { continue }
            expect(end > instant)
            expect(end - instant <= .seconds(9 * 3600))
            expectNil(night.end(at: end))
        }
    }
}
