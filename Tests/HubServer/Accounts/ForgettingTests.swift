import AllDomains
import Foundation
import HubTesting
import Locking
import Repository
import ShardTesting
import Store
import StoreTesting
import Tasks
import Testing
import Timekeeping
import TokenTesting

@testable import Accounts
@testable import HubServer

/// A hub with every domain in which two users have all that a user can have.
private struct FullHub {
    static let key = "the-key-of-a-backend"
    private static let secret = "whsec_" + String(repeating: "A", count: 32)
    static let keyField = "X-API-Key: \(key)"

    static let apps = "radar: {sources: [{name: made-up, kind: sample}]}\nnews: {}"

    /// - Parameter users: the section that switches the users on.
    static func yaml(_ users: String, apps: String = FullHub.apps) -> String {
        """
        development: true
        \(users)
        api: {keys: [\(key)]}
        \(apps)
        alerts:
          - {name: of-radars, topics: "radar:*", when: "opinion.confidence > 0"}
          - {name: of-feeds, topics: "activity:*", when: "activity_id > 0"}
          - {name: of-inboxes, topics: "inbox:*", when: "n > 0"}
        webhooks: [{name: everything, url: "http://127.0.0.1:9/hook", secret: \(secret)}]
        namespaces:
          - {name: inbox, owner: "inbox:{userId}:*", anonymous_subscribe: false, subscribe: owner}
          - {name: post, publish: owner}
          - {name: live, durable: false, anonymous_subscribe: false, subscribe: owner}
        """
    }

    static let films = "activity: {catalogue: \"\(repositoryRoot)/demo/catalogue.json\"}"
    static let accounts = "accounts: {}"

    let hub: AccountHub

    var store: HubStore { get async { await hub.service.store } }

    struct User {
        let name: String
        let tokens: AccountHub.Tokens
        let radar: String

        var marks: [String] { [name, tokens.user] }
    }

    @discardableResult
    func send(
        _ method: String,
        _ target: String,
        _ user: AccountHub.Tokens? = nil,
        fields: [String] = [],
        _ body: String = "",
        status: Int = 200
    ) async throws -> ShardTestClient.Response {
        let answer = try await hub.send(
            method,
            target,
            token: user?.access ?? "",
            fields: fields,
            body
        )
        try #require(answer.status == status, "\(method) \(target): \(answer)")
        return answer
    }

