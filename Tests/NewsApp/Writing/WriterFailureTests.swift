import Expectations
import HubTesting
import Logging
import LoopTesting
import News
import Store

@testable import NewsApp

@Suite("Writer of the news: budget and failures", .timeLimit(.minutes(10)))
struct WriterFailureTests {
    private let cost = WriterHub.usage.inputTokens + WriterHub.usage.outputTokens

    // MARK: Budget

    @Test func restartKeepsTheSpendingOfTheDay() async throws {
        try await WriterHub.run { hub in
            hub.set(WriterHub.summary())
            let (first, second) = (try await hub.article("a"), try await hub.article("b"))
            let one: @Sendable (Int) async throws -> NewsWriter = { minutes in
                try await hub.writer(after: minutes) { $0.dailyRequests = 1 }
            }
            let writer = try await one(0)
            await expect(writer.summary(of: first) != nil)
            await expectNil(writer.summary(of: second))
            try await expectNil(one(5).summary(of: second))
            expectEqual(hub.requests.count, 1)
            let spent = DaySpending(day: WriterHub.day, requests: 1, tokens: cost)
            try await expectEqual(hub.spending(), spent)
            // What is written stays, and the next day has a budget of its own.
            await expect(writer.summary(of: first) != nil)
            try await expect(one(24 * 60).summary(of: second) != nil)
            try await expectEqual(hub.spending(after: 1).requests, 1)
        }
    }

    @Test func budgetOfTokensIsNotExceeded() async throws {
        try await WriterHub.run { hub in
            hub.set(WriterHub.summary())
            let article = try await hub.article()
            let needed = try require(SummaryTask(article)).prompt.tokensMax
            let poor = try await hub.writer { $0.dailyTokens = needed - 1 }
            await expectNil(poor.summary(of: article))
            expect(hub.requests.isEmpty)
            let rich = try await hub.writer { $0.dailyTokens = needed }
            await expect(rich.summary(of: article) != nil)
        }
    }

    @Test func oneUserCannotUseUpTheBudget() async throws {
        try await WriterHub.run { hub in
            hub.set(WriterHub.interpretation())
            let writer = try await hub.writer {
                $0.dailyRequests = 10
                $0.dailyTokens = 0
                $0.userSharePercent = 10
            }
            let ann = try require(NewsUserID("ann"))
            let bob = try require(NewsUserID("bob"))
            let ask: @Sendable (String, NewsUserID) async -> Bool = { text, user in
                await writer.interpretation(of: text, for: user, within: .seconds(60)) != nil
            }
            await expect(ask("Profit rises.", ann))
            await expectEqual(ask("Profit rises again.", ann), false)
            await expect(ask("Profit rises again.", bob))
            expectEqual(hub.requests.count, 2)
            // Texts of all users have no share.
            hub.set(WriterHub.summary())
            for name in ["a", "b"] {
                try await expect(writer.summary(of: hub.article(name)) != nil)
            }
        }
    }

    /// A user with many holdings needs many explanations. Other holders have them for nothing.
    @Test func explanationsAreOfTheShareOfTheFirstUserWhoNeedsThem() async throws {
        try await WriterHub.run { hub in
            hub.set(WriterHub.explanation())
            let writer = try await hub.writer {
                $0.dailyRequests = 10
                $0.dailyTokens = 0
                $0.userSharePercent = 20
            }
            let ann = try require(NewsUserID("ann"))
            let bob = try require(NewsUserID("bob"))
            let story = try await hub.story()
            let tickers = try ["AAPL", "MSFT", "NVDA", "TSLA"].map { try require(Ticker($0)) }
            for ticker in tickers.prefix(3) {
                _ = await writer.explanation(of: story, for: ticker, paidBy: ann)
            }
            expectEqual(hub.requests.count, 2)
            _ = await writer.explanation(of: story, for: tickers[0], paidBy: bob)
            expectEqual(hub.requests.count, 2, "it is written already")
            _ = await writer.explanation(of: story, for: tickers[2], paidBy: bob)
            expectEqual(hub.requests.count, 3)
            // A restart resets nothing.
            let later = try await hub.writer {
                $0.dailyRequests = 10
                $0.dailyTokens = 0
                $0.userSharePercent = 20
            }
            await expectNil(later.explanation(of: story, for: tickers[3], paidBy: ann))
            expectEqual(hub.requests.count, 3)
        }
    }

