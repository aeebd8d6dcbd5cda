import Expectations
import HubTesting
import News
import Store
import StoreTesting

@testable import NewsApp

@Suite("News: commits that are not answered", .timeLimit(.minutes(10)))
struct NewsUnansweredCommitTests {
    private struct End: Equatable {
        var announced: AnnouncedTexts
        var stored: AnnouncedTexts
        /// By story, the titles of its articles.
        var stories: [[String]]
    }

    private static let titles = [
        "Glacier survey finds record melt in Svalbard", "Elvestad bakery reopens its stone oven",
        "Paper mill tests recycled cartons", "Elvestad bakery reopens stone oven after repairs",
    ]

    @Test func storiesKeepTheirIdsAndTheirArticles() async throws {
        try await expectSameEndWithUnansweredCommits { run in
            let announced = Announcements()
            var end: End?
            try await NewsHub.run(commits: run.commits) { hub in
                hub.store.observe(\.committed, announced.add)
                run.begin()
                for (index, title) in Self.titles.enumerated() {
                    let article = newArticle("\(index)", title: title, published: index)
                    _ = try await run.attempt { try await hub.service.take([article]) }
                }
                var stories: [[String]] = []
                for story in 1...Self.titles.count {
                    // The first request of a user is counted in the store, too.
                    var status = await hub.ask("/v1/stories/\(story)").head.status
                    if status != 200 { status = await hub.ask("/v1/stories/\(story)").head.status }
                    guard status == 200 else { continue }
                    stories.append(
                        try await hub.object("/v1/stories/\(story)").texts("title", in: "articles")
                    )
                }
                end = End(
                    announced: AnnouncedTexts(announced.all, eventType),
                    stored: AnnouncedTexts(try await hub.store.storedPublications(), eventType),
                    stories: stories.map { $0.sorted() }
                )
            }
            let found = try require(end)
            expectEqual(found.announced, found.stored)
            expectEqual(found.stories.flatMap(\.self).sorted(), Self.titles.sorted())
            return found
        }
    }
}
