import Expectations
import News
import Service
import TokenTesting
import Wire

@testable import NewsApp

@Suite("Whose request of the news it is", .timeLimit(.minutes(10)))
struct NewsCallersTests {
    private func run(
        development: Bool = false,
        _ body: (NewsHub, TestTokens) async throws -> Void
    ) async throws {
        let tokens = try await TestTokens()
        let verifier = tokens.verifier
        let access = RouteAccess(verifier: { verifier })
        try await NewsHub.run(development: development, access: access, key: "back-end-key") {
            hub in
            try await body(hub, tokens)
        }
    }

    @Test func developmentTakesAnyNameAndUserOneWithoutAny() async throws {
        try await run(development: true) { hub, _ in
            let named = try await hub.object(
                "/v1/feed/story-groups",
                headers: ["X-User-ID": "anna"]
            )
            expectEqual(named["user_id"] as? String, "anna")
            let query = try await hub.object("/v1/feed/story-groups?user_id=ben")
            expectEqual(query["user_id"] as? String, "ben")
            let none = try await hub.object("/v1/feed/story-groups")
            expectEqual(none["user_id"] as? String, "1")
        }
    }

    /// `user_id` is percent-encoded, as every value of a query.
    @Test(arguments: [
        ("auth0|0a1b2c3d4e5f", "auth0%7C0a1b2c3d4e5f"),
        ("ann+news@example.com", "ann%2Bnews%40example.com"),
        ("000123.9a8b7c6d.0456", "000123.9a8b7c6d.0456"),
        ("https://id.example.org/#me", "https%3A%2F%2Fid.example.org%2F%23me"),
        ("用户 一", "%E7%94%A8%E6%88%B7%20%E4%B8%80"),
    ])
    func userOfAnIdentityProviderHasDataOfItsOwn(user: String, encoded: String) async throws {
        try await run { hub, tokens in
            let token = try tokens.connection(user)
            let own: HTTPHeaders = ["X-User-ID": user, "Authorization": "Bearer \(token)"]
            let body = #"{"holdings":["AAPL"]}"#
            _ = try await hub.object("/v1/preferences", method: "PUT", headers: own, body: body)
            let bearer: HTTPHeaders = ["Authorization": "Bearer \(token)"]
            let path = "/v1/preferences?user_id=\(encoded)"
            let stored = try await hub.object(path, headers: bearer)
            expectEqual(stored.items("holdings").count, 1)
            let id = try require(NewsUserID(user))
            try await expectEqual(hub.payloads(of: Topic.news(id).name).count, 1)
            let exported = try await hub.store.newsUserData[0].rows(user, 0, 10)
            expectEqual(exported.count, 1)

            try await hub.store.deleteNewsData(of: id)
            let left = try await hub.object(path, headers: bearer)
            expect(left.items("holdings").isEmpty)
            try await expect(hub.payloads(of: Topic.news(id).name).isEmpty)
        }
    }

    @Test func severalUsersInHeadersAreRefused() async throws {
        try await run(development: true) { hub, _ in
            var headers: HTTPHeaders = ["X-User-ID": "anna"]
            headers.append("X-User-ID", "ben")
            let error = try await hub.object("/v1/feed", headers: headers, status: 400)
            expectEqual(error["error"] as? String, "Invalid user ID")
            expectEqual(
                error["details"] as? String,
                "the request has 2 headers X-User-ID, expected one"
            )
        }
    }

    @Test func requestWithoutAUserIsRefused() async throws {
        try await run { hub, _ in
            let error = try await hub.object("/v1/feed", status: 400)
            expectEqual(error["error"] as? String, "User ID is required")
        }
    }

    @Test func nameWithoutAProofIsForbidden() async throws {
        try await run { hub, _ in
            for headers: HTTPHeaders in [
                ["X-User-ID": "anna"],
                ["X-User-ID": "anna", "Authorization": "Bearer x"],
            ] {
                let error = try await hub.object("/v1/feed", headers: headers, status: 403)
                expectEqual(
                    error["error"] as? String,
                    "Insufficient permissions or invalid API key"
                )
            }
        }
    }

    /// Also in development, where no key is needed: the sender meant to send the right one.
    @Test(arguments: [false, true])
    func wrongKeyIsRefusedEverywhere(development: Bool) async throws {
        try await run(development: development) { hub, tokens in
            let token = "Bearer \(try tokens.connection("anna"))"
            let body = #"{"articles":[{"url":"https://news.example.org/a","title":"T"}]}"#
            for headers: HTTPHeaders in [
                ["X-API-Key": "another-key"], ["X-API-Key": ""],
                ["X-API-Key": "back-end-key", "x-api-key": "back-end-key"],
                ["Authorization": "apikey another-key"],
                ["Authorization": token, "X-API-Key": "another-key"],
            ] {
                var headers = headers
                headers.append("X-User-ID", "anna")
                for (method, path) in [("GET", "/v1/feed"), ("POST", "/api/news/articles")] {
                    let error = try await hub.object(
                        path,
                        method: method,
                        headers: headers,
                        body: method == "GET" ? "" : body,
                        status: 401
                    )
                    expectEqual(error["error"] as? String, "API key is missing or invalid")
                }
            }
        }
    }

    @Test func keyOfABackEndSpeaksForEveryUser() async throws {
        try await run { hub, _ in
            let headers: HTTPHeaders = ["X-User-ID": "anna", "X-API-Key": "back-end-key"]
            _ = try await hub.object("/v1/feed", headers: headers)
        }
    }

    @Test func tokenIsForItsOwnSubjectOnly() async throws {
        try await run { hub, tokens in
            let token = try tokens.connection("anna")
            let own: HTTPHeaders = ["X-User-ID": "anna", "Authorization": "Bearer \(token)"]
            _ = try await hub.object("/v1/feed", headers: own)
            let other: HTTPHeaders = ["X-User-ID": "ben", "Authorization": "Bearer \(token)"]
            _ = try await hub.object("/v1/feed", headers: other, status: 403)
            let expired = try tokens.expiredConnection("anna")
            let late: HTTPHeaders = ["X-User-ID": "anna", "Authorization": "Bearer \(expired)"]
            _ = try await hub.object("/v1/feed", headers: late, status: 403)
        }
    }

    /// Otherwise anyone could use up the requests of any user.
    @Test func refusedRequestsDoNotCount() async throws {
        try await run { hub, _ in
            for _ in 0..<120 { _ = await hub.ask("/v1/feed", headers: ["X-User-ID": "anna"]) }
            let headers: HTTPHeaders = ["X-User-ID": "anna", "X-API-Key": "back-end-key"]
            let response = await hub.ask("/v1/feed", headers: headers)
            expectEqual(response.head.status, 200)
            expectEqual(response.head.headers.first("X-RateLimit-Remaining"), "99")
        }
    }

    @Test func pushNeedsAKey() async throws {
        try await run { hub, tokens in
            let body = #"{"articles":[{"url":"https://news.example.org/a","title":"T"}]}"#
            let path = "/api/news/articles"
            let token = try tokens.connection("anna")
            for headers: HTTPHeaders in [
                [:], ["X-API-Key": "another-key"], ["Authorization": "Bearer \(token)"],
            ] {
                let error = try await hub.object(
                    path,
                    method: "POST",
                    headers: headers,
                    body: body,
                    status: 401
                )
                expectEqual(error["error"] as? String, "API key is missing or invalid")
            }
            let answer = try await hub.object(
                path,
                method: "POST",
                headers: ["X-API-Key": "back-end-key"],
                body: body
            )
            expectEqual(answer["added"] as? Int, 1)
        }
    }
}
