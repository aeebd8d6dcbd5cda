import Expectations
import News
import Store
import StoreTesting

@testable import NewsApp

@Suite("Articles become signals, stories and events", .timeLimit(.minutes(10)))
struct NewsPipelineTests {
    /// A pipeline and the tables of one transaction, with ids that count.
    private struct Desk {
        var pipeline = NewsPipeline()
        let tables: NewsTables
        private var nextID = 0

        init(_ tables: NewsTables) {
            self.tables = tables
        }

        mutating func take(_ articles: [Article], minute: Int) throws -> NewsPipeline.Output {
            var next = nextID
            defer { nextID = next }
            return try pipeline.take(articles, tables, now: at(minute)) {
                next += 1
                return "id-\(next)"
            }
        }

        mutating func tick(minute: Int) throws -> NewsPipeline.Output {
            try pipeline.tick(tables, now: at(minute)) { "tick" }
        }

        mutating func withdraw(_ name: String, minute: Int) throws -> NewsPipeline.Output {
            let article = try tables.article(url: "https://news.example.org/\(name)")
            let articles = [article].compactMap(\.self)
            return try pipeline.withdraw(articles, tables, now: at(minute)) { "withdrawn" }
        }
    }

    private func withDesk(_ body: @escaping @Sendable (inout Desk) throws -> Void) async throws {
        try await withNewsTables { tables throws in
            var desk = Desk(tables)
            try body(&desk)
        }
    }

    private func report(
        _ name: String,
        _ title: String,
        owner: String,
        minute: Int,
        tickers: [String] = []
    ) -> Article {
        var article = newArticle(name, title: title, published: minute, tickers: tickers)
        article.source = ArticleSource(name: owner, title: "The \(owner)")
        article.firstSeenAt = at(minute)
        return article
    }

    private let storm = [
        "Geomagnetic storm reaches severe level tonight",
        "Severe geomagnetic storm tonight, forecasters warn",
        "Forecasters warn of a severe geomagnetic storm tonight",
        "Aurora visible tonight as severe geomagnetic storm arrives",
        "Severe geomagnetic storm: aurora tonight far to the south",
    ]

    @Test func articleIsPublishedOnceOnEachTopicOfItsSignal() async throws {
        try await withDesk { desk throws in
            let article = report("a", "Apple beats", owner: "one", minute: 0, tickers: ["AAPL"])
            let output = try desk.take([article], minute: 1)
            let signals = output.events.filter { $0.event.type == "news.signal.published" }
            expectEqual(signals.count, 1)
            let names = signals.first?.topics.map(\.name)
            expectEqual(names, ["news:ticker:AAPL", "news:category:general"])
            expectEqual(signals.first?.tags["article"], "1")
            expectEqual(signals.first?.tags["story"], "1")
            try expect(desk.take([article], minute: 2).events.isEmpty)
            expectEqual(output.counts, NewsCounts(added: 1))
        }
    }

    @Test func reportsOfOneEventAreOneStoryWhoseGrowthIsPublished() async throws {
        let storm = storm
        try await withDesk { desk throws in
            var types: [String] = []
            for (index, title) in storm.enumerated() {
                let article = report("\(index)", title, owner: "owner\(index)", minute: index * 5)
                let events = try desk.take([article], minute: index * 5 + 1).events
                types += events.map(\.event.type).filter { $0.hasPrefix("news.story") }
            }
            let created = "news.story.created"
            let updated = "news.story.updated"
            // The title and the impact stay, so only the counts 2, 3 and 5 are published, and 4 if
            // it changes the impact.
            expectEqual(types.first, created)
            expectEqual(types.count(where: { $0 == created }), 1)
            expect(types.count(where: { $0 == updated }) >= 3)
            let story = try require(desk.tables.story(1))
            expectEqual(story.articleCount, 5)
            expectEqual(story.copyCount, 0)
            try expectNil(desk.tables.story(2))
            try expectEqual(desk.tables.changes(ofStory: 1).map(\.articleCount).last, 5)
        }
    }