    /// Or each read of a feed would send as many requests that are refused.
    @Test func backgroundPausesAfterTheBudgetIsUsedUp() async throws {
        try await WriterHub.run { hub in
            hub.set(WriterHub.summary())
            let writer = try await hub.writer { $0.dailyRequests = 1 }
            _ = await writer.summary(of: try await hub.article("a"))
            _ = await writer.summary(of: try await hub.article("b"))
            let story = try await hub.story()
            let background = Task { await writer.run() }
            writer.request(explanations: [(story, WriterHub.ticker)])
            background.cancel()
            await background.value
            expectEqual(hub.requests.count, 1)
        }
    }

    // MARK: Failures

    @Test(arguments: [
        (401, "authentication_error"), (403, "permission_error"), (404, "not_found_error"),
    ])
    func refusedKeyAndUnknownModelSwitchTheWriterOff(status: Int, type: String) async throws {
        try await WriterHub.run { hub in
            let (logger, lines) = StreamedLog.make()
            hub.set(WriterHub.error(status, type))
            let writer = try await hub.writer(logger: logger)
            for name in ["a", "b"] {
                try await expectNil(writer.summary(of: hub.article(name)))
            }
            expectEqual(hub.requests.count, 1)
            let line = await lines.first { $0.level == .error }
            expectEqual(line?.message, "source is switched off until the hub starts again")
            expectEqual(line?.metadata["domain"], "news")
            expectEqual(line?.metadata["source"], "writer")
            expectEqual(line?.metadata["reason"]?.contains("\(status)"), true)
            expectEqual(line?.metadata.values.contains { $0.contains(WriterHub.key) }, false)
            // After a restart it is asked again: an operator may have acted.
            hub.set(WriterHub.summary())
            try await expect(hub.writer().summary(of: try await hub.article("c")) != nil)
        }
    }

    @Test func overloadIsNotKeptAsAnAnswer() async throws {
        try await WriterHub.run { hub in
            hub.set(WriterHub.error(529, "overloaded_error"))
            let article = try await hub.article()
            let writer = try await hub.writer()
            await expectNil(writer.summary(of: article))
            // The breaker is open.
            try await expectNil(writer.summary(of: hub.article("b")))
            expectEqual(hub.requests.count, 1)
            hub.set(WriterHub.summary())
            try await expect(hub.writer(after: 15).summary(of: article) != nil)
        }
    }

    @Test func requestThatIsWrongIsNotRepeatedAtOnce() async throws {
        try await WriterHub.run { hub in
            hub.set(WriterHub.error(400, "invalid_request_error"), WriterHub.summary())
            let article = try await hub.article()
            let writer = try await hub.writer()
            await expectNil(writer.summary(of: article))
            await expectNil(writer.summary(of: article))
            expectEqual(hub.requests.count, 1)
            // Only this one: another article may have what the provider accepts.
            try await expect(writer.summary(of: hub.article("b")) != nil)
        }
    }

    @Test func slowAnswerIsNone() async throws {
        try await WriterHub.run { hub in
            hub.set(.never)
            let article = try await hub.article()
            let writer = try await hub.writer { $0.timeout = .milliseconds(20) }
            await expectNil(writer.summary(of: article))
            // The provider may have counted it.
            try await expect(hub.spending().tokens > 0)
            hub.set(WriterHub.summary())
            try await expect(hub.writer().summary(of: article) != nil)
        }
    }

    // MARK: The store

    @Test func failureOfTheStoreIsLoggedAndNoText() async throws {
        try await WriterHub.run { hub in
            let (logger, lines) = StreamedLog.make()
            hub.set(WriterHub.summary())
            let article = try await hub.article()
            let writer = try await hub.writer(logger: logger)
            try await hub.store.commitNews { tables in
                try tables.session.run("DROP TABLE news_written_text")
                return (Change(), ())
            }
            await expectNil(writer.summary(of: article))
            let known = try await hub.store.readNews { writer.summary(known: article, in: $0) }
            expectNil(known)
            let line = await lines.first { $0.level == .warning }
            expectEqual(line?.message, "news: written text not read")
            expect(hub.requests.isEmpty)
        }
    }

    @Test func textOfAnArticleThatIsWithdrawnMeanwhileIsNotKept() async throws {
        try await WriterHub.run { hub in
            let gate = ScriptedServer.Gate()
            hub.set(WriterHub.summary().held(by: gate))
            let article = try await hub.article()
            let writer = try await hub.writer()
            async let summary = writer.summary(of: article)
            _ = await hub.provider.requests.first { _ in true }
            try await hub.store.commitNews { tables in
                _ = try tables.deleteArticle(article.id)
                return (Change(), ())
            }
            gate.open()
            await expectNil(summary)
            let known = try await hub.store.readNews { writer.summary(known: article, in: $0) }
            expectNil(known)
            try await expectEqual(hub.spending().tokens, cost)
        }
    }
}
