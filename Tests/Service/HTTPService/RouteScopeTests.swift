import Expectations
import HubTesting
import Reactor
import Wire

@testable import Service

@Suite("Routes that need an API key with a scope", .timeLimit(.minutes(10)))
struct RouteScopeTests {
    private static let grants = [
        "all": APIKeyGrant(name: "all"),
        "reader": APIKeyGrant(name: "reader", isReadOnly: true),
        "apps": APIKeyGrant(name: "apps", methods: ["apps"]),
        "chat": APIKeyGrant(name: "chat", namespaces: ["chat"]),
        "other": APIKeyGrant(name: "other", methods: ["webhooks"]),
    ]

    private func respond(
        _ method: String,
        _ target: String,
        keys: [String],
        logger: Logger = silentLogger
    ) async -> ServerResponse {
        var routes = Routes()
        let answer: RouteHandler = { request in
            ServerResponse(status: 200, text: request.grant?.name ?? "nobody")
        }
        routes.get("/feeds", scope: "apps", answer: answer)
        routes.post("/feeds", scope: "apps", answer: answer)
        routes.get("/topics", scope: RouteScope("apps", limitsNamespaces: true), answer: answer)
        routes.get("/open", answer: answer)
        routes.get("/livez", answer: answer)
        routes.get("/app") { _ in
            var response = ServerResponse(status: 403, text: "no")
            response.refusesKey = true
            return response
        }
        routes.appKeys(below: "/app")
        var headers = HTTPHeaders()
        for key in keys { headers.append("X-API-Key", key) }
        return await RouteResponder(routes: routes, logger: logger) { Self.grants[$0] }.respond(
            to: ServerRequest(
                head: HTTPRequestHead(method: method, target: target, headers: headers),
                body: [],
                peer: SocketAddress("192.0.2.7:5")
            )
        )
    }

    private func text(_ response: ServerResponse) -> String {
        String(decoding: response.body, as: UTF8.self)
    }

    @Test(arguments: [[], ["unknown"], [""], ["all", "all"], ["all", "unknown"]])
    func requestWithoutOneKnownKeyIsRefused(keys: [String]) async {
        for method in ["GET", "HEAD", "POST"] {
            let response = await respond(method, "/feeds", keys: keys)
            expectEqual(response.head.status, 401)
            expect(response.head.headers.first("WWW-Authenticate") != nil)
            expect(text(response).hasSuffix(#","code":"UNAUTHORIZED"}"#))
        }
    }

    @Test(arguments: [
        ("GET", "/feeds", "all", nil), ("GET", "/feeds", "reader", nil),
        ("GET", "/feeds", "apps", nil), ("HEAD", "/feeds", "reader", nil),
        ("POST", "/feeds", "apps", nil), ("POST", "/feeds", "reader", "read_only: false"),
        ("GET", "/feeds", "other", "methods: apps"), ("HEAD", "/feeds", "other", "methods: apps"),
        ("GET", "/feeds", "chat", "namespaces: all, because apps is not limited to channels"),
        ("GET", "/topics", "chat", nil), ("GET", "/topics", "other", "methods: apps"),
    ])
    func keyNeedsTheScopeOfTheRoute(
        method: String,
        path: String,
        key: String,
        missing: String?
    ) async {
        let response = await respond(method, path, keys: [key])
        guard let missing else {
            expectEqual(response.head.status, 200)
            expectEqual(text(response), key + "\n", "the route has the key's permissions")
            return
        }
        expectEqual(response.head.status, 403)
        let message = "the API key \(key) lacks the scope \(missing)"
        expectEqual(text(response), #"{"message":"\#(message)","code":"FORBIDDEN"}"#)
    }

    @Test func routeWithoutAScopeIsOpenButRefusesAWrongKey() async {
        for (keys, name) in [([], "nobody"), (["all"], "all")] {
            let response = await respond("GET", "/open", keys: keys)
            expectEqual(response.head.status, 200)
            expectEqual(text(response), name + "\n")
        }
        for (keys, reason) in [
            (["unknown"], "the API key is not known"),
            ([""], "found an empty API key, expected one"),
            (["all", "all"], "found 2 API keys, expected one"),
        ] {
            let response = await respond("GET", "/open", keys: keys)
            expectEqual(response.head.status, 401)
            expectEqual(response.head.headers.first("WWW-Authenticate"), Challenge.apiKey)
            expectEqual(text(response), reason + "\n")
        }
    }

    /// A monitor that sends credentials everywhere still receives the metrics.
    @Test func routeThatNeedsNoCredentialsIgnoresThem() async {
        let response = await respond("GET", "/livez", keys: ["unknown"])
        expectEqual(response.head.status, 200)
    }

    @Test func routeOfAppsDecidesAboutItsKeysAndItsRefusalIsNoted() async throws {
        let (logger, lines) = StreamedLog.make()
        let response = await respond("GET", "/app", keys: ["unknown"], logger: logger)
        expectEqual(response.head.status, 403)
        let line = try await require(lines.first { _ in true })
        expectEqual(line.message, "API key not accepted")
    }

    @Test(arguments: [
        (["unknown"], "the API key is not known"),
        (["all", "x"], "found 2 API keys, expected one"),
    ])
    func refusedKeyIsLoggedWithTheAddressAndNeverTheKey(
        keys: [String],
        reason: String
    ) async throws {
        for path in ["/feeds", "/open"] {
            let (logger, lines) = StreamedLog.make()
            _ = await respond("GET", path, keys: keys, logger: logger)
            let line = try await require(lines.first { _ in true })
            expectEqual(line.message, "API key not accepted")
            expectEqual(line.level, .notice)
            expectEqual(
                line.metadata,
                ["reason": reason, "remote": "192.0.2.7", "method": "GET \(path)"]
            )
        }
    }

    @Test func onlyUsesThatChangeSomethingAndRefusalsAreLogged() async throws {
        let (logger, lines) = StreamedLog.make()
        _ = await respond("GET", "/feeds", keys: ["all"], logger: logger)
        _ = await respond("POST", "/feeds", keys: ["all"], logger: logger)
        _ = await respond("POST", "/feeds", keys: ["reader"], logger: logger)
        let logged = await lines.next(2)
        expectEqual(logged.map(\.message), ["API key used", "API key refused"])
        expectEqual(logged.map { $0.metadata["key"] }, ["all", "reader"])
        expectEqual(logged.map { $0.metadata["method"] }, ["POST /feeds", "POST /feeds"])
        expectEqual(logged.last?.metadata["missing"], "read_only: false")
    }
}
