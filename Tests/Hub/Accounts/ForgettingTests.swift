import AllDomains
import Expectations
import HubTesting
import LoopTesting
import StoreTesting
import TokenTesting

@testable import Hub
@testable import Service

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
        expectEqual(expected.subtracting(before.keys), [])
        let body = try await hub.send("DELETE", "/users/me", gone.tokens).body
        expect(["{}", #"{"success":true}"#].contains(body))
        // At once.
        try await expectEqual(hub.hub.send("GET", "/api/radars/\(gone.radar)").status, 401)
        try await expectEqual(
            hub.hub.send("GET", "/users/me", token: gone.tokens.access).status,
            401
        )
        try await expectEqual(hub.maintain(untilForgotten: gone), [:])
        let after = try await traces(of: left.marks)
        expectEqual(
            after.filter { !Self.shared.contains($0.key) },
            others.filter { !Self.shared.contains($0.key) }
        )
        try await hub.send("GET", "/api/radars/\(left.radar)")
        let history = #"{"channel":"inbox:\#(left.tokens.user):a","limit":10}"#
        let kept = try await hub.send(
            "POST",
            "/api/history",
            fields: [FullHub.keyField],
            history
        )
        expect(kept.body.contains("to \(left.name)"))
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
                try await expectEqual(
                    hub.service.wired.node.accounts?.delete(user.tokens.user),
                    true
                )
                try await expectEqual(hub.send("GET", "/api/radars/\(user.radar)").status, 200)
                found.withLock { $0 = user }
            }
            let user = try require(found.withLock { $0 })
            try await AccountHub.run(in: directory, yaml, domains: allDomains) { hub in
                // The start makes a pass, beside the first requests.
                while try await hub.send("GET", "/api/radars/\(user.radar)").status == 200 {
                    try Task.checkCancellation()
                }
                try await expectEqual(FullHub(hub: hub).maintain(untilForgotten: user), [:])
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
            try await expectEqual(traces(of: [kari.tokens.user])["radar"], 1)
            while try await hub.notedUsers() != [kari.tokens.user] {
                try Task.checkCancellation()
                try? await hub.maintain(after: DeletedAccounts.settleTime)
            }
            try await expectNil(traces(of: ola.marks)["radar"])
            for table in ["news_user", "news_holding", "alert"] {
                try await expectNil(traces(of: kari.marks + ola.marks)[table], "\(table)")
            }
            try await hub.store.onSession { try $0.run("DROP TABLE pin") }
            try await expectEqual(hub.maintain(untilForgotten: kari), [:])
        }
    }

    @Test func passOfARequestDeletesTheDataOfItsUserAlone() async throws {
        try await withHub(FullHub.accounts) { hub in
            let (kari, ola) = (try await hub.user("Karixqz"), try await hub.user("Olavxqz"))
            let service = hub.hub.service
            for user in [kari, ola] {
                try await expectEqual(service.wired.node.accounts?.delete(user.tokens.user), true)
            }
            await service.wired.leading.leader?.deletedAccounts.forgetNow(kari.tokens.user)
            let traces = StoredTraces(store: await hub.store)
            try await expectNil(traces(of: kari.marks)["radar"])
            try await expectEqual(traces(of: ola.marks)["radar"], 2)
            try await expectEqual(hub.maintain(untilForgotten: ola), [:])
            try await expectEqual(traces(of: kari.marks), [:])
        }
    }

    @Test func deletionTakesNoPlaceOfReads() async throws {
        try await withHub(FullHub.accounts) { hub in
            let kari = try await hub.hub.login("Kari")
            let reads = FairReads(atOnce: 1)
            let forgotten = Locked<[String]>([])
            let context = RouteContext(access: hub.hub.service.wired.access, reads: reads) { user in
                // A deletion in the only place would wait for its own end here.
                try? await reads.run(for: []) { forgotten.withLock { $0.append(user) } }
            }
            var routes = Routes()
            let accounts = try require(hub.hub.service.wired.node.accounts)
            UserRoutes(service: accounts, context: context).add(to: &routes)
            let responder = RouteResponder(routes: routes, logger: silentLogger) { _ in nil }
            let fields: HTTPHeaders = ["Authorization": "Bearer \(kari.access)"]
            let head = HTTPRequestHead(method: "DELETE", target: "/users/me", headers: fields)
            let answer = await responder.respond(to: ServerRequest(head: head, body: [], peer: nil))
            expectEqual(answer.head.status, 200)
            expectEqual(forgotten.withLock { $0 }, [kari.user])
        }
    }

    /// As with a topic that has a subscriber, or a node that does not answer.
    @Test(arguments: [false, true])
    func noteStaysForADayWhileATopicHasItsName(isADayOver: Bool) async throws {
        try await withHub(FullHub.accounts) { hub in
            let kari = try await hub.user("Karixqz")
            let service = hub.hub.service
            let deleted = try require(service.wired.leading.leader?.deletedAccounts)
            try await expectEqual(service.wired.node.accounts?.delete(kari.tokens.user), true)
            let traces = StoredTraces(store: await hub.store)
            let pass = try await deleted.forgetAll()
            try pass.end()
            expectEqual(pass.done.map(\.user), [kari.tokens.user])
            try await deleted.end(pass.done, wall: HubClock.wall + DeletedAccounts.settleTime)
            try await expectEqual(hub.notedUsers(), [kari.tokens.user])
            guard isADayOver else {
                try await expectEqual(hub.maintain(untilForgotten: kari), [:])
                return
            }
            try await deleted.end(pass.done, wall: HubClock.wall + DeletedAccounts.namesAwaitedMax)
            try await expectEqual(hub.notedUsers(), [])
            try await expect(traces(of: kari.marks)["topic"] != nil)
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
            let user = try require(found.withLock { $0 })
            let off = FullHub.yaml(FullHub.accounts, apps: "")
            try await AccountHub.run(in: directory, off, domains: allDomains) { hub in
                let full = FullHub(hub: hub)
                try await full.send("DELETE", "/users/me", user.tokens)
                // The name of the topic of the news stays: its namespace is not configured.
                let traces = StoredTraces(store: await full.store)
                let rows = try await traces(of: user.marks)
                for table in ["radar", "news_user", "news_holding", "account"] {
                    expectNil(rows[table], "\(rows)")
                }
            }
        }
    }

    // MARK: Routes of a hub with users of its own

    @Test func usersHaveTheirAccountAndAllTheirData() async throws {
        try await withHub(FullHub.accounts) { hub in
            let (kari, ola) = (try await hub.user("Karixqz"), try await hub.user("Olavxqz"))
            let account = #"{"user_id":"\#(kari.tokens.user)","name":"Karixqz","email":null}"#
            try await expectEqual(hub.send("GET", "/users/me", kari.tokens).body, account)
            let data = try await hub.send("GET", "/users/me/data", kari.tokens).body
            expect(data.contains(#""user_id":"\#(kari.tokens.user)""#))
            expect(data.contains(#""account":[{"user_id":"\#(kari.tokens.user)""#))
            expect(data.contains(#""provider":"development","provider_subject":"Karixqz""#))
            expect(data.contains("Karixqz in private"))
            expect(data.contains("shares of Karixqz"))
            expect(!data.contains("Olavxqz"))
            expect(!data.contains(ola.tokens.user))
            expect(data.hasSuffix(#""next":null}"#))
            let wrong = try await hub.hub.send(
                "GET",
                "/users/me/data?after=moon:1",
                token: kari.tokens.access
            )
            expectEqual(wrong.status, 400)
            expect(wrong.body.contains(#"after is \"moon:1\""#))
        }
    }

    @Test(arguments: ["GET /users/me", "DELETE /users/me", "GET /users/me/data"])
    func accountNeedsATokenOfAUserWhoHasOne(route: String) async throws {
        try await withHub(FullHub.accounts) { hub in
            let parts = route.split(separator: " ").map(String.init)
            try await expectEqual(hub.hub.send(parts[0], parts[1]).status, 401)
            // A token that the operator has made, for another user.
            let tokens = try await TestTokens(secret: AccountHub.secret)
            let other = try tokens.connection("someone")
            let answer = try await hub.hub.send(parts[0], parts[1], token: other)
            expectEqual(answer.status, 401)
            expect(answer.body.contains("the token's user has no account"))
        }
    }

    @Test func deletedUserHasAnotherAccountAfterTheNextLogin() async throws {
        try await withHub(FullHub.accounts) { hub in
            let first = try await hub.hub.login("Kari")
            let socket = try hub.hub.connect()
            _ = try await socket.connectSession(token: first.access)
            try await hub.send("DELETE", "/users/me", first)
            try await expectEqual(socket.receiveClose().code, 3503)
            try await expectEqual(hub.hub.refresh(first.refresh).status, 401)
            let again = try await hub.hub.send("DELETE", "/users/me", token: first.access)
            expectEqual(again.status, 401)
            try await expect(hub.hub.login("Kari").user != first.user)
        }
    }
}
