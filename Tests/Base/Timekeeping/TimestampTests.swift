import Base
import Expectations

@Suite("Timestamps", .timeLimit(.minutes(10)))
struct TimestampTests {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2000-02-29T23:59:59Z", 951_868_799_000),
            ("2025-12-21T11:00:00.000Z", 1_766_314_800_000),
            ("2025-12-21T11:00:00.25Z", 1_766_314_800_250),
            ("2025-12-21T11:00:00.1239Z", 1_766_314_800_123),
            ("2025-12-21 11:00:00.000", 1_766_314_800_000), ("2025-12-21T11:00", 1_766_314_800_000),
            ("2025-12-21T12:00:00+01:00", 1_766_314_800_000),
            ("2025-12-21T05:30:00-0530", 1_766_314_800_000), ("1969-12-31T23:59:59.999Z", -1),
            ("2016-12-31T23:59:60Z", 1_483_228_799_000),
        ] as [(String, Int64)]
    )
    func iso8601IsRead(text: String, milliseconds: Int64) {
        expectEqual(Timestamp(iso8601: text)?.milliseconds, milliseconds)
    }

    @Test(arguments: [
        "", "2025", "2025-12-21", "2025-02-29T00:00:00Z", "2025-13-01T00:00:00Z",
        "2025-12-21T24:00:00Z", "2025-12-21T11:60:00Z", "2025-12-21T11:00:00.Z",
        "2025-12-21T11:00:00ZZ", "2025-12-21T11:00:00+1", "2025-12-21T11:00:00+24:00",
        "25-12-21T11:00:00Z", "2025-12-21x11:00:00Z", "2025-12-21T11:00:0aZ",
    ])
    func otherTextsAreRefused(text: String) {
        expectNil(Timestamp(iso8601: text))
    }

    @Test
    func textsReadBack() {
        for milliseconds in stride(
            from: -5_000_000_000_000,
            to: 5_000_000_000_000,
            by: 98_765_432_101
        ) {
            let instant = Timestamp(milliseconds: Int64(milliseconds))
            expectEqual(Timestamp(iso8601: instant.iso8601), instant)
            expectEqual(Timestamp(httpDate: instant.httpDate), instant.roundedDown(to: .seconds(1)))
        }
    }

    /// Stored instants may be damaged, and numbers of seconds are those of peers.
    @Test(arguments: [Int64.min, Int64.min + 1, -1, 0, Int64.max - 1, Int64.max])
    func instantsBeyondAllYearsAreClamped(milliseconds: Int64) {
        let instant = Timestamp(milliseconds: milliseconds)
        expect(instant.iso8601.hasSuffix("Z"))
        expect(instant.iso8601Date.contains("-"))
        for step in [Duration.milliseconds(1), .seconds(86_400), .milliseconds(Int64.max)] {
            expect((instant + step).milliseconds >= milliseconds)
            expect((instant - step).milliseconds <= milliseconds)
            expect(instant.roundedDown(to: step) <= instant || milliseconds < Int64.min / 2)
        }
        let other = Timestamp(milliseconds: 1)
        expectEqual((instant - other > .zero), (milliseconds > 1))
        expectEqual((other - instant > .zero), (milliseconds < 1))
    }

    @Test(
        arguments: [
            (0.0015, 2), (-0.0015, -2), (1e300, .max), (-1e300, .min), (.infinity, .max),
            (-.infinity, .min), (.nan, 0),
        ] as [(Double, Int64)]
    )
    func secondsAreRoundedAndClamped(seconds: Double, milliseconds: Int64) {
        expectEqual(Timestamp(seconds: seconds).milliseconds, milliseconds)
    }

    @Test
    func httpDateIsTheExampleOfTheRFC() {
        let instant = Timestamp(iso8601: "1994-11-06T08:49:37Z")
        expectEqual(instant?.httpDate, "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    @Test(arguments: [
        "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT", "",
        "Sun, 31 Feb 1994 08:49:37 GMT",
    ])
    func otherDatesAreRefused(text: String) {
        expectNil(Timestamp(httpDate: text))
    }

    @Test
    func roundingGoesDownBeforeTheEpochToo() {
        expectEqual(Timestamp(milliseconds: -1).roundedDown(to: .seconds(60)).milliseconds, -60_000)
        expectEqual(Timestamp(milliseconds: 59_999).roundedDown(to: .seconds(60)).milliseconds, 0)
    }
}
