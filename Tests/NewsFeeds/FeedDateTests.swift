import Expectations

@testable import NewsFeeds

@Suite("Feeds: dates", .timeLimit(.minutes(10)))
struct FeedDateTests {
    private func iso(_ text: String) -> String? { FeedDate.parse(text)?.iso8601 }

    @Test(arguments: [
        ("Thu, 01 Jan 2004 19:48:21 GMT", "2004-01-01T19:48:21.000Z"),
        ("Thu, 01 Jan 04 19:48:21 GMT", "2004-01-01T19:48:21.000Z"),
        ("Fri, 31 Dec 99 23:00:00 GMT", "1999-12-31T23:00:00.000Z"),
        ("Thu,  5 Apr 2012 10:00:00 GMT", "2012-04-05T10:00:00.000Z"),
        ("Thu, 01 Jan 2004 00:00 GMT", "2004-01-01T00:00:00.000Z"),
        ("Thu, 01 Jan 2004", "2004-01-01T00:00:00.000Z"),
        ("01 Jan 2004 10:00:00 +0000", "2004-01-01T10:00:00.000Z"),
        ("Mon, 13 Feb, 2012 06:28:00 UTC", "2012-02-13T06:28:00.000Z"),
        ("Fri,24 Nov 2023 18:28:36 -0000", "2023-11-24T18:28:36.000Z"),
        ("Mon, 26 January 2004 16:31:00 ET", "2004-01-26T21:31:00.000Z"),
        ("Thu Aug 30 2012 17:26:16 +0200", "2012-08-30T15:26:16.000Z"),
        ("Sun Jan  4 16:29:06 2004", "2004-01-04T16:29:06.000Z"),
        ("Sun Jul 15 01:16:00 +0000 2012", "2012-07-15T01:16:00.000Z"),
        ("Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37.000Z"),
        ("Fri, 2006/09/15 08:19:53 EDT", "2006-09-15T12:19:53.000Z"),
        ("Sáb, 05 Jan 2026 10:00:00 +0100", "2026-01-05T09:00:00.000Z"),
    ])
    func datesOfRFC822AreReadWithTheirFaults(_ text: String, _ expected: String) {
        expectEqual(iso(text), expected)
    }

    @Test(arguments: [
        ("GMT", 0), ("UT", 0), ("Z", 0), ("UTC", 0), ("", 0), ("Etc/GMT", 0),
        ("EST", -300), ("EDT", -240), ("CST", -360), ("CDT", -300), ("MST", -420), ("MDT", -360),
        ("PST", -480), ("PDT", -420), ("MET", 60), ("MEST", 120), ("CET", 60), ("CEST", 120),
        ("+0100", 60), ("-0500", -300), ("-01:01", -61), ("GMT-01:01", -61), ("+01", 60),
        ("+5", 300), ("GMT+1", 60), ("+0530", 330), ("JST", 540), ("IST", 330), ("NZDT", 780),
        ("Etc/GMT+5", -300), ("Etc/GMT-14", 840), ("Etc/UTC", 0), ("\u{2212}0300", -180),
    ])
    func zonesAreMinutesEastOfUTC(_ text: String, _ minutes: Int) {
        expectEqual(DateZone(text), .offset(minutes))
    }

