import Expectations
import Foundation
import News
import Store
import StoreTesting

@testable import NewsApp

@Suite("Briefs", .timeLimit(.minutes(10)))
struct NewsBriefsTests {
    private static let anna = NewsUserID("anna")!

    /// A service whose clock stands at `time`, as after a restart.
    private func service(
        _ store: HubStore,
        at time: String,
        zone: ClockZone = .utc
    ) throws -> NewsService {
        var settings = NewsSection()
        settings.timeZone = zone
        return newsService(store, settings: settings, clock: try clock(at: time))
    }

    private func clock(at time: String) throws -> HubClock {
        let start = try require(Timestamp(iso8601: time))
        return HubClock(.recording(start: start, speed: 1e-9, anchor: HubClock.wall))
    }

    private func report(_ story: Int, at time: String, ticker: String? = nil) throws -> Article {
        let words = (0..<5).map { madeWord(story * 5 + $0) }.joined(separator: " ")
        var article = newArticle(
            "\(story)",
            title: words,
            tickers: ticker.map { [$0] } ?? []
        )
        article.publishedAt = try require(Timestamp(iso8601: time))
        article.firstSeenAt = article.publishedAt
        article.summary = "About \(story)."
        return article
    }

    private func published(_ store: HubStore) async throws -> [String] {
        let history = try await store.history(of: Topic(trusted: "news:user:anna"), count: 100)
        return (history?.publications ?? []).map { String(decoding: $0.payload, as: UTF8.self) }
            .filter { $0.contains("news.brief.published") }
    }

    @Test func userGetsOneOnEachDayFromTheHourOn() async throws {
        try await withStore(migrations: NewsTables.migrations) { store in
            let early = try service(store, at: "2026-01-02T06:59:59Z")
            try await early.see(Self.anna)
            _ = try await early.take([report(1, at: "2026-01-02T01:00:00Z")])
            try await expectEqual(early.makeDueBriefs(), 0)
            let stub = String(decoding: try await early.brief(of: Self.anna), as: UTF8.self)
            expectEqual(stub, #"{"items":[],"generated_at":null}"#)

            try await expectEqual(service(store, at: "2026-01-02T07:00:00Z").makeDueBriefs(), 1)
            try await expectEqual(service(store, at: "2026-01-02T07:00:01Z").makeDueBriefs(), 0)
            try await expectEqual(service(store, at: "2026-01-02T23:59:59Z").makeDueBriefs(), 0)
            try await expectEqual(published(store).count, 1)

            // The hub was not running at seven.
            let late = try service(store, at: "2026-01-03T15:00:00Z")
            _ = try await late.take([report(2, at: "2026-01-03T02:00:00Z")])
            try await expectEqual(late.makeDueBriefs(), 1)
            try await expectEqual(published(store).count, 2)
        }
    }

    @Test(arguments: [
        ("2026-03-07T11:59:59Z", 0), ("2026-03-07T12:00:00Z", 1), ("2026-03-08T10:59:59Z", 0),
        ("2026-03-08T11:00:00Z", 1), ("2026-11-01T11:59:59Z", 0), ("2026-11-01T12:00:00Z", 1),
    ])
    func hourIsThatOfTheZoneOnDaysWithAChangeAsWell(time: String, count: Int) async throws {
        try await withStore(migrations: NewsTables.migrations) { store in
            let service = try service(store, at: time, zone: .usEastern)
            try await service.see(Self.anna)
            // As after the brief of the day before.
            let day = BriefDay(of: service.clock.now, in: .usEastern).number - 1
            try await store.commitNews { tables in
                try tables.put([], of: Self.anna, day: BriefDay(number: day), at: at(0))
                return (Change(), ())
            }
            try await expectEqual(service.makeDueBriefs(), count)
        }
    }

    @Test func briefHasTheStoriesOfTheDayWithTheReadersHoldingsAndIsPublishedAsItIsServed()
        async throws
    {
        try await withStore(migrations: NewsTables.migrations) { store in
            let service = try service(store, at: "2026-01-02T08:00:00Z")
            let holdings = try PreferencesRequest(json: Array(#"{"holdings":["AAPL"]}"#.utf8))
            _ = try await service.change(holdings, of: Self.anna)
            _ = try await service.take([
                report(1, at: "2026-01-01T07:59:59Z"), report(2, at: "2026-01-01T09:00:00Z"),
                report(3, at: "2026-01-02T03:00:00Z", ticker: "AAPL"),
            ])
            try await expectEqual(service.makeDueBriefs(), 1)
            let body = try await service.brief(of: Self.anna)
            let json = try JSONSerialization.jsonObject(with: Data(body))
            let brief = try require(json as? [String: Any])
            expectEqual(brief["generated_at"] as? String, "2026-01-02T08:00:00Z")
            expectEqual(Set(brief.texts("summary", in: "items")), ["About 2.", "About 3."])
            let held = try require(
                brief.items("items").first { ($0["primary_ticker"] as? String) == "AAPL" }
            )
            expectEqual((held["why"] as? [String])?.first, "You hold AAPL")
            expectEqual(held["urls"] as? [String], ["https://news.example.org/3"])
            let event = try await require(published(store).first)
            expect(event.contains(String(decoding: body, as: UTF8.self)))
        }
    }

    @Test func dayWithoutStoriesHasAnEmptyBriefAndNoEvent() async throws {
        try await withStore(migrations: NewsTables.migrations) { store in
            let service = try service(store, at: "2026-01-02T08:00:00Z")
            try await service.see(Self.anna)
            try await expectEqual(service.makeDueBriefs(), 1)
            let body = String(decoding: try await service.brief(of: Self.anna), as: UTF8.self)
            expectEqual(body, #"{"items":[],"generated_at":"2026-01-02T08:00:00Z"}"#)
            try await expectEqual(published(store), [])
        }
    }

    @Test func usersWhoWereNotSeenForAMonthGetNone() async throws {
        try await withStore(migrations: NewsTables.migrations) { store in
            try await service(store, at: "2026-01-02T06:00:00Z").see(Self.anna)
            try await expectEqual(service(store, at: "2026-02-01T07:00:00Z").makeDueBriefs(), 0)
            try await expectEqual(service(store, at: "2026-01-31T23:00:00Z").makeDueBriefs(), 1)
        }
    }

    @Test func manyUsersGetTheirsInSeveralTransactions() async throws {
        try await withStore(migrations: NewsTables.migrations) { store in
            let service = try service(store, at: "2026-01-02T08:00:00Z")
            for number in 0..<45 {
                try await service.see(try require(NewsUserID("user\(number)")))
            }
            _ = try await service.take([report(1, at: "2026-01-02T01:00:00Z")])
            try await expectEqual(service.makeDueBriefs(), 45)
            for number in 0..<45 {
                let user = try require(NewsUserID("user\(number)"))
                let body = String(decoding: try await service.brief(of: user), as: UTF8.self)
                expect(body.contains("About 1."))
            }
        }
    }
}
