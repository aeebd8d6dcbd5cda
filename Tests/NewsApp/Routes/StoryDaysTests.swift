import News
import Store
import StoreTesting
import Tasks
import Testing
import Timekeeping

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
                article.publishedAt = try #require(Timestamp(iso8601: time))
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
                let user = try #require(NewsUserID("anna"))
                let groups = try await service.storyGroups(query, of: user)
                #expect(groups.global.count == count, "\(date)")
            }
        }
    }
}
