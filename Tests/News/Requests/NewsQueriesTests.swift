import News
import Testing

@Suite("Queries of /v1", .timeLimit(.minutes(10)))
struct NewsQueriesTests {
    private let now = Timestamp(iso8601: "2026-01-02T15:30:00Z")!

    @Test func limitIsFrom1To100AndHasADefault() throws {
        for (text, limit) in [(nil, 20), ("1", 1), ("100", 100), ("007", 7)] as [(String?, Int)] {
            #expect(try NewsFeedQuery(limit: text, cursor: nil).limit == limit)
        }
        let personal = try NewsFeedQuery(
            limit: nil,
            cursor: nil,
            limitDefault: NewsRequestLimits.personalFeedLengthDefault
        )
        #expect(personal.limit == 50)
    }

    @Test(arguments: ["", "0", "101", "-1", "+1", "1.0", " 1", "١", "99999999999999999999", "x"])
    func otherLimitsAreRefused(text: String) {
        let error = #expect(throws: NewsError.self) {
            try NewsFeedQuery(limit: text, cursor: nil)
        }
        #expect(error?.status == 400)
        #expect(error?.error == "Invalid value of limit")
        #expect(
            error?.details == #"limit is "\#(text)", expected a whole number from 1 to 100"#
        )
    }

    @Test func emptyCursorIsTheFirstPage() throws {
        #expect(try NewsFeedQuery(limit: nil, cursor: "").cursor == nil)
        #expect(try NewsFeedQuery(limit: nil, cursor: "abc").cursor == "abc")
    }

    @Test func onlyIgnoredSignalsCanBeIncluded() throws {
        #expect(try NewsFeedQuery(limit: nil, cursor: nil).includesIgnored == false)
        #expect(try NewsFeedQuery(limit: nil, cursor: nil, include: "ignored").includesIgnored)
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
        #expect(query.day.iso8601 == "2026-01-02T00:00:00.000Z")
        #expect(query.globalLimit == 5)
        #expect(query.tickerLimit == 3)
        let other = try StoryGroupsQuery(
            date: "2024-02-29",
            limitGlobal: "100",
            limitPerTicker: "1",
            now: now
        )
        #expect(other.day.iso8601Date == "2024-02-29")
        #expect(other.globalLimit == 100)
        #expect(other.tickerLimit == 1)
    }

    @Test(arguments: [
        "", "today", "2026-1-2", "2026-02-30", "2023-02-29", "2026-01-02T00:00:00Z", "20260102",
        "2026-01-02 ", "２026-01-0",
    ])
    func otherDatesAreRefused(date: String) {
        let error = #expect(throws: NewsError.self) {
            try StoryGroupsQuery(date: date, limitGlobal: nil, limitPerTicker: nil, now: now)
        }
        #expect(error?.details?.contains("expected a date such as 2026-01-02") == true)
    }

    @Test func limitsOfGroupsAreNamedInTheirErrors() {
        let global = #expect(throws: NewsError.self) {
            try StoryGroupsQuery(date: nil, limitGlobal: "0", limitPerTicker: nil, now: now)
        }
        #expect(global?.error == "Invalid value of limit_global")
        let ticker = #expect(throws: NewsError.self) {
            try StoryGroupsQuery(date: nil, limitGlobal: nil, limitPerTicker: "101", now: now)
        }
        #expect(ticker?.error == "Invalid value of limit_per_ticker")
    }

    @Test func searchNeedsATextOfAtMost500Characters() throws {
        let query = try NewsSearchQuery(q: "  fed ", limit: nil, cursor: nil)
        #expect(query.text == "fed")
        #expect(query.limit == 20)
        let longest = String(repeating: "ä", count: 500)
        #expect(try NewsSearchQuery(q: longest, limit: nil, cursor: "c").cursor == "c")
        for text in [nil, "", "  ", longest + "ä", "a\u{0}b"] as [String?] {
            #expect(throws: NewsError.self) {
                try NewsSearchQuery(q: text, limit: nil, cursor: nil)
            }
        }
    }

    @Test func storyIDsArePositiveNumbers() throws {
        #expect(try storyIDInPath("12") == 12)
        for text in ["0", "-1", "x", "", "99999999999999999999"] {
            #expect(throws: NewsError.storyNotFound(text)) { try storyIDInPath(text) }
        }
    }
}
