import Expectations
import HubTesting

@testable import Hub

@Suite("Paths and methods that are not there", .timeLimit(.minutes(10)))
struct ErrorFormTests {
    private static func response(_ method: String, _ path: String) async -> ServerResponse {
        var routes = Routes()
        routes.get("/livez", answer: answering("alive"))
        routes.get("/movies/:id", answer: answering("film"))
        routes.get("/api/radars/:id", answer: answering("radar"))
        routes.post("/api/alerts/rules", answer: answering("rule"))
        routes.errors(.activity, below: "/movies")
        routes.errors(.messageAndCode, below: "/api/radars", "/api/alerts")
        let responder = RouteResponder(routes: routes, logger: silentLogger)
        let head = HTTPRequestHead(method: method, target: path)
        return await responder.respond(to: ServerRequest(head: head, body: [], peer: nil))
    }

    private func text(_ response: ServerResponse) -> String {
        String(decoding: response.body, as: UTF8.self)
    }

    private static let film =
        #"{"error":{"code":"NOT_FOUND","message":"nothing is at this path","details":{}}}"#
    private static let code = #"{"message":"nothing is at this path","code":"NOT_FOUND"}"#

    @Test(arguments: [
        ("/movies", film), ("/movies/1/2", film), ("/movies/1/2?a=b", film),
        ("/movies/%zz", film), ("//movies//1//2/", film), ("/api/radars/%00", code),
        ("/api/radars", code), ("/api/radars/1/nothing", code), ("/api/alerts", code),
    ])
    func pathOfAnAppIsRefusedInItsForm(path: String, body: String) async {
        for method in ["GET", "POST", "OPTIONS"] {
            let response = await Self.response(method, path)
            expectEqual(response.head.status, 404)
            expectEqual(text(response), body)
            let type = response.head.headers.first("Content-Type")
            expectEqual(type, "application/json; charset=utf-8")
            expectEqual(response.head.headers.first("Cache-Control"), "no-store")
            expectNil(response.head.headers.first("Allow"))
        }
    }

    /// The last ones belong to apps that are not served here.
    @Test(arguments: [
        "/", "/nowhere", "/livez/1", "/moviess", "/api", "/api/radarss/1", "/api/nothing",
        "/friends",
        "/users/me", "/api/webhooks", "/api/aurora/now",
    ])
    func otherPathsAreRefusedInPlainText(path: String) async {
        let response = await Self.response("GET", path)
        expectEqual(response.head.status, 404)
        expectEqual(text(response), "Not Found\n")
        expectEqual(response.head.headers.first("Content-Type"), "text/plain; charset=utf-8")
    }

    @Test(arguments: [
        (
            "/movies/1", "GET, HEAD, OPTIONS",
            #"{"error":{"code":"METHOD_NOT_ALLOWED","message":"the methods here are "#
                + #"GET, HEAD, OPTIONS","details":{}}}"#
        ),
        (
            "/api/radars/1", "GET, HEAD, OPTIONS",
            #"{"message":"the methods here are GET, HEAD, OPTIONS","code":"METHOD_NOT_ALLOWED"}"#
        ),
        (
            "/api/alerts/rules", "POST, OPTIONS",
            #"{"message":"the methods here are POST, OPTIONS","code":"METHOD_NOT_ALLOWED"}"#
        ),
        ("/livez", "GET, HEAD, OPTIONS", "the methods here are GET, HEAD, OPTIONS\n"),
    ])
    func methodThatAPathDoesNotHaveIsRefusedInItsForm(
        path: String,
        allowed: String,
        body: String
    ) async {
        let response = await Self.response("PUT", path)
        expectEqual(response.head.status, 405)
        expectEqual(response.head.headers.first("Allow"), allowed)
        expectEqual(text(response), body)
    }
}
