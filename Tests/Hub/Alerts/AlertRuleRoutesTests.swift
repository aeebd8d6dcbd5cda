import Aurora
import Expectations
import HubTesting
import TokenTesting

@testable import AuroraApp
@testable import Hub
@testable import RadarApp

@Suite("Alert rules by the API", .timeLimit(.minutes(10)))
struct AlertRuleRoutesTests {
    /// The routes alone, over a store of their own.
    private struct Hub {
        let store: HubStore
        let tokens: TestTokens
        let radars: RadarDirectory
        let book: AlertBook
        private let responder: RouteResponder

        init(
            store: HubStore,
            tokens: TestTokens,
            limits: Configuration.AlertLimits = Configuration.AlertLimits()
        ) async throws {
            self.store = store
            self.tokens = tokens
            radars = RadarDirectory([
                "open": .init(owner: "1", isPublic: true),
                "own": .init(owner: "1", isPublic: false),
            ])
            book = AlertBook(
                configured: [(.auroraExcellent, .auroraExcellent)],
                namespaces: NamespaceRules(
                    [.aurora, .radar],
                    domains: [
                        "aurora": AuroraTopicRules(places: [.tromso]),
                        "radar": RadarTopicRules(radars: radars),
                    ]
                )
            )
            let verifier = tokens.verifier
            let routes = AlertRuleRoutes(
                rules: try await AlertRuleStore(
                    book: book,
                    limits: limits,
                    store: store,
                    logger: silentLogger
                ),
                access: RouteAccess(verifier: { verifier })
            )
            var table = Routes()
            routes.add(to: &table)
            responder = RouteResponder(routes: table, logger: silentLogger) { key in
                key == "key" ? APIKeyGrant(name: key) : nil
            }
        }

        func ask(
            _ method: String,
            _ path: String = "",
            user: String? = nil,
            body: String = ""
        ) async throws -> (status: Int, body: String) {
            var headers: HTTPHeaders = ["X-API-Key": "key"]
            if let user {
                headers = ["Authorization": "Bearer \(try tokens.connection(user))"]
            }
            return await send(method, path, headers, body)
        }

        func send(
            _ method: String,
            _ path: String,
            _ headers: HTTPHeaders,
            _ body: String
        ) async -> (status: Int, body: String) {
            let target = "/api/alerts/rules" + path
            let head = HTTPRequestHead(method: method, target: target, headers: headers)
            let request = ServerRequest(head: head, body: Array(body.utf8), peer: nil)
            let response = await responder.respond(to: request)
            return (response.head.status, String(decoding: response.body, as: UTF8.self))
        }
    }

    private func withHub(_ body: (Hub) async throws -> Void) async throws {
        let tokens = try await TestTokens()
        try await withTemporaryStore { store in
            try await body(try await Hub(store: store, tokens: tokens))
        }
    }

    private func rule(
        _ name: String,
        topics: String = "aurora:*",
        when: String = "score >= 50"
    ) -> String {
        #"{"name":"\#(name)","topics":"\#(topics)","when":"\#(when)"}"#
    }

    private func code(_ body: String) -> String? {
        let fields = try? JSONReader.fields(of: Array(body.utf8)[...])
        return fields?.first { $0.key == "code" }.flatMap { JSONReader.string($0.value) }
    }

