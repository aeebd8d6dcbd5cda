import Expectations
import LoopTesting
import Service

@testable import API

@Suite("Server API: web pages", .timeLimit(.minutes(10)))
struct ServerAPIPagesTests {
    /// Not even where the operator lets every page see every other answer: whoever holds a key of this
    /// API is a server.
    @Test(arguments: [("OPTIONS", 204), ("POST", 200), ("GET", 405)])
    func noPageSeesAnAnswer(method: String, status: Int) async throws {
        let api = ServerAPIFixture().api
        try await withLoops(
            { $0.origins = OriginPolicy(allowed: [OriginPattern("*")!]) },
            respond: { await api.respond(to: $0) ?? ServerResponse(status: 404, text: "") }
        ) { server in
            let client = try server.connect()
            let fields = [
                "Origin: https://a.example", "Access-Control-Request-Method: POST",
                "X-API-Key: \(ServerAPIFixture.key)",
            ]
            try await client.send(httpRequest(method, "/api/info", fields, body: "{}"))
            let response = try await client.receiveResponse()
            expectEqual(response.status, status)
            expect(!response.fields.keys.contains { $0.hasPrefix("access-control-") })
        }
    }

    @Test func otherAnswersAreStillForPages() async throws {
        let api = ServerAPIFixture().api
        try await withLoops(
            { $0.origins = OriginPolicy(allowed: [OriginPattern("*")!]) },
            respond: { await api.respond(to: $0) ?? ServerResponse(status: 404, text: "") }
        ) { server in
            let client = try server.connect()
            try await client.send(httpRequest("GET", "/a", ["Origin: https://a.example"]))
            let response = try await client.receiveResponse()
            expectEqual(response.fields["access-control-allow-origin"], "*")
            expectEqual(response.fields["x-content-type-options"], "nosniff")
        }
    }
}
