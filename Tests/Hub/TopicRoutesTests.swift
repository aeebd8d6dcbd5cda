import API
import Expectations
import HubTesting
import LoopTesting
import Loops
import Service

@Suite("Routes: the busiest topics", .timeLimit(.minutes(10)))
struct TopicRoutesTests {
    private let grants = [
        "all": APIKeyGrant(name: "all"),
        "reader": APIKeyGrant(name: "reader", isReadOnly: true),
        "channels": APIKeyGrant(name: "channels", methods: ["channels"]),
        "info": APIKeyGrant(name: "info", methods: ["info"]),
        "told": APIKeyGrant(name: "told", namespaces: ["told"]),
    ]

    private func get(
        _ target: String,
        key: String? = "all",
        _ loops: LoopMetrics
    ) async -> ServerResponse {
        var routes = Routes()
        TopicRoutes(loops).add(to: &routes)
        let responder = RouteResponder(routes: routes, logger: silentLogger) { [grants] in
            grants[$0]
        }
        let headers = key.map { ["X-API-Key": $0] as HTTPHeaders } ?? [:]
        let head = HTTPRequestHead(method: "GET", target: target, headers: headers)
        return await responder.respond(to: ServerRequest(head: head, body: [], peer: nil))
    }

    private func withMetrics(_ body: (LoopMetrics, LoopFixture) async throws -> Void) async throws {
        try await withLoops { hub in
            let loops = LoopMetrics()
            loops.set(hub.transport)
            try await body(loops, hub)
        }
    }

    @Test(
        arguments: [
            (nil, 401), ("unknown", 401), ("all", 200), ("reader", 200), ("channels", 200),
            ("info", 403), ("told", 200),
        ] as [(String?, Int)]
    )
    func keyNeedsTheScopeChannels(key: String?, status: Int) async throws {
        try await withMetrics { loops, _ in
            let response = await get("/api/topics", key: key, loops)
            expectEqual(response.head.status, status)
            expect(!response.isForPages)
        }
    }

    @Test(arguments: [
        ("1", 200), ("1000", 200), ("0", 400), ("1001", 400), ("-1", 400), ("", 400), ("x", 400),
        ("1.5", 400), ("99999999999999999999", 400),
    ])
    func limitIsBounded(limit: String, status: Int) async throws {
        try await withMetrics { loops, _ in
            await expectEqual(get("/api/topics?limit=\(limit)", loops).head.status, status)
        }
    }

    @Test func keyReceivesOnlyTopicsOfItsNamespaces() async throws {
        try await withMetrics { loops, hub in
            _ = await get("/api/topics", loops)
            hub.publish("news:a", "1", "2")
            hub.publish("told:a", "1")
            var text = ""
            while !text.contains("told:a") {
                let response = await get("/api/topics?limit=1", key: "told", loops)
                text = String(decoding: response.body, as: UTF8.self)
            }
            expect(text.hasPrefix(#"{"interval":"#))
            expect(text.contains(#""topics":[{"topic":"told:a","subscribers":0,"publications":"#))
            expect(!text.contains("news:a"))
        }
    }

    @Test func hubWithoutLoopsIsUnavailable() async {
        await expectEqual(get("/api/topics", LoopMetrics()).head.status, 503)
    }
}
