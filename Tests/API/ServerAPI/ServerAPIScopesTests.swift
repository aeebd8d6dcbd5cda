import ClientWire
import Expectations

@testable import API

@Suite("Server API: scopes of keys", .timeLimit(.minutes(10)))
struct ServerAPIScopesTests {
    private func fixture(_ grant: APIKeyGrant) -> ServerAPIFixture {
        ServerAPIFixture(access: .keys { $0 == ServerAPIFixture.key ? grant : nil })
    }

    @Test func everyMethodHasAScope() {
        for method in ServerAPIMethod.allCases where method != .batch {
            expect(APIScopes.names.contains(method.scope), "\(method)")
        }
    }

    @Test(arguments: [
        (["reading"], [], 200, ""), (["connections_list"], [], 200, ""),
        (["connections"], [], 403, "methods: connections_list"),
        ([], ["chat"], 403, "namespaces: all, because connections_list is not limited to channels"),
    ])
    func listOfConnectionsHasAScope(
        methods: [String],
        namespaces: [String],
        status: Int,
        missing: String
    ) async throws {
        let fixture = fixture(APIKeyGrant(name: "k", methods: methods, namespaces: namespaces))
        let response = try await require(fixture.respond("/api/connections"))
        expectEqual(response.head.status, status)
        expect(missing.isEmpty || response.text.contains("lacks the scope \(missing)"))
    }

    @Test func listOfAChannelsConnectionsNeedsOnlyItsNamespace() async throws {
        let fixture = fixture(APIKeyGrant(name: "chat", namespaces: ["chat"]))
        let own = await fixture.respond("/api/connections", #"{"channel":"chat:a"}"#)
        expectEqual(own?.head.status, 200)
        let other = await fixture.respond("/api/connections", #"{"channel":"news:a"}"#)
        expectEqual(other?.head.status, 403)
    }

    @Test func refusedCallNamesTheKeyAndTheMissingScope() async throws {
        let fixture = fixture(APIKeyGrant(name: "reader", methods: ["reading"]))
        let body = #"{"channel":"chat:a","data":1}"#
        let refused = try await require(fixture.respond("/api/publish", body))
        expectEqual(refused.head.status, 403)
        let message = "the API key reader lacks the scope methods: publish"
        expect(refused.text.contains(#"{"error":{"code":103,"message":"\#(message)"}"#))
        await expectEqual(fixture.respond("/api/info")?.head.status, 200)
    }

    @Test func commandsOfABatchAreRefusedOneByOne() async throws {
        let fixture = fixture(APIKeyGrant(name: "chat", namespaces: ["chat"]))
        let body = """
            {"commands":[{"publish":{"channel":"chat:a","data":1}},
            {"publish":{"channel":"news:a","data":2}}]}
            """
        let response = try await require(fixture.respond("/api/batch", body))
        expectEqual(response.head.status, 200)
        expect(response.text.contains("lacks the scope namespaces: news"))
        expect(response.text.contains(#"{"publish":{"#))
    }

    @Test func whyIsRefusedOutsideOfTheNamespaces() async throws {
        let fixture = fixture(APIKeyGrant(name: "chat", namespaces: ["chat"]))
        let target = "/debug/why?client=c&offset=1&topic="
        let refused = await fixture.respond(target + "news:a", method: "GET")
        expectEqual(refused?.head.status, 403)
        await expectEqual(fixture.respond(target + "chat:a", method: "GET")?.head.status, 200)
    }
}
