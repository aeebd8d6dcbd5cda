import Expectations
import Foundation
import News
import Service
import StoreTesting
import Wire

@testable import NewsApp

@Suite("/v1 of the news", .timeLimit(.minutes(10)))
struct NewsRoutesTests {
    // MARK: Feed

    @Test func emptyHubHasAnEmptyFeed() async throws {
        try await NewsHub.run { hub in
            let page = try await hub.object("/v1/feed")
            expect(page.items("items").isEmpty)
            expect(page["next_cursor"] is NSNull)
        }
    }

    @Test func pagesOfTheFeedRepeatAndMissNothingWhileArticlesArrive() async throws {
        try await NewsHub.run { hub in
            try await hub.fill(25, each: 2)
            let all = try await hub.object("/v1/feed?limit=100&include=ignored")
            let expected = all.texts("id", in: "items")
            expectEqual(expected.count, 25)
            var ids: [String] = []
            var target = "/v1/feed?limit=4&include=ignored"
            while true {
                let page = try await hub.object(target)
                ids += page.texts("id", in: "items")
                guard let cursor = page["next_cursor"] as? String else { break }
                target = "/v1/feed?limit=4&include=ignored&cursor=\(cursor)"
                let extra = newArticle("extra\(ids.count)", title: "\(madeWord(0)) \(madeWord(1))")
                _ = try await hub.service.take([extra])
            }
            expectEqual(ids, expected)
        }
    }

    @Test func ignoredSignalsAreLeftOutUnlessAskedFor() async throws {
        try await NewsHub.run { hub in
            // Beside stories of four publishers, one of a single publisher matters little.
            try await hub.fill(20, each: 4, from: 100)
            try await hub.fill(10)
            let shown = try await hub.object("/v1/feed?limit=100").items("items")
            let all = try await hub.object("/v1/feed?limit=100&include=ignored").items("items")
            expectEqual(all.count, 30)
            expect(shown.count < all.count)
            expect(shown.allSatisfy { $0["verdict"] as? String == "aware" })
            expect(all.contains { $0["verdict"] as? String == "ignore" })
        }
    }

    @Test(arguments: [
        ("limit=0", "Invalid value of limit"), ("limit=101", "Invalid value of limit"),
        ("limit=x", "Invalid value of limit"), ("cursor=x", "Invalid cursor"),
        ("include=all", "Invalid value of include"),
    ])
    func badQueryIsRefusedWithTheField(query: String, error: String) async throws {
        try await NewsHub.run { hub in
            let body = try await hub.object("/v1/feed?\(query)", status: 400)
            expectEqual(body["error"] as? String, error)
        }
    }

    @Test func cursorOfAnotherUsersFeedIsRefused() async throws {
        try await NewsHub.run { hub in
            try await hub.fill(3)
            let own: HTTPHeaders = ["X-User-ID": "anna"]
            let page = try await hub.object("/v1/personalized-feed?limit=1", headers: own)
            let cursor = try require(page["next_cursor"] as? String)
            let target = "/v1/personalized-feed?limit=1&cursor=\(cursor)"
            _ = try await hub.object(target, headers: own)
            let other = try await hub.object(target, headers: ["X-User-ID": "ben"], status: 400)
            expectEqual(other["error"] as? String, "Invalid cursor")
        }
    }

    @Test func unchangedFeedIs304() async throws {
        try await NewsHub.run { hub in
            try await hub.fill(2)
            let first = await hub.ask("/v1/feed")
            let tag = try require(first.head.headers.first("ETag"))
            let cache = first.head.headers.first("Cache-Control")
            expectEqual(cache, "private, max-age=0, must-revalidate")
            let again = await hub.ask("/v1/feed", headers: ["If-None-Match": tag])
            expectEqual(again.head.status, 304)
            expect(again.body.isEmpty)
        }
    }

    // MARK: Rate limit

    @Test func everyAnswerHasTheRateLimitAndThe101stRequestIsRefused() async throws {
        try await NewsHub.run { hub in
            var statuses: [Int] = []
            // The minute may end in between, so up to two windows are used up.
            for number in 0..<201 {
                let path = number.isMultiple(of: 2) ? "/v1/feed" : "/v1/stories/1"
                let response = await hub.ask(path, headers: ["X-User-ID": "anna"])
                statuses.append(response.head.status)
                expectEqual(response.head.headers.first("X-RateLimit-Limit"), "100")
                expect(response.head.headers.first("X-RateLimit-Remaining") != nil)
                expect(response.head.headers.first("X-RateLimit-Reset") != nil)
                if response.head.status == 429 {
                    expect(response.head.headers.first("Retry-After") != nil)
                    expectEqual(
                        String(decoding: response.body, as: UTF8.self),
                        #"{"error":"Rate limit exceeded"}"#
                    )
                    break
                }
            }
            expectEqual(statuses.last, 429)
            expect(statuses.count > 100)
            let other = await hub.ask("/v1/feed", headers: ["X-User-ID": "ben"])
            expectEqual(other.head.status, 200)
        }
    }

