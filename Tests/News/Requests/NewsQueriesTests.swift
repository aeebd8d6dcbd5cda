import Expectations
import News

@Suite("Queries of /v1", .timeLimit(.minutes(10)))
struct NewsQueriesTests {
    private let now = Timestamp(iso8601: "2026-01-02T15:30:00Z")!

    @Test func limitIsFrom1To100AndHasADefault() throws {
        for (text, limit) in [(nil, 20), ("1", 1), ("100", 100), ("007", 7)] as [(String?, Int)] {
            try expectEqual(NewsFeedQuery(limit: text, cursor: nil).limit, limit)
        }
        let personal = try NewsFeedQuery(
            limit: nil,
            cursor: nil,
            limitDefault: NewsRequestLimits.personalFeedLengthDefault
        )
        expectEqual(personal.limit, 50)
    }

    @Test(arguments: ["", "0", "101", "-1", "+1", "1.0", " 1", "١", "99999999999999999999", "x"])
    func otherLimitsAreRefused(text: String) {
        let error = #expect(throws: NewsError.self) {
            try NewsFeedQuery(limit: text, cursor: nil)
        }
        expectEqual(error?.status, 400)
        expectEqual(error?.error, "Invalid value of limit")
        expectEqual(error?.details, #"limit is "\#(text)", expected a whole number from 1 to 100"#)
    }

    @Test func emptyCursorIsTheFirstPage() throws {
        try expectNil(NewsFeedQuery(limit: nil, cursor: "").cursor)
        try expectEqual(NewsFeedQuery(limit: nil, cursor: "abc").cursor, "abc")
    }

    @Test func onlyIgnoredSignalsCanBeIncluded() throws {
        try expectEqual(NewsFeedQuery(limit: nil, cursor: nil).includesIgnored, false)
        try expect(NewsFeedQuery(limit: nil, cursor: nil, include: "ignored").includesIgnored)
        #expect(throws: NewsError.self) {
            try NewsFeedQuery(limit: nil, cursor: nil, include: "all")
        }
    }

    @Test func storyGroupsHaveTodayAndTheDocumentsLimitsAsDefaults() throws {
        let query = try StoryGroupsQuery(
            date: nil,
            limitGlobal: nil,
            limitPerTicker: nil,
            now: now
        )
        expectEqual(query.day.iso8601, "2026-01-02T00:00:00.000Z")
        expectEqual(query.globalLimit, 5)
        expectEqual(query.tickerLimit, 3)
        let other = try StoryGroupsQuery(
            date: "2024-02-29",
            limitGlobal: "100",
            limitPerTicker: "1",
            now: now
        )
        expectEqual(other.day.iso8601Date, "2024-02-29")
        expectEqual(other.globalLimit, 100)
        expectEqual(other.tickerLimit, 1)
    }

    @Test(arguments: [
        "", "today", "2026-1-2", "2026-02-30", "2023-02-29", "2026-01-02T00:00:00Z", "20260102",
        "2026-01-02 ", "２026-01-0",
    ])
    func otherDatesAreRefused(date: String) {
        let error = #expect(throws: NewsError.self) {
            try StoryGroupsQuery(date: date, limitGlobal: nil, limitPerTicker: nil, now: now)
        }
        expectEqual(error?.details?.contains("expected a date such as 2026-01-02"), true)
    }

    @Test func limitsOfGroupsAreNamedInTheirErrors() {
        let global = #expect(throws: NewsError.self) {
            try StoryGroupsQuery(date: nil, limitGlobal: "0", limitPerTicker: nil, now: now)
        }
        expectEqual(global?.error, "Invalid value of limit_global")
        let ticker = #expect(throws: NewsError.self) {
            try StoryGroupsQuery(date: nil, limitGlobal: nil, limitPerTicker: "101", now: now)
        }
        expectEqual(ticker?.error, "Invalid value of limit_per_ticker")
    }

    @Test func searchNeedsATextOfAtMost500Characters() throws {
        let query = try NewsSearchQuery(q: "  fed ", limit: nil, cursor: nil)
        expectEqual(query.text, "fed")
        expectEqual(query.limit, 20)
        let longest = String(repeating: "ä", count: 500)
        try expectEqual(NewsSearchQuery(q: longest, limit: nil, cursor: "c").cursor, "c")
        for text in [nil, "", "  ", longest + "ä", "a\u{0}b"] as [String?] {
            #expect(throws: NewsError.self) {
                try NewsSearchQuery(q: text, limit: nil, cursor: nil)
            }
        }
    }

    @Test func storyIDsArePositiveNumbers() throws {
        try expectEqual(storyIDInPath("12"), 12)
        for text in ["0", "-1", "x", "", "99999999999999999999"] {
            #expect(throws: NewsError.storyNotFound(text)) { try storyIDInPath(text) }
        }
    }
}
