import HTTPWire
import Hummingbird
import Testing

@testable import HubServer

@Suite("RFC 9110 §10.2.1 Allow", .timeLimit(.minutes(10)))
struct RouteMethodsTests {
    private static func makeRouter() -> Router<HubRequestContext> {
        let router = Router(context: HubRequestContext.self)
        router.get("/") { _, _ in "root" }
        router.get("/topics") { _, _ in "topics" }
        router.post("/topics") { _, _ in "topics" }
        router.put("/topics/{name}") { _, _ in "topic" }
        router.delete("/topics/{name}") { _, _ in "topic" }
        router.get("/topics/{name}/history") { _, _ in "history" }
        router.get("/files/**") { _, _ in "files" }
        router.get("/topics/all") { _, _ in "all" }
        router.get("/topics/all/new/now") { _, _ in "now" }
        return router
    }

    @Test(arguments: [
        ("/", "GET, HEAD, OPTIONS"), ("/topics", "GET, HEAD, POST, OPTIONS"),
        ("/topics/", "GET, HEAD, POST, OPTIONS"), ("/topics/a:b", "PUT, DELETE, OPTIONS"),
        ("/topics/a/history", "GET, HEAD, OPTIONS"), ("/topics/a/other", ""), ("/topicss", ""),
        ("/Topics", ""), ("/files/a", "GET, HEAD, OPTIONS"), ("/files/a/b/c", "GET, HEAD, OPTIONS"),
        ("/nowhere", ""), ("", "GET, HEAD, OPTIONS"), ("/topics/all", "GET, HEAD, OPTIONS"),
        ("/topics/all/history", ""), ("/topics/all/new", ""),
    ])
    func methodsAreThoseOfTheRoutesThatLeadThere(path: String, allowed: String) {
        let methods = RouteMethods(RouteMethodsTests.makeRouter().routes)
        #expect(methods.at(path: path).joined(separator: ", ") == allowed)
    }

    @Test func serverAsAWholeHasTheMethodsOfAllRoutes() {
        let methods = RouteMethods(RouteMethodsTests.makeRouter().routes)
        #expect(methods.all == ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"])
        #expect(RouteMethods([]).all == [])
    }

    /// What is said to be allowed is answered by a route, and nothing else is.
    @Test(arguments: [
        "/", "/topics", "/topics/a", "/topics/a/history", "/files/a/b", "/nowhere", "/topics/all",
        "/topics/all/history", "/topics/all/new", "/topics/all/new/now",
    ])
    func routerAgrees(path: String) async {
        let router = RouteMethodsTests.makeRouter()
        let allowed = RouteMethods(router.routes).at(path: path)
        let responder = HubServer.RouterResponder(router: router, logger: silentLogger)
        for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] {
            let head = HTTPRequestHead(method: method, target: path)
            let response = await responder.respond(
                to: ServerRequest(head: head, body: [], peer: nil)
            )
            let expected =
                allowed.isEmpty
                ? 404 : method == "OPTIONS" ? 204 : allowed.contains(method) ? 200 : 405
            #expect(response.head.status == expected, "\(method) \(path)")
        }
    }
}