    @Test func importanceGrowsWithThePublishers() async throws {
        let storm = storm
        try await withDesk { desk throws in
            for (index, title) in storm.enumerated() {
                let article = report("\(index)", title, owner: "owner\(index)", minute: index)
                _ = try desk.take([article], minute: index + 1)
            }
            let bits = try (1...5).map { try require(desk.tables.signal(ofArticle: $0)) }
            expectEqual(bits.map(\.signal.rankKey), bits.map(\.signal.rankKey).sorted())
            expect(bits[4].signal.rankKey > bits[0].signal.rankKey)
            expect(bits.allSatisfy { $0.storyID == 1 })
        }
    }

    @Test func secondChangeWithinAMinuteIsPublishedByTheClock() async throws {
        let storm = storm
        try await withDesk { desk throws in
            let articles = storm.prefix(3).enumerated().map { index, title in
                report("\(index)", title, owner: "owner\(index)", minute: 0)
            }
            _ = try desk.take([articles[0]], minute: 1)
            let second = try desk.take([articles[1], articles[2]], minute: 1).events
            expect(second.allSatisfy { !$0.event.type.hasPrefix("news.story") })
            expect(desk.pipeline.isDue(now: at(1)))
            let ticked = try desk.tick(minute: 2).events
            expectEqual(ticked.map(\.event.type), ["news.story.updated"])
            try expect(desk.tick(minute: 3).events.isEmpty)
        }
    }

    @Test func copyIsInTheStoryAndInNoList() async throws {
        try await withDesk { desk throws in
            let title = "Severe geomagnetic storm reaches the earth tonight, forecasters say"
            let first = report("a", title, owner: "one", minute: 0)
            let copy = report("b", title, owner: "two", minute: 3)
            _ = try desk.take([first], minute: 1)
            let output = try desk.take([copy], minute: 4)
            expectEqual(output.counts, NewsCounts(added: 1, copies: 1))
            expect(output.events.allSatisfy { $0.event.type != "news.signal.published" })
            let story = try require(desk.tables.story(1))
            expect((story.articleCount, story.copyCount) == (1, 1))
            try expectEqual(desk.tables.signal(ofArticle: 2)?.copyOf, 1)
            let feed = try desk.tables.feed(
                after: .start,
                generation: 2,
                includesIgnored: true,
                limit: 9
            )
            expectEqual(feed.entries.map(\.articleID), [1])
        }
    }

    @Test func changedTitleChangesTheStoryButIsNoSecondSignal() async throws {
        try await withDesk { desk throws in
            _ = try desk.take([report("a", "Fed raises", owner: "one", minute: 0)], minute: 1)
            let changed = report("a", "Fed raises rates again", owner: "one", minute: 0)
            let output = try desk.take([changed], minute: 10)
            expectEqual(output.counts, NewsCounts(revised: 1))
            expectEqual(output.events.map(\.event.type), ["news.story.updated"])
            try expectEqual(desk.tables.story(1)?.title, "Fed raises rates again")
            try expectEqual(desk.tables.changes(ofStory: 1).map(\.kind), [.created, .retitled])
        }
    }

    @Test func withdrawnArticleLeavesATombstoneAndNothingElse() async throws {
        try await withDesk { desk throws in
            let article = report("a", "Apple beats", owner: "one", minute: 0, tickers: ["AAPL"])
            _ = try desk.take([article], minute: 1)
            let output = try desk.withdraw("a", minute: 2)
            let types = output.events.map(\.event.type)
            expectEqual(types, ["news.signal.removed", "news.story.removed"])
            expect(output.erasures.contains { $0.tag == "article" && $0.value == "1" })
            expect(output.erasures.contains { $0.tag == "story" && $0.value == "1" })
            try expectNil(desk.tables.article(1))
            try expectNil(desk.tables.signal(ofArticle: 1))
            try expectNil(desk.tables.story(1))
            try expect(desk.withdraw("a", minute: 3).events.isEmpty)
        }
    }

