import Expectations
import News
import Store
import StoreTesting

@testable import NewsApp

@Suite("Tables of the news: written texts", .timeLimit(.minutes(10)))
struct WrittenTextTests {
    private static func key(_ number: UInt8) -> [UInt8] { Array(repeating: number, count: 32) }

    private static func text(_ minutes: Int = 0, _ json: String? = "{}") -> StoredText {
        StoredText(json: json.map { Array($0.utf8) }, model: "m", writtenAt: at(minutes))
    }

    private static func stored(_ tables: NewsTables, _ name: String = "a") throws -> Article {
        guard case .new(let article) = try tables.put(newArticle(name)) else {
            throw NewsTablesError("the article is there already")
        }
        return article
    }

    @Test func textIsKeptWithItsModelAndTime() async throws {
        try await withNewsTables { tables in
            try expectNil(tables.text(Self.key(1)))
            try tables.put(Self.text(3, #"{"a":1}"#), key: Self.key(1), of: .pastedText)
            try tables.put(Self.text(4, nil), key: Self.key(2), of: .pastedText)
            try expectEqual(tables.text(Self.key(1)), Self.text(3, #"{"a":1}"#))
            // That there is no text is kept, too.
            try expectEqual(tables.text(Self.key(2)), Self.text(4, nil))
            try tables.put(Self.text(5), key: Self.key(1), of: .pastedText)
            try expectEqual(tables.text(Self.key(1)), Self.text(5))
        }
    }

    @Test func textOfAnArticleReplacesThoseOfEarlierRevisions() async throws {
        try await withNewsTables { tables in
            let one = try Self.stored(tables, "one")
            let two = try Self.stored(tables, "two")
            try tables.put(Self.text(), key: Self.key(1), of: .article(id: one.id))
            try tables.put(Self.text(), key: Self.key(2), of: .article(id: two.id))
            try tables.put(Self.text(), key: Self.key(3), of: .article(id: one.id))
            try expectNil(tables.text(Self.key(1)))
            try expect(tables.text(Self.key(2)) != nil)
            try expect(tables.text(Self.key(3)) != nil)
        }
    }

    @Test func textOfWhatIsGoneIsNotStored() async throws {
        try await withNewsTables { tables in
            let subjects: [WritingSubject] = [.article(id: 5), .story(id: 5)]
            for subject in subjects {
                let isStored = try tables.put(Self.text(), key: Self.key(1), of: subject)
                expect(!isStored)
                try expectNil(tables.text(Self.key(1)))
            }
        }
    }

    @Test func deletedArticleTakesTheTextsWithItThatAreMadeOfIt() async throws {
        try await withNewsTables { tables in
            let article = try Self.stored(tables)
            for id in [7, 8] { try tables.put(StoredStory.example(id: id)) }
            try tables.put(
                StoredSignal(
                    articleID: article.id,
                    storyID: 7,
                    copyOf: nil,
                    signal: .example,
                    isGlobal: false
                ),
                tickers: []
            )
            try tables.put(Self.text(), key: Self.key(1), of: .article(id: article.id))
            try tables.put(Self.text(), key: Self.key(2), of: .story(id: 7))
            try tables.put(Self.text(), key: Self.key(3), of: .story(id: 8))
            try tables.put(Self.text(), key: Self.key(4), of: .pastedText)
            try expect(tables.deleteArticle(article.id))
            let left = try (1...4).map { try tables.text(Self.key($0)) != nil }
            expectEqual(left, [false, false, true, true])
        }
    }

    @Test func deletedStoryTakesItsTextsWithItAndAChangedOneKeepsThem() async throws {
        try await withNewsTables { tables in
            var story = StoredStory.example(id: 7)
            try tables.put(story)
            try tables.put(Self.text(), key: Self.key(1), of: .story(id: 7))
            story.revision += 1
            try tables.put(story)
            try expect(tables.text(Self.key(1)) != nil)
            try tables.deleteStory(7)
            try expectNil(tables.text(Self.key(1)))
        }
    }

    // MARK: Spending

    @Test func differencesOfSpendingAddUpByDayAndSource() async throws {
        try await withNewsTables { tables in
            func cost(_ source: String, _ day: Int) throws -> [Int] {
                let spent = try tables.spending(of: source, day: day)
                return [spent.requests, spent.tokens]
            }
            try tables.add(SpendingChange(day: 5, requests: 1, tokens: 100), of: "a")
            try tables.add(SpendingChange(day: 5, requests: 0, tokens: -40), of: "a")
            try tables.add(SpendingChange(day: 6, requests: 1, tokens: 7), of: "a")
            try tables.add(SpendingChange(day: 5, requests: 2, tokens: 9), of: "b")
            try expectEqual(cost("a", 5), [1, 60])
            try expectEqual(cost("a", 6), [1, 7])
            try expectEqual(cost("b", 5), [2, 9])
            try expectEqual(cost("c", 5), [0, 0])
            let ann: [UInt8] = [1, 2]
            try tables.add(SpendingChange(day: 5, requests: 1, tokens: 50, user: ann), of: "a")
            try tables.add(SpendingChange(day: 5, tokens: -20, user: ann), of: "a")
            try expectEqual(cost("a", 5), [2, 90])
            try expectEqual(tables.shares(of: "a", day: 5), [ann: .init(requests: 1, tokens: 30)])
            try expect(tables.shares(of: "a", day: 6).isEmpty)
            try expect(tables.shares(of: "b", day: 5).isEmpty)
        }
    }

    // MARK: Trimming

    @Test func oldTextsAndTheOldestOverTheLimitAreTrimmed() async throws {
        try await withStore(migrations: NewsTables.migrations) { store in
            let monthInMinutes = 30 * 24 * 60
            try await store.commitNews { tables in
                for (number, minutes) in [0, 1, 2, 3].enumerated() {
                    let key = Self.key(UInt8(number))
                    try tables.put(Self.text(minutes), key: key, of: .pastedText)
                }
                return (Change(), ())
            }
            let now = at(monthInMinutes + 1)
            try await expectEqual(store.trimNewsTexts(now: now), 1)
            try await expectEqual(store.trimNewsTexts(to: 2, now: now), 1)
            let left = try await store.readNews { tables in
                try (0..<4).filter { try tables.text(Self.key(UInt8($0))) != nil }
            }
            expectEqual(left, [2, 3])
        }
    }

    @Test func spendingOfThisMonthIsKept() async throws {
        try await withStore(migrations: NewsTables.migrations) { store in
            let day = Int(at(0).milliseconds / 86_400_000)
            try await store.commitNews { tables in
                for age in [0, 31, 32] {
                    let change = SpendingChange(day: day - age, requests: 1, tokens: 1, user: [1])
                    try tables.add(change, of: "a")
                }
                return (Change(), ())
            }
            try await store.trimNewsTexts(now: at(0))
            let left = try await store.readNews { tables in
                try [0, 31, 32].filter { try tables.spending(of: "a", day: day - $0).requests > 0 }
            }
            expectEqual(left, [0, 31])
            let shares = try await store.readNews { tables in
                try [0, 31, 32].filter { try !tables.shares(of: "a", day: day - $0).isEmpty }
            }
            expectEqual(shares, [0])
        }
    }
}

extension StoredStory {
    static func example(id: Int, revision: Int = 1, tickers: [Ticker] = []) -> StoredStory {
        StoredStory(
            id: id,
            title: "Profit of Acme Rockets rises",
            articleID: 1,
            articleCount: 1,
            copyCount: 0,
            startedAt: at(0),
            updatedAt: at(0),
            createdAt: at(0),
            novelty: 1,
            bits: 1,
            importance: 50,
            impact: .moderate,
            category: .business,
            primaryTicker: tickers.first,
            tickers: tickers,
            reasons: ["First report in 3 days"],
            revision: revision
        )
    }
}

extension ArticleSignal {
    static let example = ArticleSignal(
        importance: 50,
        rankKey: 1,
        isIgnored: false,
        reasons: ["First report in 3 days"],
        action: "Read the reported figures",
        horizon: .short,
        opportunity: .positive,
        opportunityNote: "Positive words: rises",
        relevance: .earnings,
        confidence: 50
    )
}
