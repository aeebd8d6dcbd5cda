import API
import Expectations
import HubTesting
import Service

@Suite("Routes: statistics", .timeLimit(.minutes(10)))
struct StatsRoutesTests {
    /// The statistics of a hub, their clock, and their route.
    private struct Hub {
        let time = Locked(Duration.seconds(5))
        let statistics: HubStatistics
        let responder: RouteResponder

        init() {
            statistics = HubStatistics { [time] in time.withLock { $0 } }
            let grants = [
                "all": APIKeyGrant(name: "all"),
                "reader": APIKeyGrant(name: "reader", isReadOnly: true),
                "info": APIKeyGrant(name: "info", methods: ["info"]),
                "channels": APIKeyGrant(name: "channels", methods: ["channels"]),
                "chat": APIKeyGrant(name: "chat", namespaces: ["chat"]),
            ]
            var routes = Routes()
            StatsRoutes(statistics, node: "n1").add(to: &routes)
            responder = RouteResponder(routes: routes, logger: silentLogger) { grants[$0] }
        }

        func get(_ target: String, key: String? = "all") async -> ServerResponse {
            let headers = key.map { ["X-API-Key": $0] as HTTPHeaders } ?? [:]
            let head = HTTPRequestHead(method: "GET", target: target, headers: headers)
            return await responder.respond(to: ServerRequest(head: head, body: [], peer: nil))
        }

        /// Lets time pass until totals are due, and takes them.
        func tick(publications: UInt64 = 0, readers: Int = 0) -> HubSample? {
            let pause = statistics.pause
            time.withLock { $0 += max(.zero, pause) }
            var totals = HubTotals()
            totals.counts.publications = publications
            return statistics.take(totals, readers: readers, time: HubClock.wall)
        }
    }

    private func samples(_ response: ServerResponse) throws -> [String] {
        let field = try JSONReader.fields(of: response.body[...]).first { $0.key == "samples" }
        let text = String(decoding: try require(field).value, as: UTF8.self)
        return text.matches(of: /"publications":[0-9]+/).map { String($0.output) }
    }

    @Test(
        arguments: [
            (nil, 401), ("unknown", 401), ("all", 200), ("reader", 200), ("info", 200),
            ("channels", 403), ("chat", 403),
        ] as [(String?, Int)]
    )
    func keyNeedsTheScopeInfo(key: String?, status: Int) async {
        let response = await Hub().get("/api/stats", key: key)
        expectEqual(response.head.status, status)
        expect(!response.isForPages)
    }

    @Test(arguments: [
        ("", 1), ("?span=hour", 1), ("?span=day", 60),
    ])
    func spanDecidesTheInterval(query: String, interval: Int) async throws {
        let response = await Hub().get("/api/stats" + query)
        expectEqual(response.head.status, 200)
        expectEqual(response.head.headers.first("Cache-Control"), "no-store")
        let text = String(decoding: response.body, as: UTF8.self)
        let bounds = #""bounds":[8e-06,1.6e-05,"#
        expect(text.hasPrefix(#"{"node":"n1","interval":\#(interval),\#(bounds)"#))
        expect(text.hasSuffix(#",16.777216],"samples":[]}"#))
    }

    @Test(arguments: ["?span=", "?span=week", "?span=Hour", "?span=hour%20"])
    func otherSpanIsRefused(query: String) async {
        let hub = Hub()
        let response = await hub.get("/api/stats" + query)
        expectEqual(response.head.status, 400)
        expectEqual(hub.statistics.pause, .seconds(60), "it does not count as watching")
    }

    @Test func hubThatIsNotWatchedTakesTotalsOnceAMinute() async throws {
        let hub = Hub()
        expectEqual(hub.statistics.pause, .seconds(60))
        expectNil(hub.tick(publications: 7))
        expectEqual(hub.statistics.pause, .seconds(60))
        try expectEqual(samples(await hub.get("/api/stats?span=day")), [#""publications":7"#])
    }

    @Test func requestWatchesForAMinute() async throws {
        let hub = Hub()
        _ = await hub.get("/api/stats")
        expect(hub.statistics.pause <= .zero)
        expectNil(hub.tick())
        for second in 1..<60 { expect(hub.tick(publications: UInt64(second)) != nil) }
        expectEqual(hub.statistics.pause, .seconds(1))
        expectNil(hub.tick(), "the minute is over")
        expect(hub.statistics.pause > .seconds(1))
        let made = try samples(await hub.get("/api/stats"))
        expectEqual(made, [String](repeating: #""publications":1"#, count: 59))
    }

    @Test func readerWatchesUntilItIsGone() {
        let hub = Hub()
        hub.statistics.watch()
        for _ in 0..<100 { _ = hub.tick(readers: 1) }
        expectEqual(hub.statistics.pause, .seconds(1))
        _ = hub.tick(readers: 0)
        expect(hub.statistics.pause > .seconds(1))
    }

    @Test func alarmRingsOnlyWhenWatchingBegins() async {
        let hub = Hub()
        hub.statistics.watch()
        // Returns, because it has rung.
        await hub.statistics.alarm.wait { try await Task.sleep(for: .seconds(3600)) }
        hub.statistics.watch()
        let waits = Task {
            await hub.statistics.alarm.wait { try await Task.sleep(for: .seconds(3600)) }
        }
        waits.cancel()
        await waits.value
    }
}