    /// Creates a user, and all data of a user that domains and the hub itself store.
    func user(_ name: String) async throws -> User {
        let tokens = try await hub.login(name)
        let made = try await send(
            "POST",
            "/api/radars",
            tokens,
            #"{"topic":"\#(name) in public","isPublic":true}"#,
            status: 201
        )
        try await send(
            "POST",
            "/api/radars",
            tokens,
            #"{"topic":"\#(name) in private","isPublic":false}"#,
            status: 201
        )
        let user = User(name: name, tokens: tokens, radar: try #require(text("id", in: made.body)))
        for (rule, topics, condition) in [
            ("radars", "radar:\(user.radar)", "opinion.confidence > 0"),
            ("inbox", "inbox:\(tokens.user):a", "n > 0"),
        ] {
            let rule = #"{"name":"\#(rule)","topics":"\#(topics)","when":"\#(condition)"}"#
            try await send("POST", "/api/alerts/rules", tokens, rule, status: 201)
        }
        try await send(
            "POST",
            "/api/radars/\(user.radar)/opinions",
            fields: [Self.keyField],
            #"{"author":"a","model":"m","content":"of \#(name)","stance":"for","confidence":0.9}"#,
            status: 201
        )
        try await send(
            "PUT",
            "/v1/preferences",
            fields: ["X-User-ID: \(tokens.user)", Self.keyField],
            #"{"holdings":[{"ticker":"AAPL","notes":"shares of \#(name)"}]}"#
        )
        for topic in ["inbox:\(tokens.user):a", "post:\(tokens.user)", "live:\(tokens.user)"] {
            let body = #"{"channel":"\#(topic)","data":{"n":1,"text":"to \#(name)"}}"#
            try await send("POST", "/api/publish", fields: [Self.keyField], body)
        }
        return user
    }

    /// Acts of two people of the film app with each other and with films.
    func befriend(_ one: User, _ other: User) async throws {
        let request = try await send(
            "POST",
            "/friends/requests",
            one.tokens,
            #"{"user_id":\#(other.tokens.user)}"#
        )
        let id = try #require(number("request_id", in: request.body))
        try await send("POST", "/friends/requests/\(id)/accept", other.tokens)
        for user in [one, other] {
            let review = #"{"rating":5,"is_review":true,"comment":"words of \#(user.name)"}"#
            try await send("POST", "/movies/1/rate", user.tokens, review)
            try await send("POST", "/movies/2/watch", user.tokens, #"{"event_type":"started"}"#)
            try await send("POST", "/movies/3/watchlist", user.tokens, #"{"action":"add"}"#)
            try await send("POST", "/movies/4/not_interested", user.tokens)
            try await send("PATCH", "/users/me", user.tokens, #"{"bio":"life of \#(user.name)"}"#)
        }
        let reviews = try await send("GET", "/movies/1/reviews", one.tokens)
        for (user, author) in [(one, other), (other, one)] {
            // The first review in the list that has the author's words.
            let parts = reviews.body.components(separatedBy: #""review_id":"#).dropFirst()
            let review = try #require(parts.first { $0.contains("words of \(author.name)") })
            let id = review.prefix { $0.isNumber }
            try await send("POST", "/movies/1/reviews/\(id)/like", user.tokens)
        }
    }

    func maintain(after time: Duration = .zero) async throws {
        let service = hub.service
        let now = HubClock.wall + time
        try await HubService.maintainOnce(
            store,
            now: now,
            wall: now,
            service.namespaces,
            service.transport,
            allDomains,
            nil,
            service.wired.leading.leader?.deletedAccounts
        )
    }

    /// Maintains the hub until only the note of the deletion has a user's name.
    func maintain(untilForgotten user: User) async throws -> [String: Int] {
        let traces = StoredTraces(store: await store)
        var found = try await traces(of: user.marks)
        var rounds = 0
        while found != ["state": 1] {
            try #require(rounds < 2000, "\(found)")
            try await maintain()
            found = try await traces(of: user.marks)
            rounds += 1
        }
        try await maintain(after: DeletedAccounts.settleTime)
        return try await traces(of: user.marks)
    }
}

@Suite("Accounts: what a deletion leaves", .timeLimit(.minutes(10)))
struct ForgettingTests {
    /// Tables in which two users share rows, or their places.
    private static let shared: Set = [
        "publication", "topic", "delivery", "delivery_tag", "friendship", "friend_request",
        "alert", "state", "alert_record", "review_like",
    ]

    private func withHub(
        _ users: String,
        _ body: (FullHub) async throws -> Void
    ) async throws {
        try await withDirectory { directory in
            try await AccountHub.run(in: directory, FullHub.yaml(users), domains: allDomains) {
                try await body(FullHub(hub: $0))
            }
        }
    }

    /// Numbers of people that are in no other number.
    private func begin(peopleAt id: Int, _ hub: FullHub) async throws {
        try await hub.store.onSession { session in
            try session.run(
                TestEngine.isPostgres
                    ? "ALTER TABLE person ALTER COLUMN id RESTART WITH \(id)"
                    : "INSERT INTO sqlite_sequence (name, seq) VALUES ('person', \(id - 1))"
            )
        }
    }

    private func check(_ hub: FullHub, _ gone: FullHub.User, _ left: FullHub.User) async throws {
        let traces = StoredTraces(store: await hub.store)
        let (before, others) = (try await traces(of: gone.marks), try await traces(of: left.marks))
        let expected: Set = [
            "radar", "opinion", "news_user", "news_holding", "state", "alert", "topic",
            "publication", "delivery", "delivery_tag", "account_refresh_token",
        ]
        #expect(expected.subtracting(before.keys) == [])
        let body = try await hub.send("DELETE", "/users/me", gone.tokens).body
        #expect(["{}", #"{"success":true}"#].contains(body))
        // At once.
        #expect(try await hub.hub.send("GET", "/api/radars/\(gone.radar)").status == 401)
        #expect(try await hub.hub.send("GET", "/users/me", token: gone.tokens.access).status == 401)
        #expect(try await hub.maintain(untilForgotten: gone) == [:])
        let after = try await traces(of: left.marks)
        #expect(
            after.filter { !Self.shared.contains($0.key) }
                == others.filter { !Self.shared.contains($0.key) }
        )
        try await hub.send("GET", "/api/radars/\(left.radar)")
        let history = #"{"channel":"inbox:\#(left.tokens.user):a","limit":10}"#
        let kept = try await hub.send(
            "POST",
            "/api/history",
            fields: [FullHub.keyField],
            history
        )
        #expect(kept.body.contains("to \(left.name)"))
    }

    @Test func noTableAndNoTopicHasTracesOfADeletedUserOfTheFilmApp() async throws {
        try await withHub(FullHub.films) { hub in
            try await begin(peopleAt: 918_273_641, hub)
            let (kari, ola) = (try await hub.user("Karixqz"), try await hub.user("Olavxqz"))
            try await hub.befriend(kari, ola)
            try await check(hub, kari, ola)
        }
    }

    @Test func noTableAndNoTopicHasTracesOfADeletedUserOfTheHubsOwn() async throws {
        try await withHub(FullHub.accounts) { hub in
            try await check(hub, try await hub.user("Karixqz"), try await hub.user("Olavxqz"))
        }
    }

    /// The hub ends after the transaction that deletes the account, before anything else is deleted.
    @Test func killAfterTheDeletionLosesNothing() async throws {
        let yaml = FullHub.yaml(FullHub.accounts)
        try await withDirectory { directory in
            let found = Locked<FullHub.User?>(nil)
            try await AccountHub.run(in: directory, yaml, domains: allDomains) { hub in
                let user = try await FullHub(hub: hub).user("Karixqz")
                #expect(try await hub.service.wired.node.accounts?.delete(user.tokens.user) == true)
                #expect(try await hub.send("GET", "/api/radars/\(user.radar)").status == 200)
                found.withLock { $0 = user }
            }
            let user = try #require(found.withLock { $0 })
            try await AccountHub.run(in: directory, yaml, domains: allDomains) { hub in
                // The start makes a pass, beside the first requests.
                while try await hub.send("GET", "/api/radars/\(user.radar)").status == 200 {
                    try Task.checkCancellation()
                }
                #expect(try await FullHub(hub: hub).maintain(untilForgotten: user) == [:])
            }
        }
    }

    @Test func dataThatCannotBeDeletedKeepNoOtherData() async throws {
        try await withHub(FullHub.accounts) { hub in
            let (kari, ola) = (try await hub.user("Karixqz"), try await hub.user("Olavxqz"))
            try await hub.store.onSession { session in
                // A radar that cannot be deleted, and radars that cannot be read.
                try session.run("CREATE TABLE pin (radar TEXT NOT NULL REFERENCES radar (id))")
                try session.run("INSERT INTO pin VALUES (?)", [kari.radar])
                try session.run(
                    "UPDATE radar SET interpretation = ?, sources = ? WHERE user_id = ?",
                    [[0xFF] as [UInt8], [0xFF] as [UInt8], ola.tokens.user]
                )
            }
            try await hub.send("DELETE", "/users/me", kari.tokens)
            try await hub.send("DELETE", "/users/me", ola.tokens)
            await #expect(throws: StepFailures.self) {
                try await hub.maintain(after: DeletedAccounts.settleTime)
            }
            let traces = StoredTraces(store: await hub.store)
            #expect(try await traces(of: [kari.tokens.user])["radar"] == 1)
            #expect(try await traces(of: ola.marks)["state"] == nil, "the note")
            #expect(try await traces(of: ola.marks)["radar"] == nil)
            for table in ["news_user", "news_holding", "alert"] {
                #expect(try await traces(of: kari.marks + ola.marks)[table] == nil, "\(table)")
            }
            try await hub.store.onSession { try $0.run("DROP TABLE pin") }
            #expect(try await hub.maintain(untilForgotten: kari) == [:])
        }
    }

    @Test func domainsThatAreOffForgetTheUser() async throws {
        try await withDirectory { directory in
            let found = Locked<FullHub.User?>(nil)
            let on = FullHub.yaml(FullHub.accounts)
            try await AccountHub.run(in: directory, on, domains: allDomains) { hub in
                let user = try await FullHub(hub: hub).user("Karixqz")
                found.withLock { $0 = user }
            }
            let user = try #require(found.withLock { $0 })
            let off = FullHub.yaml(FullHub.accounts, apps: "")
            try await AccountHub.run(in: directory, off, domains: allDomains) { hub in
                let full = FullHub(hub: hub)
                try await full.send("DELETE", "/users/me", user.tokens)
                // The name of the topic of the news stays: its namespace is not configured.
                let traces = StoredTraces(store: await full.store)
                let rows = try await traces(of: user.marks)
                for table in ["radar", "news_user", "news_holding", "account"] {
                    #expect(rows[table] == nil, "\(rows)")
                }
            }
        }
    }

    // MARK: Routes of a hub with users of its own

    @Test func usersHaveTheirAccountAndAllTheirData() async throws {
        try await withHub(FullHub.accounts) { hub in
            let (kari, ola) = (try await hub.user("Karixqz"), try await hub.user("Olavxqz"))
            let account = #"{"user_id":"\#(kari.tokens.user)","name":"Karixqz","email":null}"#
            #expect(try await hub.send("GET", "/users/me", kari.tokens).body == account)
            let data = try await hub.send("GET", "/users/me/data", kari.tokens).body
            #expect(data.contains(#""user_id":"\#(kari.tokens.user)""#))
            #expect(data.contains(#""account":[{"user_id":"\#(kari.tokens.user)""#))
            #expect(data.contains(#""provider":"development","provider_subject":"Karixqz""#))
            #expect(data.contains("Karixqz in private"))
            #expect(data.contains("shares of Karixqz"))
            #expect(!data.contains("Olavxqz"))
            #expect(!data.contains(ola.tokens.user))
            #expect(data.hasSuffix(#""next":null}"#))
            let wrong = try await hub.hub.send(
                "GET",
                "/users/me/data?after=moon:1",
                token: kari.tokens.access
            )
            #expect(wrong.status == 400)
            #expect(wrong.body.contains(#"after is \"moon:1\""#))
        }
    }

    @Test(arguments: ["GET /users/me", "DELETE /users/me", "GET /users/me/data"])
    func accountNeedsATokenOfAUserWhoHasOne(route: String) async throws {
        try await withHub(FullHub.accounts) { hub in
            let parts = route.split(separator: " ").map(String.init)
            #expect(try await hub.hub.send(parts[0], parts[1]).status == 401)
            // A token that the operator has made, for another user.
            let tokens = try await TestTokens(secret: AccountHub.secret)
            let other = try tokens.connection("someone")
            let answer = try await hub.hub.send(parts[0], parts[1], token: other)
            #expect(answer.status == 401)
            #expect(answer.body.contains("the token's user has no account"))
        }
    }

    @Test func deletedUserHasAnotherAccountAfterTheNextLogin() async throws {
        try await withHub(FullHub.accounts) { hub in
            let first = try await hub.hub.login("Kari")
            let socket = try hub.hub.connect()
            _ = try await socket.connectSession(token: first.access)
            try await hub.send("DELETE", "/users/me", first)
            #expect(try await socket.receiveClose().code == 3503)
            #expect(try await hub.hub.refresh(first.refresh).status == 401)
            let again = try await hub.hub.send("DELETE", "/users/me", token: first.access)
            #expect(again.status == 401)
            #expect(try await hub.hub.login("Kari").user != first.user)
        }
    }
}
