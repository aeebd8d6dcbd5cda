import Expectations
import HubTesting
import Reactor
import Wire

@testable import Service

@Suite("Responder: requests and their routes", .timeLimit(.minutes(10)))
struct RouteResponderTests {
    private static func makeRoutes() -> Routes {
        var routes = Routes()
        routes.get("/", answer: answering("root"))
        routes.get("/topics", answer: answering("topics"))
        routes.post("/topics", answer: answering("topics"))
        routes.put("/topics/:name", answer: answering("topic"))
        routes.delete("/topics/:name", answer: answering("topic"))
        routes.get("/topics/:name/history", answer: answering("history"))
        routes.get("/topics/all", answer: answering("all"))
        routes.get("/topics/all/new/now", answer: answering("now"))
        routes.patch("/films/:id", answer: answering("film"))
        return routes
    }

    private func respond(
        _ method: String,
        _ target: String,
        _ headers: HTTPHeaders = [:],
        body: String = "",
        routes: Routes = makeRoutes(),
        logger: Logger = silentLogger
    ) async -> ServerResponse {
        await RouteResponder(routes: routes, logger: logger).respond(
            to: ServerRequest(
                head: HTTPRequestHead(method: method, target: target, headers: headers),
                body: Array(body.utf8),
                peer: SocketAddress(host: "127.0.0.1", port: 7)
            )
        )
    }

    private func text(_ response: ServerResponse) -> String {
        String(decoding: response.body, as: UTF8.self)
    }

    /// What is said to be allowed is answered by a route, and nothing else is.
    @Test(arguments: [
        ("/", "GET, HEAD, OPTIONS"), ("/topics", "GET, HEAD, POST, OPTIONS"),
        ("/topics/", "GET, HEAD, POST, OPTIONS"), ("/topics/a:b", "PUT, DELETE, OPTIONS"),
        ("/topics/a/history", "GET, HEAD, OPTIONS"), ("/topics/a/other", ""), ("/topicss", ""),
        ("/Topics", ""), ("/nowhere", ""), ("", "GET, HEAD, OPTIONS"),
        ("/topics/all", "GET, HEAD, OPTIONS"), ("/topics/all/history", ""),
        ("/topics/all/new", ""), ("/topics/all/new/now", "GET, HEAD, OPTIONS"),
        ("/films/1", "PATCH, OPTIONS"), ("/films/%zz", ""), ("/films/%00", ""),
        ("/topics/a", "PUT, DELETE, OPTIONS"),
    ])
    func methodsAreThoseThatAreAllowed(path: String, allowed: String) async {
        for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"] {
            let response = await respond(method, path)
            let isAllowed = allowed.split(separator: ", ").contains(method[...])
            let expected =
                allowed.isEmpty ? 404 : method == "OPTIONS" ? 204 : isAllowed ? 200 : 405
            expectEqual(response.head.status, expected, "\(method) \(path)")
            let list = response.head.headers.first("Allow")
            expectEqual(list, (expected == 204 || expected == 405 ? allowed : nil), "\(method)")
        }
    }

    @Test func routeIsAnsweredInTheTraceOfTheRequest() async {
        let header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        var routes = Routes()
        routes.get("/trace") { _ in
            ServerResponse(status: 200, text: CurrentTrace.value?.description ?? "none")
        }
        let traced = await respond("GET", "/trace", ["traceparent": header], routes: routes)
        expectEqual(text(traced), header + "\n")
        expectEqual(text(await respond("GET", "/trace", routes: routes)), "none\n")
    }

    @Test func serverAsAWholeHasTheMethodsOfAllRoutes() async {
        let response = await respond("OPTIONS", "*")
        expectEqual(response.head.status, 204)
        let all = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
        expectEqual(response.head.headers.first("Allow"), all)
        var routes = Routes()
        routes.beside([Route(.post, "/beside")]) { _ in nil }
        let beside = await respond("OPTIONS", "*", routes: routes)
        expectEqual(beside.head.headers.first("Allow"), "POST, OPTIONS")
        await expectEqual(respond("GET", "*").head.status, 404)
    }

    // MARK: What a route gets

    @Test func routeGetsTheRequestWithItsParametersDecoded() async {
        var routes = Routes()
        routes.post("/films/:id/reviews/:review_id") { request in
            let parts = [
                request.parameters["id"], request.parameters["review_id"],
                request.query("q") ?? "none", request.query("none") ?? "none",
                request.header("x-a") ?? "none", request.header("X-None") ?? "none",
                "\(request.peer?.port ?? 0)", String(decoding: request.body, as: UTF8.self),
            ]
            return ServerResponse(status: 200, text: parts.joined(separator: "|"))
        }
        let response = await respond(
            "POST",
            "//films/a%2Fb/reviews/%2541/?q=1+2%2B3&q=4",
            ["X-A": "1", "x-a": "2"],
            body: "content",
            routes: routes
        )
        expectEqual(text(response), "a/b|%41|1+2+3|none|1, 2|none|7|content\n")
    }

    @Test func contentIsTakenUpToItsLimit() async {
        var routes = Routes()
        routes.post("/") { request in
            do throws(RouteRefusal) {
                return .uncached(try request.content(upTo: 4))
            } catch {
                return error.response
            }
        }
        for content in ["", "1234"] {
            let response = await respond("POST", "/", body: content, routes: routes)
            expectEqual(response.head.status, 200)
            expectEqual(text(response), content)
        }
        let refusal = await respond("POST", "/", body: "12345", routes: routes)
        expectEqual(refusal.head.status, 413)
        let message = #"{"message":"the content has more than 4 bytes","code":"INVALID_REQUEST"}"#
        expectEqual(text(refusal), message)
    }

    // MARK: What it throws

    private struct Failure: Error {}

    @Test func routeThatFailsIsLoggedAndAnsweredWithoutDetails() async throws {
        var routes = Routes()
        routes.get("/") { _ in throw Failure() }
        let (logger, lines) = StreamedLog.make()
        let response = await respond(
            "GET",
            "/",
            ["X-Request-ID": "r1"],
            routes: routes,
            logger: logger
        )
        expectEqual(response.head.status, 500)
        expectEqual(text(response), "internal error\n")
        expectEqual(response.head.headers.first("X-Request-ID"), "r1")
        let line = try await require(lines.first { _ in true })
        expectEqual(line.message, "request failed")
        expectEqual(line.level, .error)
        expectEqual(line.metadata, ["request": "r1", "err": "Failure()"])
    }

    @Test(arguments: ["", "a b", "a\u{7F}", "å", String(repeating: "x", count: 129)])
    func requestIDThatIsNotShortAndVisibleIsReplaced(id: String) async {
        let response = await respond("GET", "/", ["X-Request-ID": id])
        let own = response.head.headers.first("X-Request-ID")
        expectEqual(own?.utf8.count, 36)
        let longest = String(repeating: "x", count: 128)
        let kept = await respond("GET", "/", ["X-Request-ID": longest])
        expectEqual(kept.head.headers.all("X-Request-ID"), [longest])
    }

    // MARK: Web pages

    @Test func pageMaySendItsKeyBelowThePathsOfAppsInEverySpelling() async {
        var routes = Self.makeRoutes()
        routes.appKeys(below: "/films")
        for (path, takesKey) in [
            ("/films/1", true), ("//films/1/", true), ("/films/none/here", true),
            ("/topics", false), ("/filmsandmore", false), ("/", false),
        ] {
            for method in ["OPTIONS", "GET", "PATCH"] {
                let response = await respond(method, path, routes: routes)
                expectEqual(response.takesKeyOfPages, takesKey, "\(method) \(path)")
            }
        }
    }
}
