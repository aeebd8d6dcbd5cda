import AllDomains
import Expectations
import Foundation
import HubTesting
import LoopTesting
import Repository

@testable import Hub
@testable import Service

/// A hub with every domain in which two users have all that a user can have.
struct FullHub {
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
    ) async throws -> LoopTestClient.Response {
        let answer = try await hub.send(
            method,
            target,
            token: user?.access ?? "",
            fields: fields,
            body
        )
        try require(answer.status == status, "\(method) \(target): \(answer)")
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
        let user = User(name: name, tokens: tokens, radar: try require(text("id", in: made.body)))
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
        let id = try require(number("request_id", in: request.body))
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
            let review = try require(parts.first { $0.contains("words of \(author.name)") })
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

    /// The users whose data are being deleted.
    func notedUsers() async throws -> [String] {
        try await store.state(domain: DeletedAccount.domain).map(\.key)
    }

    /// Maintains the hub until only the note of the deletion has a user's name.
    func maintain(untilForgotten user: User) async throws -> [String: Int] {
        let traces = StoredTraces(store: await store)
        var found = try await traces(of: user.marks)
        var rounds = 0
        while found != ["state": 1] {
            try require(rounds < 2000, "\(found)")
            try await maintain()
            found = try await traces(of: user.marks)
            rounds += 1
        }
        try await maintain(after: DeletedAccounts.settleTime)
        return try await traces(of: user.marks)
    }
}
