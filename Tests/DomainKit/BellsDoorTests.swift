import ConfigurationTesting
import Expectations
import Foundation
import HubTesting
import LoopTesting
import Repository

@testable import Hub

/// A whole hub with the toy door, as a hub by itself and as a node that does not lead.
@Suite("A door of its own folder", .timeLimit(.minutes(10)))
struct BellsDoorTests {
    private static let apiKey = "a-key-of-the-backend"
    private static let keys = """
        namespaces: [{name: house, subscribe: users}]
        bells: [{name: front, topic: "house:hall"}, {name: back, topic: "house:yard"}]
        api: {keys: [\(apiKey)]}
        """

    private func withHub(
        leads: Bool? = nil,
        keys: String = keys,
        _ body: (ToysHub) async throws -> Void
    ) async throws {
        try await ScriptedServer.run(script: [.json("{}")]) { shop in
            try await ToysHub.run(shop: shop.url, keys: keys, leads: leads, body)
        }
    }

    // MARK: Routes and events of each node

    @Test(arguments: [nil, false, true])
    func ringReachesWhoListensOnAnyNode(leads: Bool?) async throws {
        try await withHub(leads: leads) { hub in
            let ann = try await hub.connect("ann")
            try await expect(ann.subscribe(2, "house:hall").contains(#""subscribe":{"#))
            let rung = try await hub.ask("POST", "/bells/front")
            expectEqual(rung.status, 200)
            expectEqual(rung.body, #"{"hearers":1}"#)
            let push = try await ann.receiveText()
            expect(push.contains(#""type":"bells.rung""#), "\(push)")
            expect(push.contains(#""data":{"node":"varde"}"#), "\(push)")
            try await expectEqual(hub.ask("POST", "/bells/back").body, #"{"hearers":0}"#)
            let metrics = try Exposition(try await hub.ask("GET", "/metrics").body)
            try expectEqual(metrics.value("hub_bells_rings_total"), 2)
        }
    }

    @Test func refusedRequestsHaveTheFormOfErrorsOfTheDoor() async throws {
        try await withHub { hub in
            for (method, target, status, code) in [
                ("POST", "/bells/side", 404, "NOT_FOUND"),
                ("POST", "/bells", 404, "NOT_FOUND"),
                ("GET", "/bells/front", 405, "METHOD_NOT_ALLOWED"),
            ] {
                let answer = try await hub.ask(method, target)
                expectEqual(answer.status, status, "\(method) \(target)")
                expect(answer.body.contains(#""code":"\#(code)""#), "\(answer.body)")
            }
        }
    }

    @Test func doorStaysOpenWhileTheNodeBeginsAndEndsToLead() async throws {
        try await withHub(leads: false) { hub in
            for _ in 1...2 {
                try await expectEqual(hub.ask("POST", "/bells/front").status, 200)
                try await hub.service.lead()
                try await expectEqual(hub.ask("POST", "/bells/front").status, 200)
                await hub.service.follow()
            }
            let doors = try await hub.ask("GET", "/api/doors", key: Self.apiKey).body
            expect(doors.contains(#"["front","house:hall",4,""#), "\(doors)")
        }
    }

    // MARK: The console

    @Test func tablesShowTheStateOfTheDoor() async throws {
        try await withHub { hub in
            try await expectEqual(hub.ask("GET", "/api/doors").status, 401)
            let doors = try await hub.ask("GET", "/api/doors", key: Self.apiKey)
            expectEqual(doors.status, 200)
            let columns =
                #"[{"name":"Bell","kind":"text"},{"name":"Topic","kind":"text"},"#
                + #"{"name":"Rings","kind":"count"},{"name":"Last","kind":"time"}]"#
            let rows = #"[["back","house:yard",0,null],["front","house:hall",0,null]]"#
            expectEqual(
                doors.body,
                #"{"doors":[{"name":"bells","tables":[{"title":"Bells","columns":\#(columns),"#
                    + #""rows":\#(rows),"rows_omitted":0}]}]}"#
            )
        }
    }

    @Test(arguments: ["", "bells: []"])
    func hubWithoutTheSectionHasNoDoor(bells: String) async throws {
        try await withHub(keys: "api: {keys: [\(Self.apiKey)]}\n" + bells) { hub in
            try await expectEqual(hub.ask("POST", "/bells/front").status, 404)
            let doors = try await hub.ask("GET", "/api/doors", key: Self.apiKey).body
            expectEqual(doors, #"{"doors":[]}"#)
            let metrics = try Exposition(try await hub.ask("GET", "/metrics").body)
            expectNil(metrics["hub_bells_rings_total"])
        }
    }

    // MARK: The section

    @Test(arguments: [
        ("{}", "1:8: bells: found a mapping, expected a list of 0 to 16, each mapping"),
        ("[front]", "1:9: bells[0]: found front, expected a mapping of keys"),
        ("[{name: a}]", "1:9: bells[0].topic: found nothing, the key is required"),
        (
            "[{name: a, topic: 'attic:1'}]",
            "1:26: bells[0].topic: found attic:1, expected a topic of a namespace in namespaces"
        ),
        (
            "[{name: a, topic: 'house:1'}, {name: a, topic: 'house:2'}]",
            #"1:45: bells[1].name: found "a" a second time, expected one of each"#
        ),
        (
            "[{name: a, topics: 'house:1'}]",
            #"1:19: bells[0]: unknown key "topics", did you mean "topic"?"#
        ),
    ])
    func wrongElementIsRefusedAtItsPlace(bells: String, problem: String) {
        let yaml = "bells: \(bells)\nnamespaces: [{name: house}]"
        let found = problems(yaml, domains: [BellsDoor.configuration])
        expect(found.contains("varde.yaml:" + problem), "\(found)")
    }

    @Test func sectionIsListedAndCompared() throws {
        func load(_ bells: String) throws -> LoadedConfiguration {
            try ConfigurationTesting.load(
                "namespaces: [{name: house}]\nbells: \(bells)",
                domains: [BellsDoor.configuration]
            )
        }
        let former = try load("[{name: a, topic: 'house:1'}]")
        expect(former.describe().contains("bells:\n  - name: a "), "\(former.describe())")
        for (latter, key) in [
            ("[{name: a, topic: 'house:2'}]", "bells[a].topic"), ("[]", "bells[a]"),
            ("[{name: a, topic: 'house:1'}, {name: b, topic: 'house:1'}]", "bells[b]"),
        ] {
            let latter = try load(latter)
            expectEqual(
                ConfigurationChange.between(
                    former.configuration,
                    latter.configuration,
                    latter.schema
                ),
                .needsRestart([key])
            )
        }
    }

    // MARK: What is described

    @Test func documentDescribesTheRoutesAndNoOthers() async throws {
        let path = repositoryRoot + "/Tests/DomainKit/Bells/openapi.json"
        let data = try Data(contentsOf: URL(filePath: path))
        let document = try require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        let paths = try require(document["paths"] as? [String: [String: Any]])
        expectEqual(Set(paths.keys), ["/bells/{name}"])
        expectEqual(paths["/bells/{name}"]?.keys.sorted(), ["post"])
        try await withHub { hub in
            let wired = hub.service.wired
            let routes = wired.parts.routes(wired.opened, access: .none).table.routes
                .map { "\($0.method.rawValue) \($0.pattern)" }
            expectEqual(routes.filter { $0.contains("/bells") }, ["POST /bells/:name"])
        }
    }
}
