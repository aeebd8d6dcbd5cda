import ConfigurationTesting
import Expectations
import Foundation
import HubTesting
import LoopTesting
import Repository
import TokenTesting

@testable import Hub

/// A whole hub with the toy domain alone, and a shop on loopback.
@Suite("A domain of its own folder", .timeLimit(.minutes(10)))
struct ToysDomainTests {
    private func withHub(
        shop answer: ScriptedServer.Answer = .json("{}"),
        _ body: (ToysHub) async throws -> Void
    ) async throws {
        let alerts = #"alerts: [{name: dear, topics: "toys:*", when: "price > 10"}]"#
        try await ScriptedServer.run(script: [answer]) { shop in
            try await ToysHub.run(shop: shop.url, keys: alerts, body)
        }
    }

    // MARK: Routes, table, topic

    @Test func toyIsStoredAndToldToItsOwnerAlone() async throws {
        try await withHub { hub in
            let ann = try await hub.connect("ann")
            try await expect(ann.subscribe(2, "toys:ann").contains(#""subscribe":{"#))
            let bob = try await hub.connect("bob")
            try await expect(bob.subscribe(2, "toys:ann").contains(#""code":102"#))
            let added = try await hub.ask(
                "POST",
                "/api/toys",
                user: "ann",
                body: #"{"name":"car"}"#
            )
            expectEqual(added.status, 201)
            expectEqual(added.body, #"{"id":1,"name":"car"}"#)
            let push = try await ann.receiveText()
            expect(push.contains(#""type":"toys.added""#))
            expect(push.contains(#""data":{"id":1,"name":"car"}"#))
            let list = try await hub.ask("GET", "/api/toys", user: "ann")
            expectEqual(list.body, #"{"toys":[{"id":1,"name":"car"}]}"#)
            try await expectEqual(hub.ask("GET", "/api/toys", user: "bob").body, #"{"toys":[]}"#)
            try await expectEqual(hub.metric("hub_toys"), 1)
        }
    }

    @Test func feedIsListedBeforeTheHubListens() async throws {
        try await withHub { hub in
            let health = try await hub.ask("GET", "/api/health").body
            expect(health.contains(#""feeds":[{"name":"toys.prices""#), "\(health)")
        }
    }

    @Test func badRequestsGetTheFormOfErrorsOfTheDomain() async throws {
        try await withHub { hub in
            for (method, target, body, status, code) in [
                ("POST", "/api/toys", "{}", 400, "INVALID_REQUEST"),
                ("DELETE", "/api/toys", "", 405, "METHOD_NOT_ALLOWED"),
                ("GET", "/api/toys/1/parts", "", 404, "NOT_FOUND"),
            ] {
                let answer = try await hub.ask(method, target, user: "ann", body: body)
                expectEqual(answer.status, status, "\(method) \(target)")
                expect(answer.body.contains(#""code":"\#(code)""#), "\(answer.body)")
            }
            try await expectEqual(hub.ask("GET", "/api/toys").status, 401)
        }
    }

    // MARK: Feed and alerts

    @Test func priceOfTheShopIsToldAndRaisesAnAlert() async throws {
        let gate = ScriptedServer.Gate()
        guard case .response(let prices) = ScriptedServer.Answer.json(#"{"car":12,"ball":2}"#)
        else { return }
        try await withHub(shop: .held(gate, prices)) { hub in
            let (feed, alerts) = (try await hub.connect("ann"), try await hub.connect("ann"))
            _ = try await feed.subscribe(2, "toys:ann")
            _ = try await alerts.subscribe(2, "toys:ann:alerts")
            _ = try await hub.ask("POST", "/api/toys", user: "ann", body: #"{"name":"car"}"#)
            try await expect(feed.receiveText().contains(#""type":"toys.added""#))
            gate.open()
            let push = try await feed.receiveText()
            expect(push.contains(#""type":"toys.priced""#))
            expect(push.contains(#""data":{"id":1,"name":"car","price":12}"#))
            let alert = try await alerts.receiveText()
            expect(alert.contains(#""type":"toys.alert.raised""#), "\(alert)")
            let list = try await hub.ask("GET", "/api/toys", user: "ann")
            expectEqual(list.body, #"{"toys":[{"id":1,"name":"car","price":12}]}"#)
        }
    }

    @Test func ruleThatNamesAFieldOfNoToyIsRefused() throws {
        let loaded = try LoadedConfiguration(
            file: (
                name: "varde.yaml",
                text: #"alerts: [{name: a, topics: "toys:*", when: "prise > 10"}]"#
            ),
            domains: [ToysDomain.configuration]
        )
        let error = #expect(throws: ConfigurationError.self) {
            try ConfiguredParts(loaded, environment: [:], domains: [ToysDomain.self])
        }
        expectEqual(error?.description.contains(#"did you mean "price"?"#), true)
    }

    // MARK: The section

    @Test func domainIsOffWithoutItsSection() throws {
        let loaded = try LoadedConfiguration(file: nil, domains: [ToysDomain.configuration])
        let off = try ConfiguredParts(loaded, environment: [:], domains: [ToysDomain.self])
        expect(off.domains.isEmpty)
        expect(!off.namespaces.names.contains("toys"))
    }

    @Test(arguments: [
        (
            "toys: {prices_url: shop}",
            "varde.yaml:1:20: toys.prices_url: found shop, expected URL, http or https, no user"
                + " info, such as https://shop.example.org/prices"
        ),
        (
            "toys: {}", "varde.yaml:1:7: toys.prices_url: found nothing, the key is required"
        ),
        (
            "toys: {price_url: 'http://a'}",
            #"varde.yaml:1:8: toys: unknown key "price_url", did you mean "prices_url"?"#
        ),
        ("tyos: {}", #"varde.yaml:1:1: unknown key "tyos", did you mean "toys"?"#),
        (
            "prices_url: 'http://a'",
            #"varde.yaml:1:1: unknown key "prices_url", did you mean "toys.prices_url"?"#
        ),
    ])
    func wrongKeyIsRefusedWithTheOneThatWasMeant(yaml: String, problem: String) {
        let secrets = "\ntokens: {secrets: [\(TestTokens.secret)]}"
        expectEqual(problems(yaml + secrets, domains: [ToysDomain.configuration]), [problem])
    }

    @Test func sectionIsRefusedForWhatIsMissingElsewhere() {
        let yaml = "toys: {prices_url: 'http://a'}"
        expectEqual(
            problems(yaml, domains: [ToysDomain.configuration]).map { $0.prefix(43) },
            ["default: tokens.secrets: found none, expect"]
        )
    }

    @Test func sectionIsListedAndCompared() throws {
        func load(_ url: String) throws -> LoadedConfiguration {
            try ConfigurationTesting.load(
                """
                tokens: {secrets: [\(TestTokens.secret)]}
                toys: {prices_url: \(url)}
                """,
                domains: [ToysDomain.configuration]
            )
        }
        let (former, latter) = (try load("http://a"), try load("http://b"))
        expect(former.describe().contains("toys:\n  prices_url: http://a "))
        expectEqual(
            ConfigurationChange.between(
                former.configuration,
                latter.configuration,
                latter.schema
            ),
            .needsRestart(["toys.prices_url"])
        )
    }

    @Test func keyOfADomainThatIsNotRegisteredIsUnknown() {
        let found = problems("toys: {prices_url: 'http://a'}")
        expectEqual(found.count, 1)
        expectEqual(
            found.first?.hasPrefix(#"varde.yaml:1:1: unknown key "toys""#),
            true,
            "\(found)"
        )
    }

    // MARK: What is described

    @Test func documentDescribesTheRoutesAndNoOthers() async throws {
        let path = repositoryRoot + "/Tests/DomainKit/Toys/openapi.json"
        let data = try Data(contentsOf: URL(filePath: path))
        let document = try require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        let paths = try require(document["paths"] as? [String: [String: Any]])
        let described = paths.flatMap { path, item in
            item.keys.map { "\($0.uppercased()) \(path)" }
        }
        let routes = try await withTemporaryStore { store in
            let service = ToysService(store: store, clock: HubClock(.wall), logger: silentLogger)
            var routes = Routes()
            ToysRoutes(service: service, access: .none).add(to: &routes)
            return routes.table.routes.map { "\($0.method.rawValue) \($0.pattern)" }
        }
        expectEqual(Set(described), Set(routes))
        expectEqual(routes.count, 2)
    }
}

extension ToysHub {
    fileprivate func metric(_ name: String) async throws -> Double? {
        try Exposition(try await ask("GET", "/metrics").body).value(name)
    }
}