    @Test func ruleIsMadeReadReplacedAndDeleted() async throws {
        try await withHub { hub in
            let made = try await hub.ask("POST", body: rule("good"))
            expectEqual(made.status, 201)
            expect(made.body.hasSuffix(#""owner":null,"source":"api"}"#), "\(made.body)")
            try await expectEqual(hub.ask("GET", "/good").body, made.body)
            try await expectEqual(
                hub.store.state(domain: AlertRuleStore.domain).map(\.key),
                ["good"]
            )
            let replaced = try await hub.ask(
                "PUT",
                "/good",
                body: rule("good", when: "score >= 60")
            )
            expectEqual(replaced.status, 200)
            expectEqual(hub.book[AlertRuleKey(name: "good")]?.settings.when, "score >= 60")
            try await expectEqual(hub.ask("DELETE", "/good").body, "{}")
            try await expectEqual(hub.ask("GET", "/good").status, 404)
            try await expectEqual(hub.store.state(domain: AlertRuleStore.domain), [])
        }
    }

    @Test func ruleIsThereAfterARestart() async throws {
        try await withHub { hub in
            _ = try await hub.ask("POST", body: rule("good"))
            _ = try await hub.ask("POST", user: "7", body: rule("good", when: "score >= 60"))
            let again = try await Hub(store: hub.store, tokens: hub.tokens)
            expectEqual(
                again.book.entries(of: nil).map(\.rule.key.description),
                [
                    "aurora-excellent", "good", "good@7",
                ]
            )
            expectEqual(again.book.entries(of: "7").map(\.settings.when), ["score >= 60"])
        }
    }

    @Test func rulesOfTheConfigurationAreListedAndStay() async throws {
        try await withHub { hub in
            let list = try await hub.ask("GET")
            expect(list.body.contains(#""source":"configuration""#))
            expectEqual(
                code(try await hub.ask("DELETE", "/aurora-excellent").body),
                "RULE_CONFIGURED"
            )
            let other = rule("aurora-excellent")
            expectEqual(
                code(try await hub.ask("PUT", "/aurora-excellent", body: other).body),
                "RULE_CONFIGURED"
            )
            try await expectEqual(hub.ask("POST", body: other).status, 409)
        }
    }

    @Test func usersSeeAndChangeTheirOwnRulesAlone() async throws {
        try await withHub { hub in
            _ = try await hub.ask("POST", body: rule("shared"))
            try await expectEqual(hub.ask("POST", user: "7", body: rule("mine")).status, 201)
            try await expectEqual(
                hub.ask("POST", user: "8", body: rule("mine")).status,
                201,
                "another's"
            )
            let list = try await hub.ask("GET", user: "7")
            expect(list.body.contains(#""owner":"7""#) && !list.body.contains(#""owner":"8""#))
            expect(!list.body.contains("shared"))
            try await expectEqual(hub.ask("GET", "/shared", user: "7").status, 404)
            try await expectEqual(hub.ask("DELETE", "/shared", user: "7").status, 404)
            try await expectEqual(hub.ask("DELETE", "/mine", user: "7").status, 200)
            try await expectEqual(hub.ask("GET", "/mine", user: "8").status, 200)
            try await expectEqual(hub.ask("GET", "/mine?owner=8").status, 200)
            try await expectEqual(hub.ask("GET", "/mine").status, 404)
        }
    }

    @Test func userMayLookAtWhatTheUserMayRead() async throws {
        try await withHub { hub async throws in
            let open = rule("a", topics: "radar:open")
            try await expectEqual(hub.ask("POST", user: "7", body: open).status, 201)
            let own = rule("b", topics: "radar:own")
            try await expectEqual(hub.ask("POST", user: "7", body: own).status, 403)
            try await expectEqual(hub.ask("POST", user: "1", body: own).status, 201)
            try await expectEqual(
                hub.ask("POST", user: "7", body: rule("c", topics: "radar:no")).status,
                403
            )
            try await expectEqual(
                hub.ask("POST", user: "7", body: rule("d", topics: "radar:*")).status,
                201
            )
            let found = hub.book.rules(for: Topic(trusted: "radar:own"))
            expectEqual(found.map(\.key.description), ["b@1"])
            let others = hub.book.rules(for: Topic(trusted: "radar:open"))
            expectEqual(others.map(\.key.description), ["a@7", "d@7"])
            expectEqual(
                code(try await hub.ask("POST", user: "a:b", body: rule("e")).body),
                "FORBIDDEN"
            )
        }
    }

    @Test func whatIsWrongWithARuleIsSaidWithItsPlace() async throws {
        try await withHub { hub in
            let answer = try await hub.ask("POST", body: rule("bad", when: "scor >= "))
            expectEqual(answer.status, 400)
            expectEqual(code(answer.body), "INVALID_RULE")
            expect(answer.body.contains(#""location":"rule:1:"#), "\(answer.body)")
            expect(answer.body.contains("column 9"), "\(answer.body)")
            let other = try await hub.ask("PUT", "/good", body: rule("better"))
            expectEqual(code(other.body), "INVALID_RULE")
            try await expectEqual(hub.ask("PUT", "/none", body: rule("none")).status, 404)
            let long = rule("long", when: String(repeating: " ", count: 20 << 10))
            try await expectEqual(hub.ask("POST", body: long).status, 413)
        }
    }

    @Test func whoShowsNothingIsRefused() async throws {
        try await withHub { hub in
            for headers: HTTPHeaders in [
                [:], ["X-API-Key": "other"], ["Authorization": "Bearer x.y.z"],
                ["Authorization": "Basic eDp5"],
            ] {
                let answer = await hub.send("GET", "", headers, "")
                expectEqual(answer.status, 401, "\(headers)")
                expectEqual(code(answer.body), "UNAUTHORIZED")
            }
        }
    }

    @Test func rulesOfAUserAreCounted() async throws {
        try await withHub { hub in
            for number in 0..<Configuration.AlertLimits().rulesPerUser {
                try await expectEqual(
                    hub.ask("POST", user: "7", body: rule("r\(number)")).status,
                    201
                )
            }
            let answer = try await hub.ask("POST", user: "7", body: rule("more"))
            expectEqual(answer.status, 409)
            expectEqual(code(answer.body), "TOO_MANY_RULES")
            try await expectEqual(hub.ask("POST", user: "8", body: rule("more")).status, 201)
        }
    }

    @Test func usersRulesUseUpNothingOfTheOperators() async throws {
        let tokens = try await TestTokens()
        try await withTemporaryStore { store in
            var limits = Configuration.AlertLimits()
            (limits.rules, limits.userRules, limits.rulesPerUser) = (2, 3, 2)
            let hub = try await Hub(store: store, tokens: tokens, limits: limits)
            var statuses: [Int] = []
            for (user, name) in [("7", "a"), ("7", "b"), ("7", "c"), ("8", "a"), ("8", "b")] {
                statuses.append(try await hub.ask("POST", user: user, body: rule(name)).status)
            }
            expectEqual(statuses, [201, 201, 409, 201, 409])
            let all = try await hub.ask("POST", user: "9", body: rule("a"))
            expect(all.body.contains("at most 3 rules of all users"), "\(all.body)")
            for name in ["a", "b"] {
                try await expectEqual(
                    hub.ask("POST", body: rule(name)).status,
                    201,
                    "the operator's"
                )
            }
            let more = try await hub.ask("POST", body: rule("c"))
            expect(more.body.contains("at most 2 rules of the operator"), "\(more.body)")
            try await expectEqual(hub.ask("DELETE", "/a", user: "7").status, 200)
            try await expectEqual(hub.ask("POST", user: "9", body: rule("a")).status, 201)
        }
    }

    @Test func usersRuleThatCostsTooMuchIsRefused() async throws {
        try await withHub { hub in
            func ask(_ comparisons: Int, _ method: String = "POST", user: String?) async throws -> (
                status: Int, body: String
            ) {
                let condition = Array(repeating: "score > 1", count: comparisons / 6)
                    .joined(separator: " or ")
                let escalations = ["warning", "critical"].map {
                    #"{"severity":"\#($0)","when":"\#(condition)"}"#
                }
                let body =
                    #"{"name":"r","topics":"aurora:*","when":"\#(condition)","#
                    + #""until":"\#(condition)","escalate":[\#(escalations.joined(separator: ","))]}"#
                return try await hub.ask(
                    method,
                    method == "PUT" ? "/r" : "",
                    user: user,
                    body: body
                )
            }
            let refused = try await ask(462, user: "7")
            expectEqual(refused.status, 400)
            expectEqual(code(refused.body), "INVALID_RULE")
            expect(refused.body.contains("cost 318 over limit 256"), "\(refused.body)")
            try await expectEqual(ask(60, user: "7").status, 201)
            try await expectEqual(ask(462, "PUT", user: "7").status, 400)
            try await expectEqual(ask(462, user: nil).status, 201, "the operator's")
        }
    }

    /// In so many requests not two minutes begin.
    @Test func usersChangeTheirRulesOnlySoOftenInAMinute() async throws {
        try await withHub { hub in
            let most = AlertRuleRoutes.changesPerMinute
            var statuses: [Int] = []
            for _ in 0...2 * most {
                statuses.append(try await hub.ask("DELETE", "/none", user: "7").status)
            }
            expect(statuses.prefix(most).allSatisfy { $0 == 404 })
            expect(statuses.contains(429))
            let refused = try await hub.ask("DELETE", "/none", user: "7")
            if refused.status == 429 { expectEqual(code(refused.body), "RATE_LIMITED") }
            try await expectEqual(hub.ask("GET", user: "7").status, 200, "reading is no change")
            try await expectEqual(hub.ask("DELETE", "/none", user: "8").status, 404)
            for _ in 0...2 * most {
                try await expectEqual(hub.ask("DELETE", "/none").status, 404)
            }
        }
    }

    @Test func storedRuleThatDoesNotHoldUpIsLeftAlone() async throws {
        try await withHub { hub in
            let rows = [
                StateRow(domain: AlertRuleStore.domain, key: "broken", value: Array("?".utf8)),
                StateRow(
                    domain: AlertRuleStore.domain,
                    key: "aurora-excellent",
                    value: Array(rule("aurora-excellent").utf8)
                ),
            ]
            _ = try await hub.store.commit(Change(state: rows))
            let again = try await Hub(store: hub.store, tokens: hub.tokens)
            expectEqual(again.book.entries(of: nil).map(\.rule.name), ["aurora-excellent"])
            expectEqual(again.book.entries(of: nil).map(\.isConfigured), [true])
        }
    }
}
