import Expectations
import HubTesting
import Reactor
import Service

@testable import API

@Suite("Server API: keys, methods and content types", .timeLimit(.minutes(10)))
struct ServerAPIAccessTests {
    private let json: HTTPHeaders = ["Content-Type": "application/json"]

    private func headers(_ name: String, _ value: String) -> HTTPHeaders {
        var headers = json
        headers.append(name, value)
        return headers
    }

    @Test(arguments: [
        ("X-API-Key", "key-1"), ("x-api-key", "key-1"), ("Authorization", "apikey key-1"),
        ("Authorization", "ApiKey  key-1"),
    ])
    func knownKeyOpens(name: String, value: String) async {
        let response = await ServerAPIFixture().respond(
            "/api/info",
            headers: headers(name, value)
        )
        expectEqual(response?.head.status, 200)
    }

    @Test(arguments: [
        ("X-API-Key", "key-2"), ("X-API-Key", ""), ("X-API-Key", "key-1 "), ("X-Key", "key-1"),
        ("Authorization", "key-1"), ("Authorization", "Bearer key-1"),
        ("Authorization", "apikey"), ("Authorization", "apikey key-1 key-1"),
    ])
    func otherKeyDoesNot(name: String, value: String) async {
        let fixture = ServerAPIFixture()
        let response = await fixture.respond("/api/info", headers: headers(name, value))
        expectEqual(response?.head.status, 401)
        expectEqual(response?.head.headers.first("WWW-Authenticate"), #"apikey realm="server API""#)
        expectEqual(response?.text.contains("key-"), false, "no key is repeated")
        await expect(fixture.hub.calls.isEmpty)
    }

    @Test func twoKeysAreNone() async {
        for first in ["key-1", "key-2"] {
            for name in ["X-API-Key", "Authorization"] {
                var both = headers("X-API-Key", first)
                both.append(name, name == "Authorization" ? "apikey key-1" : "key-1")
                let response = await ServerAPIFixture().respond("/api/info", headers: both)
                expectEqual(response?.head.status, 401)
                expectEqual(response?.text, "found 2 API keys, expected one\n")
            }
        }
    }

    @Test func refusedKeysAreCounted() async {
        let fixture = ServerAPIFixture()
        for key in ["key-2", "", "key-1"] {
            _ = await fixture.respond("/api/info", headers: headers("X-API-Key", key))
        }
        _ = await fixture.respond("/api/info", headers: json)
        var counts = KeyReader.Counts()
        counts.unknown = 1
        counts.malformed = 1
        expectEqual(fixture.api.keys.counts, counts)
    }

    @Test func failedCommandsAreCountedAndLogged() async throws {
        let log = RecordedLog()
        let fixture = ServerAPIFixture(logger: log.logger)
        let requests = [
            ("publish", #"{"channel":"nowhere:a","data":1}"#),
            ("publish", #"{"channel":"chat:a","data":1}"#),
            ("publish", #"{"channel":"chat:a"}"#),
            ("broadcast", #"{"channels":["chat:a","nowhere:a","nowhere:b"],"data":1}"#),
            (
                "batch",
                #"{"commands":[{"publish":{"channel":"nowhere:c","data":1}},{"shout":{}},{"info":{}}]}"#
            ),
        ]
        for (method, body) in requests {
            _ = await fixture.respond("/api/\(method)", body)
        }
        let counts = fixture.api.failures.counts.map {
            ("\($0.key.method) \($0.key.code)", $0.value)
        }
        expectEqual(
            Dictionary(uniqueKeysWithValues: counts),
            [
                "publish 102": 2, "publish 107": 1, "broadcast 102": 2, "batch 104": 1,
            ]
        )
        let lines = log.lines.withLock { $0 }.filter { $0.message == "API command failed" }
        expectEqual(lines.count, 6)
        expectEqual(lines.first?.fields["method"], "publish")
        expectEqual(lines.first?.fields["code"], .stringConvertible(102 as UInt32))
        expectEqual(lines.first?.fields["reason"], "unknown channel")
    }

    @Test func withoutConfiguredKeysNobodyGetsIn() async {
        let fixture = ServerAPIFixture(access: .closed)
        for headers in [json, ServerAPIFixture.headers] {
            let response = await fixture.respond("/api/info", headers: headers)
            expectEqual(response?.head.status, 401)
            expectEqual(response?.text, "the server API is off: no key is configured for it\n")
        }
        await expect(fixture.hub.calls.isEmpty)
    }

    @Test(arguments: ["GET", "HEAD", "PUT", "DELETE", "PATCH"])
    func otherMethodIsNotAllowed(method: String) async {
        let response = await ServerAPIFixture().respond("/api/publish", method: method)
        expectEqual(response?.head.status, 405)
        expectEqual(response?.head.headers.first("Allow"), "POST, OPTIONS")
    }

    @Test func optionsAreToldWithoutAKey() async {
        let response = await ServerAPIFixture().respond(
            "/api/publish",
            method: "OPTIONS",
            headers: [:]
        )
        expectEqual(response?.head.status, 204)
        expectEqual(response?.head.headers.first("Allow"), "POST, OPTIONS")
    }

    @Test(arguments: [
        "application/json", "Application/JSON", "application/json; charset=utf-8",
        "application/json ;charset=UTF-8", "application/x-www-form-urlencoded", "text/plain",
        "application/jsonx", "json", "",
    ])
    func jsonIsTakenWhateverItsType(type: String) async {
        let headers: HTTPHeaders = ["X-API-Key": ServerAPIFixture.key, "Content-Type": type]
        let response = await ServerAPIFixture().respond("/api/info", headers: headers)
        expectEqual(response?.head.status, 200)
    }

    @Test func contentWithoutATypeIsTaken() async {
        let headers: HTTPHeaders = ["X-API-Key": ServerAPIFixture.key]
        let response = await ServerAPIFixture().respond("/api/info", headers: headers)
        expectEqual(response?.head.status, 200)
    }

    @Test func contentThatIsNotJSONIsRefused() async {
        let response = await ServerAPIFixture().respond("/api/publish", "channel=news:a&data=1")
        expectEqual(response?.head.status, 400)
    }

    @Test func compressedContentIsRefused() async {
        var headers = ServerAPIFixture.headers
        headers.append("Content-Encoding", "gzip")
        let response = await ServerAPIFixture().respond("/api/info", headers: headers)
        expectEqual(response?.head.status, 415)
        expectEqual(response?.head.headers.first("Accept-Encoding"), "identity")
    }
}

@Suite("Server API: beside the routes", .timeLimit(.minutes(10)))
struct ServerAPIRoutingTests {
    private func responder(serverAPI: ServerAPI?) -> RouteResponder {
        var routes = Routes()
        routes.get("/api/health", answer: answering("fine"))
        routes.backends(below: "/api/webhooks")
        routes.beside(ServerAPI.routes) { await serverAPI?.respond(to: $0) }
        return RouteResponder(routes: routes, logger: Logger(label: "test"))
    }

    private func request(_ method: String, _ target: String) -> ServerRequest {
        ServerRequest(
            head: HTTPRequestHead(
                method: method,
                target: target,
                headers: ["X-API-Key": ServerAPIFixture.key, "X-Request-ID": "r1"]
            ),
            body: [],
            peer: nil
        )
    }

    @Test func eachPathGoesWhereItBelongs() async {
        let responder = responder(serverAPI: ServerAPIFixture().api)
        let info = await responder.respond(to: request("POST", "/api/info?x=1"))
        expectEqual(info.head.status, 200)
        expect(info.text.hasPrefix(#"{"result":{"nodes""#))
        expectEqual(info.head.headers.first("X-Request-ID"), "r1")
        await expectEqual(responder.respond(to: request("GET", "/api/health")).text, "fine")
        await expectEqual(responder.respond(to: request("POST", "/api/health")).head.status, 405)
        await expectEqual(responder.respond(to: request("POST", "/api/nothing")).head.status, 404)
    }

    @Test func serverAsAWholeHasTheMethodsOfBoth() async {
        let with = responder(serverAPI: ServerAPIFixture().api)
        let allowed = await with.respond(to: request("OPTIONS", "*")).head.headers.first("Allow")
        expectEqual(allowed, "GET, HEAD, POST, OPTIONS")
        let without = responder(serverAPI: nil)
        await expectEqual(without.respond(to: request("POST", "/api/info")).head.status, 404)
    }

    @Test func pagesSeeNoAnswerOfTheAPI() async {
        let responder = responder(serverAPI: ServerAPIFixture().api)
        for method in ["POST", "GET", "OPTIONS"] {
            let response = await responder.respond(to: request(method, "/api/info"))
            expect(!response.isForPages, "\(method)")
        }
        await expect(responder.respond(to: request("GET", "/api/health")).isForPages)
    }

    @Test(arguments: [
        ("/api/webhooks", false), ("/api/webhooks/w1/deliveries", false), ("/api/webhooksx", true),
        ("/api/alerts/rules", true), ("/metrics", true), ("//api/webhooks", false),
        ("/api//webhooks/w1", false), ("/api/webhooks/", false), ("///api///webhooks///", false),
        ("/api/%77ebhooks", true), ("/api", true), ("/webhooks", true), ("/x/api/webhooks", true),
    ])
    func pagesSeeNoAnswerAboutWebhooks(path: String, isForPages: Bool) async {
        for method in ["GET", "POST", "OPTIONS"] {
            let response = await responder(serverAPI: nil).respond(to: request(method, path))
            expectEqual(response.isForPages, isForPages, "\(method)")
            expect(!response.takesKeyOfPages, "\(method)")
        }
    }
}