    // MARK: Preferences

    @Test func preferencesComeBackAndHoldingsChangeTheFeed() async throws {
        try await NewsHub.run { hub in
            try await hub.fill(4)
            try await hub.fill(1, each: 3, from: 10, tickers: ["AAPL"])
            let before = try await hub.object("/v1/personalized-feed")
            expect(before.items("items").allSatisfy { $0["explanation"] is NSNull })
            let answer = try await hub.object(
                "/v1/preferences",
                method: "PUT",
                body: #"""
                    {"focus_profile":"focused","holdings":["aapl",{"ticker":"MSFT","label":"M"}]}
                    """#
            )
            expectEqual(answer["success"] as? Bool, true)
            expectEqual(answer["holdings_count"] as? Int, 2)
            let kept = try await hub.object("/v1/preferences")
            expectEqual(kept.texts("ticker", in: "holdings"), ["AAPL", "MSFT"])
            expectEqual(kept["focus_profile"] as? String, "focused")
            let partial = try await hub.object(
                "/v1/preferences",
                method: "PUT",
                body: #"{"focus_profile":"broad"}"#
            )
            expectEqual(partial["holdings_count"] as? Int, 2)
            let after = try await hub.object("/v1/personalized-feed")
            expectEqual(
                after.texts("profileTier", in: "items"),
                ["high", "low", "low", "low", "low"]
            )
            expectEqual(after.texts("tickerSummary", in: "items"), ["AAPL", "", "", "", ""])
            let explanations = after.items("items").map { $0["explanation"] as? [String: Any] }
            expectEqual(explanations.map { $0 != nil }, [true, false, false, false, false])
            let confidence = try require(explanations[0]?["confidence"] as? Double)
            expect((0...0.4).contains(confidence), "no model has written it")
        }
    }

    @Test func changedPreferencesArePublishedOnTheUsersTopic() async throws {
        try await NewsHub.run { hub in
            let body = #"{"holdings":["AAPL"]}"#
            _ = try await hub.object(
                "/v1/preferences",
                method: "PUT",
                headers: ["X-User-ID": "anna"],
                body: body
            )
            let payloads = try await hub.payloads(of: "news:user:anna")
            expectEqual(payloads.count, 1)
            expectEqual(payloads.first?.contains("news.preferences.updated"), true)
            expectEqual(payloads.first?.contains(#""topics":["news:ticker:AAPL"]"#), true)
        }
    }

    @Test func tickerThatIsNoneHasTheDocumentedError() async throws {
        try await NewsHub.run { hub in
            let answer = try await hub.object(
                "/v1/preferences",
                method: "PUT",
                body: #"{"holdings":["BRK.B"]}"#,
                status: 400
            )
            expectEqual(
                answer["error"] as? String,
                "Invalid ticker format. Use 1-5 letters/numbers (e.g., AAPL, NVDA)"
            )
        }
    }

    @Test func deletedUserLeavesNothing() async throws {
        try await NewsHub.run { hub in
            try await hub.fill(1)
            let user: HTTPHeaders = ["X-User-ID": "anna"]
            let body = #"{"holdings":["AAPL"]}"#
            _ = try await hub.object("/v1/preferences", method: "PUT", headers: user, body: body)
            let id = "https:%2F%2Fnews.example.org%2F0-0"
            _ = try await hub.object(
                "/v1/signals/\(id)/feedback",
                method: "POST",
                headers: user,
                body: #"{"feedback":"useful"}"#
            )
            let answer = try await hub.object(
                "/v1/users/me/data",
                method: "DELETE",
                headers: user
            )
            expectEqual(answer["success"] as? Bool, true)
            let left = try await hub.store.readNews { tables in
                try ["news_user", "news_holding", "news_brief", "news_feedback"].map {
                    try tables.session.integer("SELECT count(*) FROM \($0)") ?? -1
                }
            }
            expectEqual(left, [0, 0, 0, 0])
            try await expect(hub.payloads(of: "news:user:anna").isEmpty)
        }
    }

    // MARK: Stories

    @Test func groupsOfTheDayAreGlobalOrOfAHolding() async throws {
        try await NewsHub.run { hub in
            try await hub.fill(2, each: 2)
            var apple = newArticle("apple", title: "Chips shortage ends", tickers: ["AAPL"])
            apple.source = ArticleSource(name: "x", title: "X")
            _ = try await hub.service.take([apple])
            _ = try await hub.object(
                "/v1/preferences",
                method: "PUT",
                body: #"{"holdings":["AAPL","MSFT"]}"#
            )
            let groups = try await hub.object("/v1/feed/story-groups?date=2026-01-01")
            expectEqual(groups["date"] as? String, "2026-01-01")
            expectEqual(groups["user_id"] as? String, "1")
            expectEqual(groups.items("global").count, 2)
            let byTicker = try require(groups["by_ticker"] as? [String: Any])
            expectEqual(byTicker.items("AAPL").count, 1)
            expect(byTicker.items("MSFT").isEmpty)
            expectEqual(groups.items("merged_feed").count, 3)
            let metadata = try require(groups["metadata"] as? [String: Any])
            expectEqual(metadata["total_groups"] as? Int, 3)
            let other = try await hub.object("/v1/feed/story-groups?date=2026-01-02")
            expect(other.items("global").isEmpty)
        }
    }

    @Test func storyHasItsArticlesAndItsTimeline() async throws {
        try await NewsHub.run { hub in
            try await hub.fill(1, each: 3)
            let story = try await hub.object("/v1/stories/1")
            expectEqual(story.items("articles").count, 3)
            expectEqual(story["article_count"] as? Int, 3)
            expectEqual(story.texts("change", in: "timeline").first, "created")
        }
    }

    @Test(arguments: ["2", "0", "x", "-1"])
    func unknownStoryIs404(id: String) async throws {
        try await NewsHub.run { hub in
            try await hub.fill(1)
            let error = try await hub.object("/v1/stories/\(id)", status: 404)
            expectEqual(error["error"] as? String, "Story not found")
        }
    }

    @Test func mergedStoryRedirectsToItsTarget() async throws {
        try await NewsHub.run { hub in
            try await hub.fill(2)
            try await hub.store.commitNews { tables in
                try tables.moveSignals(ofStory: 2, to: 1)
                try tables.merge(story: 2, into: 1)
                return (.init(), ())
            }
            let response = await hub.ask("/v1/stories/2")
            expectEqual(response.head.status, 301)
            expectEqual(response.head.headers.first("Location"), "/v1/stories/1")
            let target = try await hub.object("/v1/stories/1")
            expectEqual(target["aliases"] as? [Int], [2])
        }
    }

    // MARK: Search and feedback

    @Test func pagesOfASearchAreOneList() async throws {
        try await NewsHub.run { hub in
            try await hub.fill(1, each: 9)
            var ids: [String] = []
            let word = madeWord(0)
            var target = "/v1/search?q=\(word)&limit=2"
            while true {
                let page = try await hub.object(target)
                expectEqual(page["query"] as? String, word)
                ids += page.texts("id", in: "items")
                guard let cursor = page["next_cursor"] as? String else { break }
                target = "/v1/search?q=\(word)&limit=2&cursor=\(cursor)"
                _ = try await hub.service.take([newArticle("later\(ids.count)", title: word)])
            }
            expectEqual(ids.count, 9)
            expectEqual(Set(ids).count, 9)
        }
    }

    @Test func searchWithoutWordsIsRefusedAndOneOfSignsFindsNothing() async throws {
        try await NewsHub.run { hub in
            try await hub.fill(1)
            _ = try await hub.object("/v1/search", status: 400)
            _ = try await hub.object("/v1/search?q=", status: 400)
            try await expect(hub.object("/v1/search?q=%2B%2B").items("items").isEmpty)
        }
    }

    @Test func feedbackOnAnUnknownSignalIs404() async throws {
        try await NewsHub.run { hub in
            let error = try await hub.object(
                "/v1/signals/nothing/feedback",
                method: "POST",
                body: #"{"feedback":"wrong"}"#,
                status: 404
            )
            expectEqual(error["error"] as? String, "Signal not found")
        }
    }

    // MARK: Errors

    @Test func errorsHaveTheDocumentedForm() async throws {
        try await NewsHub.run { hub in
            let unknown = try await hub.object("/v1/nothing", status: 404)
            expectEqual(unknown["error"] as? String, "Resource not found")
            let method = try await hub.object("/v1/feed", method: "DELETE", status: 405)
            expectEqual(method["error"] as? String, "Method not allowed")
            let long = String(repeating: " ", count: NewsRoutes.bodyBytesMax + 1)
            let body = try await hub.object(
                "/v1/preferences",
                method: "PUT",
                body: long,
                status: 413
            )
            expectEqual(body["error"] as? String, "Request body is too large")
        }
    }

    @Test func briefBeforeTheFirstOneIsTheDocumentedStub() async throws {
        try await NewsHub.run { hub in
            let response = await hub.ask("/v1/brief/latest")
            let text = String(decoding: response.body, as: UTF8.self)
            expectEqual(text, #"{"items":[],"generated_at":null}"#)
        }
    }
}
