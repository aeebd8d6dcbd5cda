import Expectations

@testable import Base

@Suite("POSIX TZ, RFC 9636 §3.3.1", .timeLimit(.minutes(10)))
struct ZoneRuleTests {
    private func at(_ text: String) -> Int64 { Timestamp(iso8601: text)!.wholeSeconds }

    @Test(arguments: [
        ("UTC0", 0), ("CET-1", 3600), ("EST5", -18_000), ("EST+5", -18_000),
        ("<+0545>-5:45", 20_700),
        ("<-03>3", -10_800), ("LMT0:01:15", -75), ("NST3:30", -12_600), ("AAA-24", 86_400),
    ])
    func ruleWithoutSummerTimeHoldsAlways(text: String, offset: Int32) throws {
        let rule = try require(ZoneRule(text))
        for time in ["0001-01-01T00:00:00Z", "2026-01-01T00:00:00Z", "9999-07-01T00:00:00Z"] {
            expectEqual(rule.offset(at: at(time)), offset)
        }
    }

    @Test(arguments: [
        // RFC 9636: Greenland's changes on the day before, and Israel's at 26:00.
        ("<-03>3<-02>,M3.5.0/-2,M10.5.0/-1", "2026-03-29T00:59:59Z", -10_800, -7200),
        ("IST-2IDT,M3.4.4/26,M10.5.0", "2026-03-26T23:59:59Z", 7200, 10_800),
        // Ireland: the winter's is the other time.
        ("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-03-29T00:59:59Z", 0, 3600),
        ("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-10-25T00:59:59Z", 3600, 0),
        ("NZST-12NZDT,M9.5.0,M4.1.0/3", "2026-04-04T13:59:59Z", 46_800, 43_200),
        ("AAA0BBB,60,300", "2024-03-01T01:59:59Z", 0, 3600),
        ("AAA0BBB,60,300", "2025-03-02T01:59:59Z", 0, 3600),
        ("AAA0BBB,J60,J300", "2024-03-01T01:59:59Z", 0, 3600),
        ("AAA0BBB,J60,J300", "2025-03-01T01:59:59Z", 0, 3600),
        ("AAA0BBB-3:30,M1.1.0,M6.5.6/1:30:30", "2026-06-26T22:00:29Z", 12_600, 0),
    ])
    func offsetChangesAtTheSecond(text: String, last: String, before: Int32, after: Int32) throws {
        let rule = try require(ZoneRule(text))
        expectEqual(rule.offset(at: at(last)), before, "\(text)")
        expectEqual(rule.offset(at: at(last) + 1), after, "\(text)")
    }

    /// RFC 9636: "permanent daylight saving time".
    @Test func summerTimeThatLastsAllYearHoldsAlways() throws {
        let rule = try require(ZoneRule("EST5EDT,0/0,J365/25"))
        for time in ["2025-12-31T23:59:59Z", "2026-01-01T04:59:59Z", "2026-01-01T05:00:00Z"] {
            expectEqual(rule.offset(at: at(time)), -14_400)
        }
        for day in 0..<800 {
            expectEqual(rule.offset(at: at("2023-01-01T00:00:00Z") + Int64(day) * 86_400), -14_400)
        }
    }

    @Test(arguments: [
        "", "UTC", "0", "AB0", "A1C0", "<AB>0", "<ABC0", "<A_C>0", "UTC25", "UTC0:60", "UTC0:00:60",
        "UTC0 ",
        " UTC0", "UTC--1", "UTC-", "CET-1CEST", "CET-1CEST,", "CET-1CEST,M3.5.0",
        "CET-1CEST,M3.5.0,",
        "CET-1CEST,M3.5.0,M10.5.0,", "CET-1CEST,M0.5.0,M10.5.0", "CET-1CEST,M13.5.0,M10.5.0",
        "CET-1CEST,M3.0.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0",
        "CET-1CEST,M3.5,M10.5.0", "CET-1CEST,J0,J1", "CET-1CEST,J366,J1", "CET-1CEST,366,1",
        "CET-1CEST,M3.5.0/168,M10.5.0", "CET-1CEST,M3.5.0/2:,M10.5.0",
        "CET-1CES\u{212A},M3.5.0,M10.5.0",
    ])
    func whatIsNoRuleIsRefused(text: String) {
        expectNil(ZoneRule(text))
    }
}
