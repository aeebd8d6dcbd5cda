import Expectations
import HubTesting
import LoopTesting
import Wire

@testable import Loops

@Suite("Loop: pages of other origins", .timeLimit(.minutes(10)))
struct LoopOriginTests {
    /// The request of each resource that a page may open and keep.
    private static let openings: [(name: String, request: @Sendable ([String]) -> String)] = [
        ("client socket", { webSocketRequest("/connection/websocket", $0) }),
        ("echo", { webSocketRequest("/echo", $0) }),
        ("event stream", { httpRequest("GET", "/events?topics=news:a", $0) }),
    ]

    private static func policy(_ patterns: String...) -> OriginPolicy {
        OriginPolicy(allowed: patterns.map { OriginPattern($0)! })
    }

    /// What each resource answers to a request with these fields.
    private func statuses(
        _ fields: [String],
        _ origins: OriginPolicy = OriginPolicy()
    ) async throws -> [Int] {
        var statuses: [Int] = []
        try await withLoops({ $0.origins = origins }) { hub in
            for opening in LoopOriginTests.openings {
                let client = try hub.connect()
                try await client.send(opening.request(fields))
                statuses.append(try await client.receiveHead().status)
            }
        }
        return statuses
    }

    private static let opened = [101, 101, 200]
    private static let refused = [403, 403, 403]

    @Test func whoIsNoPageIsLetIn() async throws {
        try await expectEqual(statuses([]), LoopOriginTests.opened)
    }

    /// The test's requests are for `localhost`.
    @Test(arguments: ["http://localhost", "https://localhost"])
    func ownPageIsLetIn(origin: String) async throws {
        try await expectEqual(statuses(["Origin: \(origin)"]), LoopOriginTests.opened)
    }

    @Test(arguments: [
        "https://evil.example", "null", "", "http://localhost:8000",
        "http://localhost.evil.example",
    ])
    func otherPageIsRefused(origin: String) async throws {
        try await expectEqual(statuses(["Origin: \(origin)"]), LoopOriginTests.refused)
        let others = LoopOriginTests.policy("https://a.example", "https://*.b.example")
        try await expectEqual(statuses(["Origin: \(origin)"], others), LoopOriginTests.refused)
    }

    /// Anyone can point a name at this machine. The test's connections come from 127.0.0.1.
    @Test(arguments: [
        "evil.example:8000", "evil.example.", "[::1].evil.example", "127.0.0.1.nip.io",
    ])
    func pageOfANameThatLeadsHereIsRefused(host: String) async throws {
        for isForwarded in [false, true] {
            try await withLoops({ settings in
                guard isForwarded else { return }
                settings.connections.trust.forward = PeerBlocks([.init("127.0.0.1")!])
            }) { hub in
                for opening in LoopOriginTests.openings where opening.name != "echo" {
                    for forwarded in [[], ["X-Forwarded-For: 192.0.2.7"]] {
                        let client = try hub.connect()
                        let fields = ["Origin: http://\(host)"] + forwarded
                        let request = opening.request(fields)
                            .replacing("Host: localhost", with: "Host: \(host)")
                        try await client.send(request)
                        let status = try await client.receiveHead().status
                        let isProxys = isForwarded && !forwarded.isEmpty
                        let isOpened = isProxys && !host.hasPrefix("[")
                        let isInvalid = host.hasPrefix("[")
                        expect((status == 403) == !isOpened || isInvalid, "\(status)")
                        expect(!isInvalid || status == 400, "\(status)")
                    }
                }
            }
        }
    }

    @Test(arguments: ["cross-site", "same-site"])
    func imageOnAnotherPageIsRefused(site: String) async throws {
        let field = "Sec-Fetch-Site: \(site)"
        try await expectEqual(statuses([field]), LoopOriginTests.refused)
        try await expectEqual(
            statuses([field], LoopOriginTests.policy("*")),
            LoopOriginTests.opened
        )
        try await expectEqual(statuses(["Sec-Fetch-Site: same-origin"]), LoopOriginTests.opened)
        try await expectEqual(statuses(["Sec-Fetch-Site: none"]), LoopOriginTests.opened)
    }

    /// A form's content needs no preflight, so the browser asks nobody before it sends it.
    @Test(arguments: [
        ("POST", ["Origin: https://evil.example"], 403),
        ("POST", ["Origin: null"], 403),
        ("DELETE", ["Origin: https://evil.example"], 403),
        ("POST", ["Sec-Fetch-Site: cross-site"], 403),
        ("POST", ["Origin: https://a.example"], 200),
        ("POST", ["Origin: http://localhost"], 200),
        ("POST", [], 200),
        ("GET", ["Origin: https://evil.example"], 200),
        ("OPTIONS", ["Origin: https://evil.example"], 200),
        // A page sends these only after a preflight, which is not answered for it.
        ("POST", ["Origin: https://evil.example", "X-API-Key: key"], 200),
        ("POST", ["Origin: https://evil.example", "Authorization: Bearer t"], 200),
    ])
    func blindChangeOfAnotherPageIsRefused(
        method: String,
        fields: [String],
        status: Int
    ) async throws {
        try await withLoops({ $0.origins = LoopOriginTests.policy("https://a.example") }) { hub in
            let client = try hub.connect()
            let fields = fields + ["Content-Type: text/plain"]
            try await client.send(httpRequest(method, "/a", fields, body: "{}"))
            try await expectEqual(client.receiveResponse().status, status)
        }
    }