    @Test func storyOutlivesAWithdrawnArticle() async throws {
        let storm = storm
        try await withDesk { desk throws in
            for (index, title) in storm.prefix(3).enumerated() {
                let article = report("\(index)", title, owner: "owner\(index)", minute: index)
                _ = try desk.take([article], minute: index + 1)
            }
            _ = try desk.withdraw("0", minute: 9)
            let story = try require(desk.tables.story(1))
            expectEqual(story.articleCount, 2)
            expect(storm[1...2].contains(story.title))
        }
    }

    /// What a withdrawal changes is stored, so that a restart does not bring it back.
    @Test func withdrawnArticleDoesNotComeBackWithARestart() async throws {
        let storm = storm
        try await withDesk { desk throws in
            let articles = storm.enumerated().map { index, title in
                report("\(index)", title, owner: "owner\(index)", minute: index)
            }
            _ = try desk.take(articles, minute: 6)
            for name in ["1", "0", "4", "3", "2"] {
                let output = try desk.withdraw(name, minute: 9)
                let scale = output.state.first { $0.key == NewsPipeline.scaleKey }?.value
                let again = try NewsPipeline(restoring: desk.tables, scale: scale, now: at(9))
                let (board, stored) = (desk.pipeline.board, again.board)
                expectEqual(stored.openStoryIDs, board.openStoryIDs, "without \(name)")
                expectEqual(stored.story(1), board.story(1), "without \(name)")
                expectEqual(again.scale, desk.pipeline.scale, "without \(name)")
            }
            expectEqual(desk.pipeline.openStoryCount, 0)
        }
    }

    /// A copy can be in another story than its original.
    @Test func storiesOfAllCopiesAreComputedAgain() async throws {
        try await withDesk { desk throws in
            let title = "Granlia bridge closed after crack found in pillar"
            for (index, name) in ["a", "b"].enumerated() {
                let report = report(name, title, owner: name, minute: index)
                _ = try desk.take([report], minute: index + 1)
            }
            try expectEqual(desk.tables.signal(ofArticle: 2)?.copyOf, 1)
            let other = report("c", "Choir sings at the harbour", owner: "c", minute: 2)
            _ = try desk.take([other], minute: 3)
            let story = try require(desk.tables.signal(ofArticle: 3)).storyID
            try desk.tables.moveSignal(ofArticle: 2, toStory: story)
            _ = try desk.withdraw("a", minute: 9)
            let counts = try desk.tables.articleCounts(ofStory: story)
            expect((counts.all, counts.copies) == (2, 0))
            try expectEqual(desk.tables.story(story)?.articleCount, 2)
        }
    }

    /// The same articles give the same rows, whether or not the hub restarts after each of them.
    @Test func restartAfterEachArticleChangesNothing() async throws {
        let storm = storm
        try await withNewsTables { tables throws in
            var whole = Desk(tables)
            let articles = storm.enumerated().map { index, title in
                report("\(index)", title, owner: "owner\(index % 3)", minute: index * 7)
            }
            var scale: [UInt8]?
            for (index, article) in articles.enumerated() {
                let now = at(index * 7 + 1)
                whole.pipeline = try NewsPipeline(restoring: tables, scale: scale, now: now)
                let output = try whole.take([article], minute: index * 7 + 1)
                scale = output.state.first { $0.key == NewsPipeline.scaleKey }?.value ?? scale
            }
            let restarted = try tables.story(1)
            let signals = try (1...5).map { try tables.signal(ofArticle: $0) }
            try tables.session.run("DELETE FROM news_article")
            try tables.session.run("DELETE FROM news_story")
            try tables.session.run("DELETE FROM news_board")
            try tables.session.beginIDsAgain(of: "news_article")
            var other = Desk(tables)
            for (index, article) in articles.enumerated() {
                _ = try other.take([article], minute: index * 7 + 1)
            }
            try expectEqual(tables.story(1), restarted)
            try expectEqual((1...5).map { try tables.signal(ofArticle: $0) }, signals)
            try expectEqual(tables.articleCount(), 5)
        }
    }
}