    @Test(arguments: [
        ("28 Nov 2026 20:00 Europe/Berlin", "2026-11-28T19:00:00.000Z"),
        ("28 Jul 2026 20:00 europe/berlin", "2026-07-28T18:00:00.000Z"),
        ("2026-07-28T20:00:00 Europe/London", "2026-07-28T19:00:00.000Z"),
        ("28 Nov 2026 20:00 America/New_York", "2026-11-29T01:00:00.000Z"),
        ("28 Nov 2026 20:00 America/Argentina/Buenos_Aires", "2026-11-28T23:00:00.000Z"),
        ("28 Nov 2026 20:00 Asia/Kolkata", "2026-11-28T14:30:00.000Z"),
        ("28 Nov 2026 20:00 Australia/Sydney", "2026-11-28T09:00:00.000Z"),
        ("28 Nov 2026 20:00 US/Pacific", "2026-11-29T04:00:00.000Z"),
        ("28 Nov 2026 20:00 GMT +1", "2026-11-28T19:00:00.000Z"),
        ("28 Nov 2026 20:00 +0100 (CET)", "2026-11-28T19:00:00.000Z"),
        ("28 Nov 2026 20:00 (JST)", "2026-11-28T11:00:00.000Z"),
    ])
    func zonesByNameHaveTheirSummerAndWinter(_ text: String, _ expected: String) {
        expectEqual(iso(text), expected)
    }

    @Test(arguments: [
        "+zz:00", "+00:zz", "+", "-", "+99:99", "+12345", "+1500", "+0175", "XYZ", "Mars/Olympus",
        "../etc/passwd", "Europe/", "GMT+", "Central",
    ])
    func zonesThatAreNotKnownMakeTheDateUnreadable(_ text: String) {
        expectNil(DateZone(text))
        expectNil(iso("Sun, 16 Dec 2012 11:47:32 \(text)"))
        expectNil(iso("2012-12-16T11:47:32\(text)"))
    }

    @Test(arguments: [
        ("2003-12-31T10:14:55Z", "2003-12-31T10:14:55.000Z"),
        ("2003-12-31T10:14:55-08:00", "2003-12-31T18:14:55.000Z"),
        ("2003-12-31T18:14:55+0800", "2003-12-31T10:14:55.000Z"),
        ("2007-04-23T23:25:47.538+10:00", "2007-04-23T13:25:47.538Z"),
        ("2007-04-23T23:25:47.5Z", "2007-04-23T23:25:47.500Z"),
        ("2003-12-31T10:14Z", "2003-12-31T10:14:00.000Z"),
        ("2003-12-31", "2003-12-31T00:00:00.000Z"),
        ("2003-12", "2003-12-01T00:00:00.000Z"),
        ("2003", "2003-01-01T00:00:00.000Z"),
        ("20031231", "2003-12-31T00:00:00.000Z"),
        ("2003-12-31Z", "2003-12-31T00:00:00.000Z"),
        ("2004-02-28T18:14:55-08:00", "2004-02-29T02:14:55.000Z"),
        ("2003-02-28T18:14:55-08:00", "2003-03-01T02:14:55.000Z"),
        ("2004-07-08 23:56:58 -00:20", "2004-07-09T00:16:58.000Z"),
        ("2004-07-08 23:56:58", "2004-07-08T23:56:58.000Z"),
        (" \n2004-07-08t23:56:58z\t", "2004-07-08T23:56:58.000Z"),
    ])
    func datesOfISO8601AreRead(_ text: String, _ expected: String) {
        expectEqual(iso(text), expected)
    }

    @Test(arguments: [
        "", "yesterday", "today at 10:00", "Sun, 16 Dec 2012 1:2:3:4 GMT",
        "Sun, 16 zzz 2012 11:47:32 GMT", "Sun, Dec x 2012 11:47:32 GMT",
        "Sun, 16 Dec zz 11:47:32 GMT", "Sun, 99 Jun 2009 12:00:00 GMT",
        "Sun, 30 Feb 2009 12:00:00 GMT", "2003-12-31T25:14:55Z", "2003-12-31T10:61:55Z",
        "22013", "013", "2013-01-27-01", "2013-01-28T11:30:00-06:00Textra", "2013-xx-27",
        "2013-13-01", "2013-01-28T09:xx:00Z", "0000-01-01", "10:00", "1 2 3", "1/2/2003",
        String(repeating: "2003 ", count: 100),
    ])
    func whatIsNoDateIsNil(_ text: String) {
        expectNil(iso(text))
    }
}