    /// A page whose name leads to this machine needs no preflight for its fields, and a development hub
    /// does not look at them.
    @Test(arguments: ["Authorization: x", "X-API-Key: x"])
    func pageOfANameThatLeadsHereChangesNothingInDevelopment(field: String) async throws {
        let page = "evil.example:8000"
        for (host, allowed, isDevelopment, status) in [
            (page, "https://a.example", true, 403), (page, "https://a.example", false, 200),
            (page, "http://\(page)", true, 200), (page, "*", true, 200),
            ("localhost:8000", "https://a.example", true, 200),
            ("127.0.0.1:8000", "https://a.example", true, 200),
        ] {
            try await withLoops({
                $0.origins = LoopOriginTests.policy(allowed)
                $0.isDevelopment = isDevelopment
            }) { hub in
                let client = try hub.connect()
                let fields = ["Origin: http://\(host)", field, "Content-Type: text/plain"]
                let request = httpRequest("POST", "/a", fields, body: "{}")
                    .replacing("Host: localhost", with: "Host: \(host)")
                try await client.send(request)
                try await expectEqual(client.receiveResponse().status, status, "\(host) \(allowed)")
            }
        }
    }

    @Test func refusedPageIsLoggedWhereTheDevelopmentHubShowsIt() async throws {
        let (logger, lines) = StreamedLog.make()
        try await withLoops(logger: logger) { hub in
            let client = try hub.connect()
            try await client.send(
                webSocketRequest("/connection/websocket", ["Origin: null"])
            )
            try await expectEqual(client.receiveHead().status, 403)
        }
        let line = try await require(lines.first { $0.message == "page refused" })
        expectEqual(line.level, .notice)
        expectEqual(line.metadata["reason"], "origin null is not allowed here")
        expectEqual(line.metadata["remote"], "127.0.0.1")
    }

    @Test func listedPageIsLetIn() async throws {
        for (pattern, origin) in [
            ("https://a.example", "https://a.example"),
            ("https://*.a.example", "https://b.a.example"),
            ("null", "null"), ("*", "https://anyone.example"),
        ] {
            let found = try await statuses(["Origin: \(origin)"], LoopOriginTests.policy(pattern))
            expectEqual(found, LoopOriginTests.opened, "\(origin)")
        }
    }

    @Test func refusalSaysWhyAndEndsTheConnection() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            try await client.send(
                webSocketRequest("/connection/websocket", ["Origin: https://evil.example"])
            )
            let response = try await client.receiveResponse()
            expectEqual(response.status, 403)
            expectEqual(response.body, "origin https://evil.example is not allowed here\n")
            await expect(client.endsHere())
        }
    }

    @Test func otherAnswersAreGivenToAnyoneWithoutLettingAPageSeeThem() async throws {
        try await withLoops { hub in
            let client = try hub.connect()
            let response = try await client.get("/a", "Origin: https://evil.example")
            expectEqual(response.status, 200)
            expectNil(response.fields["access-control-allow-origin"])
        }
    }

    @Test(arguments: [
        ("GET", "/a", 200), ("GET", "/events?topics=nowhere:a", 404), ("POST", "/events", 405),
        ("BREW", "/a", 501), ("GET", "/connection/websocket", 426),
        ("GET", "/events?topics=news:a", 200),
    ])
    func listedPageMaySeeEveryAnswer(method: String, target: String, status: Int) async throws {
        let policy = LoopOriginTests.policy("https://a.example")
        try await withLoops({ $0.origins = policy }) { hub in
            let client = try hub.connect()
            try await client.send(httpRequest(method, target, ["Origin: https://a.example"]))
            let head = try await client.receiveHead()
            expectEqual(head.status, status)
            expectEqual(head.fields["access-control-allow-origin"], "https://a.example")
            expectEqual(head.fields["access-control-expose-headers"], OriginPolicy.responseFields)
            expectNil(head.fields["access-control-allow-credentials"])
            expectEqual(head.fields["vary"], "Origin")
        }
    }

    @Test func brokenContentIsToldToTheListedPageToo() async throws {
        let policy = LoopOriginTests.policy("https://a.example")
        try await withLoops({ $0.origins = policy }) { hub in
            let client = try hub.connect()
            let fields = ["Origin: https://a.example", "Transfer-Encoding: chunked"]
            try await client.send(httpRequest("POST", "/a", fields) + "x\r\n")
            let response = try await client.receiveResponse()
            expectEqual(response.status, 400)
            expectEqual(response.fields["access-control-allow-origin"], "https://a.example")
        }
    }

    @Test(arguments: ["/connection/websocket", "/events?topics=news:a"])
    func preflightIsAnswered(target: String) async throws {
        let policy = LoopOriginTests.policy("https://a.example")
        try await withLoops({ $0.origins = policy }) { hub in
            let client = try hub.connect()
            for (origin, isAllowed) in [("https://a.example", true), ("https://b.example", false)] {
                let fields = ["Origin: \(origin)", "Access-Control-Request-Method: GET"]
                try await client.send(httpRequest("OPTIONS", target, fields))
                let response = try await client.receiveResponse()
                expectEqual(response.status, 204)
                expectEqual(response.fields["vary"], "Origin")
                expectEqual(
                    response.fields["access-control-allow-origin"],
                    (isAllowed ? origin : nil)
                )
                expectEqual(
                    response.fields["access-control-allow-methods"],
                    (isAllowed ? "GET, HEAD, OPTIONS" : nil)
                )
                expectEqual(response.fields["access-control-max-age"], (isAllowed ? "7200" : nil))
            }
        }
    }
}
