import Expectations
import News
import Store
import StoreTesting

@testable import NewsApp

@Suite("Days of story groups", .timeLimit(.minutes(10)))
struct StoryDaysTests {
    @Test(arguments: [
        (ClockZone.utc, ["2026-01-01": 1, "2026-01-02": 2, "2026-01-03": 1]),
        (ClockZone.usEastern, ["2026-01-01": 2, "2026-01-02": 2, "2026-01-03": 0]),
        (ClockZone.easternEuropean, ["2026-01-01": 1, "2026-01-02": 1, "2026-01-03": 2]),
    ])
    func dayIsThatOfTheConfiguredZone(zone: ClockZone, counts: [String: Int]) async throws {
        try await withStore(migrations: NewsTables.migrations) { store in
            var settings = NewsSection()
            settings.timeZone = zone
            let service = newsService(store, settings: settings)
            for (number, time) in [
                "2026-01-01T12:00:00Z", "2026-01-02T03:00:00Z", "2026-01-02T23:30:00Z",
                "2026-01-03T01:00:00Z",
            ].enumerated() {
                let words = (0..<5).map { madeWord(number * 5 + $0) }.joined(separator: " ")
                var article = newArticle("\(number)", title: words)
                article.publishedAt = try require(Timestamp(iso8601: time))
                article.firstSeenAt = article.publishedAt
                _ = try await service.take([article])
            }
            for (date, count) in counts {
                let query = try StoryGroupsQuery(
                    date: date,
                    limitGlobal: "10",
                    limitPerTicker: nil,
                    now: at(0)
                )
                let user = try require(NewsUserID("anna"))
                let groups = try await service.storyGroups(query, of: user)
                expectEqual(groups.global.count, count, "\(date)")
            }
        }
    }

    private let user = NewsUserID("anna")!

    private func groups(
        _ service: NewsService,
        date: String?
    ) async throws -> StoryGroupsView {
        let query = try StoryGroupsQuery(
            date: date,
            limitGlobal: "10",
            limitPerTicker: "10",
            now: service.clock.now
        )
        return try await service.storyGroups(query, of: user)
    }

    private func report(_ name: String, at time: String, tickers: [String] = []) throws -> Article {
        var article = newArticle(
            name,
            title: "Granlia harbour strike goes on for port workers",
            summary: "Report \(name) about \(madeWord(name.utf8.count)) and \(name).",
            tickers: tickers
        )
        article.source = ArticleSource(name: name, title: name)
        article.publishedAt = try require(Timestamp(iso8601: time))
        article.firstSeenAt = article.publishedAt
        return article
    }

    @Test func withoutADateTheStoriesAreOfTheLastDay() async throws {
        let now = try require(Timestamp(iso8601: "2026-01-02T00:06:00Z"))
        let clock = HubClock(.recording(start: now, speed: 0, anchor: HubClock.wall))
        try await withStore(migrations: NewsTables.migrations) { store in
            let service = newsService(store, clock: clock)
            _ = try await service.take([try report("a", at: "2026-01-01T23:50:00Z")])
            try await expectEqual(groups(service, date: nil).global.count, 1)
            try await expect(groups(service, date: "2026-01-02").global.isEmpty)
        }
    }

    @Test func storyIsOnEachDayOnWhichItHadAReport() async throws {
        try await withStore(migrations: NewsTables.migrations) { store in
            let service = newsService(store)
            for day in [1, 2, 3, 5, 6, 7] {
                _ = try await service.take([try report("r\(day)", at: "2026-01-0\(day)T12:00:00Z")])
            }
            for day in 1...7 {
                let found = try await groups(service, date: "2026-01-0\(day)").global
                expectEqual(found.count, (day == 4 ? 0 : 1), "day \(day)")
            }
        }
    }

    @Test func totalsAreThoseOfTheDayWhateverTheLimits() async throws {
        try await withStore(migrations: NewsTables.migrations) { store in
            let service = newsService(store)
            // Three global stories, two of both holdings, and one of another company.
            let tickers = [[], [], [], ["AAPL", "MSFT"], ["AAPL", "MSFT"], ["NVDA"]]
            for (number, tickers) in tickers.enumerated() {
                let words = (0..<5).map { madeWord(number * 5 + $0) }.joined(separator: " ")
                for source in ["x", "y"] {
                    var article = newArticle("\(number)\(source)", title: words, tickers: tickers)
                    article.source = ArticleSource(name: source, title: source)
                    _ = try await service.take([article])
                }
            }
            let body = #"{"holdings":["AAPL","MSFT"]}"#
            _ = try await service.change(PreferencesRequest(json: Array(body.utf8)), of: user)
            for limit in ["1", "2", "100"] {
                let query = try StoryGroupsQuery(
                    date: "2026-01-01",
                    limitGlobal: limit,
                    limitPerTicker: limit,
                    now: at(0)
                )
                let metadata = try await service.storyGroups(query, of: user).metadata
                expectEqual(metadata.totalGroups, 5, "limit \(limit)")
                expectEqual(metadata.articlesClustered, 10, "limit \(limit)")
                expectEqual(metadata.duplicatesRemoved, 5, "limit \(limit)")
            }
            let other = try await service.storyGroups(
                StoryGroupsQuery(
                    date: "2026-01-02",
                    limitGlobal: nil,
                    limitPerTicker: nil,
                    now: at(0)
                ),
                of: user
            )
            expectEqual(other.metadata.totalGroups, 0)
            expectEqual(other.metadata.articlesClustered, 0)
        }
    }

    @Test func storyIsInTheGroupOfEachCompanyThatItNames() async throws {
        try await withStore(migrations: NewsTables.migrations) { store in
            let service = newsService(store)
            let article = try report("a", at: "2026-01-01T12:00:00Z", tickers: ["AAPL", "MSFT"])
            _ = try await service.take([article])
            let holdings = ["MSFT", "AAPL"].compactMap { Ticker($0) }
            let body = #"{"holdings":["MSFT","AAPL"]}"#
            _ = try await service.change(PreferencesRequest(json: Array(body.utf8)), of: user)
            let groups = try await groups(service, date: "2026-01-01")
            for holding in holdings { expectEqual(groups.byTicker[holding]?.count, 1) }
            expectEqual(groups.merged.count, 1)
        }
    }
}
